/* Characters one by one, and words of closed lists: what the kernels that look for addresses share. */

#ifndef TOPONAUT_SIGNS_H
#define TOPONAUT_SIGNS_H

#include "kernels.h"

typedef struct {
    int width;
    const void *signs;
    Py_ssize_t length;
} Text;

/* A character; before the beginning and behind the end 0, which is of no kind. */
static inline Py_UCS4 sign_at(const Text *text, Py_ssize_t i) {
    return i >= 0 && i < text->length ? PyUnicode_READ(text->width, text->signs, i) : 0;
}

static inline bool is_any_of(Py_UCS4 sign, const char *some) { return sign && sign < 0x80 && strchr(some, (int)sign); }
static inline bool is_capital(Py_UCS4 sign) { return sign >= 'A' && sign <= 'Z'; }
static inline bool is_small(Py_UCS4 sign) { return sign >= 'a' && sign <= 'z'; }
static inline bool is_letter(Py_UCS4 sign) { return is_small(sign | 0x20); }

/* As Python's own, which are asked only about what ASCII has not: calls for all characters take longer than the rest. */
static inline bool is_decimal(Py_UCS4 sign) {
    return sign < 0x80 ? sign >= '0' && sign <= '9' : Py_UNICODE_ISDECIMAL(sign);
}
static inline bool is_digit(Py_UCS4 sign) { return sign < 0x80 ? is_decimal(sign) : Py_UNICODE_ISDIGIT(sign); }
static inline bool is_upper(Py_UCS4 sign) { return sign < 0x80 ? is_capital(sign) : Py_UNICODE_ISUPPER(sign); }
static inline bool is_lower(Py_UCS4 sign) { return sign < 0x80 ? is_small(sign) : Py_UNICODE_ISLOWER(sign); }
static inline bool is_alnum(Py_UCS4 sign) {
    return sign < 0x80 ? is_small(sign | 0x20) || is_decimal(sign) : Py_UNICODE_ISALNUM(sign);
}
static inline bool is_word(Py_UCS4 sign) { return sign == '_' || is_alnum(sign); }
static inline bool is_fraction(Py_UCS4 sign) { return sign >= 0xBC && sign <= 0xBE; }

enum { EN_DASH = 0x2013, HARD_SPACE = 0xA0, COPYRIGHT = 0xA9, DOTTED_I = 0x130, KELVIN = 0x212A };

/* The ASCII character that another becomes in small letters; 0 if it becomes none, or two as DOTTED_I does. */
static inline uint8_t in_small(Py_UCS4 sign) {
    if (is_capital(sign)) return (uint8_t)(sign | 0x20);
    return sign < 0x80 ? (uint8_t)sign : sign == KELVIN ? 'k' : 0;
}

/* --- words of closed lists ---------------------------------------------------------------------------------------- */

/* Kinds of words: the groups of hints.py in their order. */
enum {
    HINT = 1 << 0,
    STATE = 1 << 1,
    NUMBER = 1 << 2,
    ENDING = 1 << 3,
    TYPE = 1 << 4,
    NAMED = 1 << 5,
    CORE = 1 << 6,
    DIRECTION = 1 << 7,
    THE = 1 << 8,
    LEADS = 1 << 9,
    INSIDE = 1 << 10,
    JUNIOR = 1 << 11,
    MILE = 1 << 12,
    BETWEEN = 1 << 13,
    BEGINS_STATE = 1 << 14,
    NEW = 1 << 15,
};

enum { LONGEST_WORD = 16, ENTRY = 24 }; /* letters of a word; bytes of an entry: these and its kinds */

typedef struct {
    const uint8_t *entries;
    uint64_t last;
} Words;

/* The kinds of a word in small letters; 0 if it is not in the table. */
uint64_t kinds_of(const Words *words, const uint8_t *letters, Py_ssize_t count);

/* Whether the words from `at` to `stop`, behind a number, may be a street (outlook.py). */
bool is_promising(const Text *text, Py_ssize_t at, Py_ssize_t stop, const Words *table);

#endif
