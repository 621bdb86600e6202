/* What the reading of a page's flow shares: parse/kinds.py says what kinds and gaps are. */

#ifndef TOPONAUT_FLOW_H
#define TOPONAUT_FLOW_H

#include "kernels.h"

enum { NONE, SPACE, BREAK = 3, PARAGRAPH = 4, GAP = 7 };
enum { LINK = 8, LINK_END = 16, POINT = 32, NOTE = 40, JUMP = 192, MENDED = 192, BROKEN = 200, COMMENT = 208, RAW_TEXT = 224, HIDDEN = 232, PRE = 240, PRE_END = 248 };

typedef struct {
    Py_ssize_t start, end;
} Span;

/* The characters of a text. */
typedef struct {
    int width;
    const void *data;
} Signs;

static inline Signs signs_of(PyObject *text) { return (Signs){PyUnicode_KIND(text), PyUnicode_DATA(text)}; }

/* What reads sign by sign is compiled once for each width: to ask for it at every sign takes twice as long. */
#define BY_SIGNS static inline __attribute__((always_inline))
#define FOR_WIDTH(of, call)                                                                          \
    (of.width == PyUnicode_1BYTE_KIND   ? (of.width = PyUnicode_1BYTE_KIND, call)                    \
     : of.width == PyUnicode_2BYTE_KIND ? (of.width = PyUnicode_2BYTE_KIND, call)                    \
                                        : (of.width = PyUnicode_4BYTE_KIND, call))

BY_SIGNS Py_UCS4 sign_at(Signs signs, Py_ssize_t at) { return PyUnicode_READ(signs.width, signs.data, at); }

/* Whether a stretch begins with a word, which is in small letters; `fold`: the stretch may be in others. */
BY_SIGNS bool begins(Signs signs, Span span, const char *word, bool fold) {
    for (; *word; word++, span.start++) {
        if (span.start >= span.end) return false;
        Py_UCS4 sign = sign_at(signs, span.start);
        if (fold && sign >= 'A' && sign <= 'Z') sign += 'a' - 'A';
        if (sign != (Py_UCS4)*word) return false;
    }
    return true;
}

/* A stretch of a text as a new string; None where there is none (its end is 0). */
static inline PyObject *string_of(PyObject *text, Span span) {
    return span.end ? PyUnicode_Substring(text, span.start, span.end) : Py_NewRef(Py_None);
}

/* As PLAIN_LINK of parse/kinds.py: whether the head of a tag is one; and where the tag that begins a stretch ends, with the strings of its target as a new tuple;
   0 if it is none, -1 with the exception set. */
bool is_plain_link(PyObject *text, Span head);
Py_ssize_t plain_link(PyObject *text, Span span, PyObject **target);

/* Kinds that a page asked for, each by the hash of its head: some dozens come again and again. */
enum { REMEMBERED = 512 };

typedef struct {
    PyObject *kinds, *names, *others; /* Kinds of parse/kinds.py, its table of names, its others */
    struct {
        Py_ssize_t start, length;
        long kind;
    } slots[REMEMBERED];
} Heads;

/* What is known of a head: no ">" ends it, or it is not that of a plain link, or nothing. */
enum { OPEN, NO_PLAIN_LINK, UNKNOWN };

/* As Kinds of parse/kinds.py; -1 with the exception set. */
long kind_of(Heads *heads, PyObject *markup, Span head, int known);

/* All of a walk; what a step needs is in it. */
typedef struct {
    /* What is read. */
    PyObject *markup, *mended, *elements;
    const int64_t *cuts;
    Py_ssize_t count;
    Heads heads;
    /* What is written; `added`: to the text by each token. */
    PyObject *links, *unseen, *marks, *targets, *jumps, *pieces;
    int64_t *added;
    /* Steps of the reader, and whether it has just said where to go on. */
    PyObject *turn, *jump, *preformatted, *trim, *decoded;
    bool aside;
    /* How long the text is, and how far what comes next stands from it. */
    Py_ssize_t at;
    int gap;
    /* What no piece holds yet, of one width of characters: how many there are, and for how many bytes there is room. */
    char *buffer;
    Py_ssize_t used, room;
    int width;
} Walk;

bool noted(PyObject *events, long kind, Py_ssize_t index, Py_ssize_t at);
bool entered(PyObject *dict, Py_ssize_t index, PyObject *value);

/* A token that the reader has put together anew (borrowed); NULL if it has not, or with the exception set. */
PyObject *mended_token(Walk *walk, Py_ssize_t index);

/* The name of a script or a style sheet, whose content is no markup and nothing to anybody; NULL for other elements. */
const char *idle_name(Signs signs, Span head, long kind);

/* Where such an element ends that begins at a token, and where a hidden one does; -1 with the exception set. */
Py_ssize_t idle_end(Walk *walk, Py_ssize_t index, const char *name);
Py_ssize_t hidden_end(Walk *walk, Py_ssize_t index);

#endif
