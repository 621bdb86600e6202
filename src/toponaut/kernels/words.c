/* Text -> words, each with the gap before it, as in places/addresses/us/scan.py; and whether they may be a street. */

#include "signs.h"

uint64_t kinds_of(const Words *words, const uint8_t *letters, Py_ssize_t count) {
    uint8_t padded[LONGEST_WORD] = {0};
    if (count == 0 || count > LONGEST_WORD) return 0;
    memcpy(padded, letters, count);
    uint64_t low = eight(padded), high = eight(padded + 8), place = hash_of_block(low, high);
    for (uint64_t tried = 0; tried <= words->last; tried++) {
        const uint8_t *entry = words->entries + ENTRY * ((place + tried) & words->last);
        if (eight(entry) == low && eight(entry + 8) == high) return eight(entry + 16);
        if (eight(entry) == 0) return 0;
    }
    return 0;
}

/* --- words of a text ---------------------------------------------------------------------------------------------- */

enum { SPACE, COMMA, BAR, OPEN, SHUT, CELL, LINE, BLOCK, GAPS }; /* as in scan.py */

typedef struct {
    Py_ssize_t start, end;
} Span;

static inline bool is_joint(Py_UCS4 sign) { return is_any_of(sign, "'.&/-") || sign == 0x2019 || sign == EN_DASH; }

/* The next word at or behind `at`: letters and digits joined by single signs, with a final point; or one of # and &. */
static bool next_word(const Text *text, Py_ssize_t at, Py_ssize_t stop, Span *word) {
    while (at < stop && !is_alnum(sign_at(text, at)) && !is_any_of(sign_at(text, at), "#&")) at++;
    if (at >= stop) return false;
    word->start = at++;
    if (is_alnum(sign_at(text, word->start))) {
        while (at < stop && (is_alnum(sign_at(text, at)) ||
                             (is_joint(sign_at(text, at)) && at + 1 < stop && is_alnum(sign_at(text, at + 1)))))
            at++;
        at += at < stop && sign_at(text, at) == '.';
    }
    word->end = at;
    return true;
}

/* What parts two words. */
static int gap_between(const Text *text, Py_ssize_t start, Py_ssize_t end) {
    Py_ssize_t lines = 0, cells = 0;
    for (Py_ssize_t i = start; i < end; i++) {
        lines += sign_at(text, i) == '\n';
        cells += sign_at(text, i) == '\t';
    }
    if (lines) return lines > 1 ? BLOCK : LINE;
    if (cells) return CELL;
    while (start < end && Py_UNICODE_ISSPACE(sign_at(text, start))) start++;
    while (start < end && Py_UNICODE_ISSPACE(sign_at(text, end - 1))) end--;
    Py_UCS4 first = sign_at(text, start), last = sign_at(text, end - 1);
    if (start == end) return SPACE;
    if (start + 1 == end && first == ',') return COMMA;
    return last == '(' || last == '[' ? OPEN : first == ')' || first == ']' ? SHUT : BAR;
}

/* Whether a word that ends at `stop` is cut off there. */
static bool is_cut(const Text *text, Py_ssize_t end, Py_ssize_t stop) {
    return end == stop && is_alnum(sign_at(text, stop));
}

/* --- whether they may be a street --------------------------------------------------------------------------------- */

enum { MOST_WORDS = 45, LONGEST_RUN = 9, ODD_REACH = 12, STATE_REACH = 14, ZIP = 5 }; /* as in outlook.py */

typedef struct {
    uint64_t kinds;
    Py_ssize_t count;
    Py_UCS4 first;
    int gap;
    bool small, capital; /* begins with a small letter; has none */
    bool digits, all_digits, zip, dashed, pointed, penthouse;
} Word;

static Word looked_at(const Text *text, Span span, int gap, const Words *table) {
    Word word = {.count = span.end - span.start, .gap = gap, .first = sign_at(text, span.start)};
    word.capital = word.all_digits = true;
    uint8_t letters[LONGEST_WORD];
    Py_ssize_t count = 0, decimals = 0;
    bool plain = true;
    while (decimals < word.count && is_decimal(sign_at(text, span.start + decimals))) decimals++;
    for (Py_ssize_t i = span.start; i < span.end; i++) {
        Py_UCS4 sign = sign_at(text, i);
        bool digit = is_digit(sign);
        word.digits |= digit;
        word.all_digits &= digit;
        word.dashed |= sign == '-';
        word.pointed |= sign == '.';
        word.capital &= !is_lower(sign);
        if (sign == '.') continue;
        plain &= in_small(sign) != 0;
        if (count < LONGEST_WORD) letters[count] = in_small(sign);
        count++;
    }
    word.small = is_lower(word.first);
    word.zip = decimals >= ZIP;
    word.penthouse = word.digits && count > 2 && letters[0] == 'p' && letters[1] == 'h';
    word.kinds = plain ? kinds_of(table, letters, count) : 0;
    return word;
}

static Py_ssize_t read_words(const Text *text, Py_ssize_t at, Py_ssize_t stop, const Words *table, Word *words) {
    Py_ssize_t count = 0;
    Span span = {at, at};
    stop = stop < text->length ? stop : text->length;
    while (count < MOST_WORDS && next_word(text, at, stop, &span)) {
        words[count++] = looked_at(text, span, gap_between(text, at, span.start), table);
        at = span.end;
    }
    return count - (count && count < MOST_WORDS && is_cut(text, at, stop));
}

/* Whether a word may be the number of a road. */
static bool may_number(const Word *word) {
    return word->count <= 2 || word->dashed || is_digit(word->first);
}

static bool may_be_typed(const Word *words, Py_ssize_t count) {
    bool leads = true, small = words[0].small;
    if (words[0].kinds & DIRECTION) small |= (count > 1 && words[1].small) || (count > 2 && words[2].small);
    for (Py_ssize_t k = 0; k < count && k < LONGEST_RUN; k++) {
        const Word *word = &words[k];
        if (k && word->gap != SPACE && !(word->gap == COMMA && word->kinds & JUNIOR)) return false;
        if (!small && word->small && !(word->kinds & INSIDE)) return false;
        if (k && word->kinds & TYPE) return true;
        if (word->kinds & CORE && k + 1 < count && may_number(&words[k + 1])) return true;
        if (leads && word->kinds & (NAMED | LEADS)) return true;
        if (word->digits && (leads || word->dashed)) return true;
        bool mile = k + 1 < count && words[k + 1].kinds & MILE;
        if (word->all_digits && !(words[k - 1].kinds & LEADS) && !mile) return false;
        leads = leads && word->kinds & (DIRECTION | THE);
    }
    return false;
}

static bool is_sure_state(const Word *word) {
    if (!(word->kinds & BEGINS_STATE) || !is_upper(word->first)) return false;
    return word->count > 3 || word->capital || word->pointed || word->kinds & NEW;
}

static bool may_be_bare(const Word *words, Py_ssize_t count) {
    bool odd = false, sure = false, any = false, zip = false;
    for (Py_ssize_t k = 1; k < count && k < ODD_REACH; k++) {
        odd |= words[k].kinds & BETWEEN || words[k].gap == OPEN || words[k].penthouse;
    }
    for (Py_ssize_t k = 1; k < count && (odd || k < STATE_REACH); k++) {
        sure |= is_sure_state(&words[k]);
        any |= (words[k].kinds & BEGINS_STATE) != 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) zip |= words[k].zip;
    return sure || (any && zip);
}

bool is_promising(const Text *text, Py_ssize_t at, Py_ssize_t stop, const Words *table) {
    Word words[MOST_WORDS];
    Py_ssize_t count = read_words(text, at, stop, table, words);
    return count && (may_be_typed(words, count) || may_be_bare(words, count));
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

/* In small letters and without points. */
static PyObject *key_of(PyObject *word) {
    if (!PyUnicode_IS_ASCII(word)) {
        PyObject *small = PyObject_CallMethod(word, "lower", NULL);
        PyObject *key = small == NULL ? NULL : PyObject_CallMethod(small, "replace", "ss", ".", "");
        Py_XDECREF(small);
        return key;
    }
    const Py_UCS1 *signs = PyUnicode_1BYTE_DATA(word);
    Py_ssize_t length = PyUnicode_GET_LENGTH(word), points = 0, at = 0;
    for (Py_ssize_t i = 0; i < length; i++) points += signs[i] == '.';
    PyObject *key = PyUnicode_New(length - points, 0x7F);
    if (key == NULL) return NULL;
    for (Py_ssize_t i = 0; i < length; i++) {
        if (signs[i] != '.') PyUnicode_1BYTE_DATA(key)[at++] = in_small(signs[i]);
    }
    return key;
}

/* A named tuple of a word: text, key, start, end, gap. */
static PyObject *word_of(PyObject *text, Span span, PyObject *gap, PyTypeObject *type) {
    PyObject *word = type->tp_alloc(type, 5);
    if (word == NULL) return NULL;
    PyObject *said = PyUnicode_Substring(text, span.start, span.end), *key = said == NULL ? NULL : key_of(said);
    PyObject *start = PyLong_FromSsize_t(span.start), *end = PyLong_FromSsize_t(span.end);
    PyTuple_SET_ITEM(word, 0, said);
    PyTuple_SET_ITEM(word, 1, key);
    PyTuple_SET_ITEM(word, 2, start);
    PyTuple_SET_ITEM(word, 3, end);
    PyTuple_SET_ITEM(word, 4, Py_NewRef(gap));
    if (said == NULL || key == NULL || start == NULL || end == NULL) Py_CLEAR(word);
    return word;
}

PyObject *words(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *string, *gaps;
    PyTypeObject *type;
    Py_ssize_t at, stop, most;
    if (!PyArg_ParseTuple(args, "UnnnO!O!", &string, &at, &stop, &most, &PyType_Type, &type, &PyTuple_Type, &gaps))
        return NULL;
    if (!PyType_IsSubtype(type, &PyTuple_Type) || type->tp_basicsize != PyTuple_Type.tp_basicsize)
        return refused("a word is a tuple");
    if (PyTuple_GET_SIZE(gaps) != GAPS) return refused("there are eight gaps");
    if (at < 0 || stop < 0) return refused("words lie in their text");
    Text text = {PyUnicode_KIND(string), PyUnicode_DATA(string), PyUnicode_GET_LENGTH(string)};
    Py_ssize_t inside = stop < text.length ? stop : text.length;
    Span span = {at, at};
    PyObject *found = PyList_New(0);
    while (found != NULL && PyList_GET_SIZE(found) < most && next_word(&text, at, inside, &span)) {
        PyObject *gap = PyTuple_GET_ITEM(gaps, gap_between(&text, at, span.start));
        PyObject *word = word_of(string, span, gap, type);
        if (word == NULL || PyList_Append(found, word) < 0) Py_CLEAR(found);
        Py_XDECREF(word);
        at = span.end;
    }
    Py_ssize_t count = found == NULL ? 0 : PyList_GET_SIZE(found);
    bool cut = count && count < most && is_cut(&text, at, inside);
    if (cut && PyList_SetSlice(found, count - 1, count, NULL) < 0) Py_CLEAR(found);
    return found;
}
