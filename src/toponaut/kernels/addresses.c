/* Where addresses may begin. places/addresses/us/spots.py says what is looked for, and has the twin. */

#include "signs.h"

/* Whether a word that streets have, or the code of a state, stands in the text from `at` to `stop`. */
static bool is_hinted(const Text *text, Py_ssize_t at, Py_ssize_t stop, const Words *words) {
    uint8_t letters[LONGEST_WORD];
    Py_ssize_t count = 0, capitals = 0;
    for (Py_ssize_t i = at; i <= stop; i++) {
        Py_UCS4 sign = i < stop ? sign_at(text, i) : 0;
        uint8_t small = sign == DOTTED_I ? 'i' : in_small(sign);
        if (is_small(small)) {
            if (count < LONGEST_WORD) letters[count] = small;
            count++;
            capitals += is_capital(sign);
            if (sign != DOTTED_I) continue; /* in small letters that is an i and a point, which is no letter */
        }
        uint64_t kinds = kinds_of(words, letters, count);
        if (kinds & HINT) return true;
        bool alone = !is_word(sign) && (i - 2 == at || !is_word(sign_at(text, i - 3)));
        if (kinds & STATE && count == 2 && capitals == 2 && alone) return true;
        count = capitals = 0;
    }
    return false;
}

/* Whether a word in small letters stands among the characters before `end`. */
static bool has_before(const Text *text, Py_ssize_t end, Py_ssize_t reach, const char *word) {
    Py_ssize_t count = (Py_ssize_t)strlen(word), first = end > reach ? end - reach : 0;
    for (Py_ssize_t i = first; i + count <= end; i++) {
        Py_ssize_t k = 0;
        while (k < count && in_small(sign_at(text, i + k)) == (uint8_t)word[k]) k++;
        if (k == count) return true;
    }
    return false;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

enum { LONGEST_NUMBER = 6, ZIP = 5, NEAR_BOX = 9, BESIDE = 48 };
typedef enum { NEVER, PLAIN, UNCLEAR } Following;

static bool may_precede_number(const Text *text, Py_ssize_t start) {
    Py_UCS4 last = sign_at(text, start - 1), before = sign_at(text, start - 2);
    if (is_any_of(last, "-./") || last == EN_DASH) return !is_word(before);
    if (last == ',' || last == ':') return !is_decimal(before);
    if (is_word(last) || is_any_of(last, "$@=+~%") || last == 0xA3 || last == 0x20AC || last == COPYRIGHT) return false;
    return before != COPYRIGHT || !Py_UNICODE_ISSPACE(last);
}

static bool is_of_grid(const Text *text, Py_ssize_t start) {
    return is_any_of(sign_at(text, start - 1), "NSEWnsew") && !is_alnum(sign_at(text, start - 2));
}

static bool is_in_table(const Text *text, Py_ssize_t start, Py_ssize_t end) {
    for (Py_ssize_t i = start - BESIDE; i < end + BESIDE; i++) {
        if (sign_at(text, i) == '\t') return true;
    }
    return false;
}

/* Behind a sign that joins two numbers. */
static bool goes_on(const Text *text, Py_ssize_t at) {
    return is_decimal(sign_at(text, at + Py_UNICODE_ISSPACE(sign_at(text, at))));
}

/* A number behind another: the first is no street's, unless this one is of a grid or a "7 Mile Road", or a half. */
static Following behind_number(const Text *text, Py_ssize_t at) {
    while (is_decimal(sign_at(text, at))) at++;
    Py_UCS4 sign = sign_at(text, at);
    if (is_word(sign) || sign == '/') return UNCLEAR;
    return Py_UNICODE_ISSPACE(sign) && is_any_of(sign_at(text, at + 1), "MmNSEWnsew") ? UNCLEAR : NEVER;
}

/* What the characters behind a number make of it. */
static Following behind(const Text *text, Py_ssize_t end) {
    Py_UCS4 sign = sign_at(text, end), next = sign_at(text, end + 1);
    if (is_letter(sign)) return is_letter(next) || is_decimal(next) ? NEVER : UNCLEAR;
    if (sign == '-' && is_letter(next)) {
        next = sign_at(text, end + 2);
        return is_letter(next) || is_decimal(next) ? NEVER : UNCLEAR; /* "24-hour" */
    }
    if (is_any_of(sign, "-/&") || sign == EN_DASH) return goes_on(text, end + 1) ? UNCLEAR : NEVER;
    if (is_fraction(sign) || is_decimal(sign)) return UNCLEAR; /* digits of two scripts in a row */
    Py_ssize_t at = end;
    while (at < end + 3 && Py_UNICODE_ISSPACE(sign_at(text, at))) at++;
    if (at == end) return NEVER;
    sign = sign_at(text, at);
    if (is_any_of(sign, "-/&") || sign == EN_DASH) return goes_on(text, at + 1) ? UNCLEAR : NEVER;
    if (is_fraction(sign)) return UNCLEAR;
    if (is_decimal(sign)) return behind_number(text, at);
    return is_alnum(sign) ? PLAIN : NEVER;
}

/* --- postcodes ---------------------------------------------------------------------------------------------------- */

enum { LONGEST_CODE = 5, CODE_REACH = 5, STATE_REACH = 8 };

static bool is_gap(Py_UCS4 sign) { return is_any_of(sign, " ,.\n") || sign == HARD_SPACE; }

/* Whether the last two letters before a number are the end of an Australian state: one of some pairs. */
static bool ends_state(const Text *text, Py_ssize_t start, PyObject *pairs) {
    Py_ssize_t floor = start > STATE_REACH ? start - STATE_REACH : 0;
    while (start > floor && is_gap(sign_at(text, start - 1))) start--;
    if (start - floor < 2) return false;
    for (Py_ssize_t k = 0; k + 1 < PyUnicode_GET_LENGTH(pairs); k += 2) {
        if (sign_at(text, start - 2) == PyUnicode_READ_CHAR(pairs, k) &&
            sign_at(text, start - 1) == PyUnicode_READ_CHAR(pairs, k + 1))
            return true;
    }
    return false;
}

/* Whether a capital, or nothing, follows behind spaces and commas. */
static bool name_follows(const Text *text, Py_ssize_t end) {
    Py_ssize_t at = end;
    while (at < end + CODE_REACH && (is_any_of(sign_at(text, at), " \t\n,") || sign_at(text, at) == HARD_SPACE)) at++;
    if (at == end + CODE_REACH || at >= text->length) return true;
    Py_UCS4 sign = sign_at(text, at);
    return is_upper(sign) || (Py_UNICODE_ISALPHA(sign) && is_upper(sign_at(text, at + 1)));
}

static bool may_be_code(const Text *text, Py_ssize_t start, Py_ssize_t end, PyObject *pairs) {
    Py_ssize_t count = end - start;
    Py_UCS4 sign = sign_at(text, end), next = sign_at(text, end + 1);
    if (count > LONGEST_CODE || end >= text->length) return false;
    if (count == 1) return is_upper(sign);
    if (sign == '-' || sign == EN_DASH) return is_digit(next);
    if (count == 2) return false;
    if (count == 3) return (sign == ' ' || sign == HARD_SPACE) && is_digit(next);
    return (count == 4 && ends_state(text, start, pairs)) || name_follows(text, end);
}

/* --- words at which an address may begin -------------------------------------------------------------------------- */

enum { BEFORE_CORNER = 60, LONGEST_TYPE = 16 };

static bool may_be_spelled(const Text *text, Py_ssize_t at, const Words *words) {
    uint8_t letters[LONGEST_WORD];
    Py_ssize_t count = 0, capitals = 0;
    Py_UCS4 sign = sign_at(text, at - 1);
    if (sign == '-' || is_alnum(sign)) return false;
    for (; is_letter(sign = sign_at(text, at)); at++) {
        if (count == LONGEST_WORD) return false;
        letters[count++] = in_small(sign);
        capitals += is_capital(sign);
    }
    if ((sign != ' ' && sign != '-') || !is_capital(sign_at(text, at + 1))) return false;
    return (capitals == 1 || capitals == count) && kinds_of(words, letters, count) & NUMBER;
}

/* Whether the last word before `end` may end a street's name: one of those, an ordinal, or letters with points. */
static bool may_end_street(const Text *text, Py_ssize_t end, const Words *words) {
    uint8_t letters[LONGEST_WORD];
    Py_ssize_t floor = end > LONGEST_TYPE ? end - LONGEST_TYPE : 0, start;
    while (end > floor && !is_alnum(sign_at(text, end - 1))) end--;
    for (start = end; start > floor && is_alnum(sign_at(text, start - 1));) start--;
    if (start == end) return false;
    if (is_decimal(sign_at(text, start))) return !is_decimal(sign_at(text, end - 1));
    if (start - floor > 1 && sign_at(text, start - 1) == '.' && is_alnum(sign_at(text, start - 2))) return true;
    for (Py_ssize_t i = start; i < end; i++) {
        uint8_t letter = letters[i - start] = in_small(sign_at(text, i));
        if (!is_small(letter)) return false;
    }
    return kinds_of(words, letters, end - start) & ENDING;
}

static bool ends_with(const Text *text, Py_ssize_t end, const char *word) {
    Py_ssize_t count = (Py_ssize_t)strlen(word);
    for (Py_ssize_t k = 1; k <= count; k++) {
        if (sign_at(text, end - k) != (Py_UCS4)word[count - k]) return false;
    }
    return true;
}

/* Whether a corner of two streets may be joined by what ends before `end`. */
static bool may_join(const Text *text, Py_ssize_t end, const Words *words) {
    static const char *const joints[] = {" and ", " at ", " & ", " @ ", " AND ", " AT ", " And ", " At "};
    Py_UCS4 sign = sign_at(text, end);
    if (!is_upper(sign) && !is_digit(sign)) return false;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++) {
        if (!ends_with(text, end, joints[k])) continue;
        Py_ssize_t start = end - (Py_ssize_t)strlen(joints[k]);
        if (is_digit(sign) || may_end_street(text, start, words)) return true;
        return has_before(text, start, BEFORE_CORNER, "corner") || has_before(text, start, BEFORE_CORNER, "intersection");
    }
    return false;
}

static bool is_written(const Text *text, Py_ssize_t start, const char *const *spellings) {
    for (; *spellings; spellings++) {
        if (ends_with(text, start + (Py_ssize_t)strlen(*spellings), *spellings)) return true;
    }
    return false;
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

enum { NUMBERS, ZIPS, SPELLED, JOINTS, BOXES, DRAWERS, RURAL, CODES }; /* the lists */
enum { OTHERS = 256 };                                                 /* the entry of all that Latin-1 has not */
/* What may begin at a character: one of the kinds of which three are known, or digits. */
enum { MAY_SPELL = 1, MAY_JOIN = 2, MAY_BOX = 4, MAY_DRAW = 8, MAY_COUNT = 16, DIGIT = 1 << 12 };

typedef struct {
    Words words;
    Py_ssize_t reach, near; /* characters within which a street's word, and a ZIP code, follow a number */
    PyObject *pairs;
} Signs;

static bool note(PyObject *lists, int kind, Py_ssize_t position) {
    PyObject *number = PyLong_FromSsize_t(position);
    bool done = number != NULL && PyList_Append(PyTuple_GET_ITEM(lists, kind), number) == 0;
    Py_XDECREF(number);
    return done;
}

static bool note_run(PyObject *lists, int kind, Py_ssize_t start, Py_ssize_t end) {
    PyObject *pair = Py_BuildValue("(nn)", start, end);
    bool done = pair != NULL && PyList_Append(PyTuple_GET_ITEM(lists, kind), pair) == 0;
    Py_XDECREF(pair);
    return done;
}

static Py_ssize_t digits_end(const Text *text, Py_ssize_t at) {
    while (sign_at(text, at) >= '0' && sign_at(text, at) <= '9') at++;
    return at;
}

/* Whether five digits begin between `at` and `stop`. */
static bool has_zip(const Text *text, const uint8_t *begins, Py_ssize_t at, Py_ssize_t stop) {
    for (stop = stop < text->length ? stop : text->length; at < stop; at++) {
        if (begins[at] & MAY_COUNT && digits_end(text, at) - at == ZIP) return true;
    }
    return false;
}

/* What digits may be: a street number, a ZIP code, the number of a box, a postcode. */
static bool note_digits(const Text *text, const uint8_t *begins, Py_ssize_t start, const Signs *signs,
                        PyObject *lists) {
    Py_ssize_t end = digits_end(text, start), stop = end + signs->reach;
    if (end - start <= LONGEST_NUMBER) {
        Following what = may_precede_number(text, start) ? behind(text, end) : NEVER;
        bool kept = what == UNCLEAR || is_of_grid(text, start) ||
                    (what == PLAIN &&
                     (is_hinted(text, end, stop < text->length ? stop : text->length, &signs->words) ||
                      has_zip(text, begins, end, end + signs->near)) &&
                     (is_in_table(text, start, end) || is_promising(text, end, end + 2 * signs->near, &signs->words)));
        if (kept && !note(lists, NUMBERS, start)) return false;
    }
    bool near_box = has_before(text, start, NEAR_BOX, "ox") || has_before(text, start, NEAR_BOX, "ier ");
    if (end - start == ZIP && !note(lists, ZIPS, start)) return false;
    if (near_box && !note_run(lists, RURAL, start, end)) return false;
    return !may_be_code(text, start, end, signs->pairs) || note_run(lists, CODES, start, end);
}

static bool note_all(const Text *text, const uint8_t *begins, Py_ssize_t at, const Signs *signs, PyObject *lists) {
    static const char *const box[] = {"box", "Box", "BOX", NULL}, *const drawer[] = {"rawer", "RAWER", NULL};
    uint8_t what = begins[at];
    if (what & MAY_COUNT) return note_digits(text, begins, at, signs, lists);
    if (what & MAY_SPELL && may_be_spelled(text, at, &signs->words) && !note(lists, SPELLED, at)) return false;
    if (what & MAY_JOIN && may_join(text, at + 2, &signs->words) && !note(lists, JOINTS, at)) return false;
    if (what & MAY_BOX && is_written(text, at, box) && !note(lists, BOXES, at)) return false;
    return !(what & MAY_DRAW && is_written(text, at, drawer)) || note(lists, DRAWERS, at);
}

/* `kinds` of the characters, with a 0 before them and two behind; `begins` has eight bytes more than there are. */
static PyObject *spots_in(PyObject *string, const uint16_t *kinds, uint8_t *begins, const Signs *signs) {
    Text text = {PyUnicode_KIND(string), PyUnicode_DATA(string), PyUnicode_GET_LENGTH(string)};
    uint8_t any = 0;
    for (Py_ssize_t i = 0; i < text.length; i++) { /* 16 at once */
        uint16_t three = kinds[i + 1] & kinds[i + 2] >> 4 & kinds[i + 3] >> 8 & 0xF;
        begins[i] = (uint8_t)(three | (kinds[i + 1] & ~kinds[i] & DIGIT) >> 8);
        any |= begins[i];
    }
    memset(begins + text.length, 0, 8);
    PyObject *lists = Py_BuildValue("([][][][][][][][]O)", any & MAY_COUNT ? Py_True : Py_False);
    bool done = lists != NULL;
    for (Py_ssize_t i = 0; done && i < text.length; i += 8) {
        if (eight(begins + i) == 0) continue;
        for (Py_ssize_t k = i; done && k < i + 8; k++) done = !begins[k] || note_all(&text, begins, k, signs, lists);
    }
    if (!done) Py_CLEAR(lists);
    return lists;
}

PyObject *spots(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *text, *found = NULL;
    Py_buffer table, words;
    Signs asked;
    if (!PyArg_ParseTuple(args, "Uy*y*nnU", &text, &table, &words, &asked.reach, &asked.near, &asked.pairs))
        return NULL;
    Py_ssize_t size = words.len / ENTRY, length = PyUnicode_GET_LENGTH(text);
    asked.words = (Words){words.buf, (uint64_t)size - 1};
    uint16_t *kinds = NULL;
    uint8_t *begins = NULL;
    if (table.len != (OTHERS + 1) * (Py_ssize_t)sizeof *kinds) {
        refused("a table of characters has 257 entries");
    } else if (words.len % ENTRY || size == 0 || size & (size - 1)) {
        refused("a table of words has a power of two of entries");
    } else if (asked.reach < 0 || asked.near < 0 || asked.reach > INT32_MAX || asked.near > INT32_MAX) {
        refused("a reach is a number of characters");
    } else if ((kinds = PyMem_Calloc(length + 3, sizeof *kinds)) == NULL ||
               (begins = PyMem_Malloc(length + 8)) == NULL) {
        PyErr_NoMemory();
    } else {
        const uint16_t *kinds_of_sign = table.buf;
        EACH_SIGN({ kinds[i + 1] = kinds_of_sign[signs[i] < OTHERS ? signs[i] : OTHERS]; })
        found = spots_in(text, kinds, begins, &asked);
    }
    PyMem_Free(kinds);
    PyMem_Free(begins);
    PyBuffer_Release(&table);
    PyBuffer_Release(&words);
    return found;
}
