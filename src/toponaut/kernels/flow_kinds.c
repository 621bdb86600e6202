/* The kinds of tags by their heads: Kinds of parse/kinds.py for those that are plain; it is asked about all others. */

#include "flow.h"

enum { ASK = -2 };

static uint64_t hash_of(const uint8_t *bytes, Py_ssize_t length) {
    uint64_t hash = (uint64_t)length;
    for (; length > 8; length -= 8, bytes += 8) hash = hash_of_block(hash, eight(bytes));
    uint64_t rest = 0;
    memcpy(&rest, bytes, (size_t)length);
    return hash_of_block(hash, rest);
}

/* Whether no quoted value goes on behind a head; quotes count only after "=". */
BY_SIGNS bool is_closed(Signs signs, Span head) {
    for (Py_ssize_t at = head.start; at < head.end;) {
        if (sign_at(signs, at++) != '=') continue;
        while (at < head.end && sign_at(signs, at) == ' ') at++;
        Py_UCS4 quote = at < head.end ? sign_at(signs, at) : ' ';
        if (quote != '"' && quote != '\'') continue;
        for (at++; at < head.end && sign_at(signs, at) != quote;) at++;
        if (at++ == head.end) return false;
    }
    return true;
}

/* Whether a head is in ASCII, with its quotes closed, and has nothing in it that may hide its element. */
BY_SIGNS bool is_plain(Signs signs, Span head) {
    Span all = head;
    bool single = false, open = false; /* whether there are single quotes, or an odd number of double ones */
    for (; head.start < head.end; head.start++) {
        Py_UCS4 sign = sign_at(signs, head.start);
        if (sign > '~') return false;
        if (sign == '\'') single = true;
        open ^= sign == '"';
        if ((sign | 0x20) == 'n' && begins(signs, head, "none", true)) return false;
        if ((sign | 0x20) == 'h' && begins(signs, head, "hidden", true)) return false;
    }
    return !(single || open) || is_closed(signs, all);
}

/* The name that a head begins with, up to a space; an empty one if it is not in small letters. */
static Span name_of(Signs signs, Span head) {
    Span name = {head.start, head.start};
    if (name.end < head.end && sign_at(signs, name.end) == '/') name.end++;
    Py_ssize_t first = name.end;
    for (; name.end < head.end && sign_at(signs, name.end) != ' '; name.end++) {
        Py_UCS4 sign = sign_at(signs, name.end);
        bool is_digit = sign >= '0' && sign <= '9';
        if (!(sign >= 'a' && sign <= 'z') && (name.end == first || !(is_digit || sign == '-'))) return (Span){0, 0};
    }
    return name.end > first ? name : (Span){0, 0};
}

/* The kind of a plain head: that of its name. ASK if it is not plain, -1 with the exception set. */
static long plain_kind(const Heads *heads, PyObject *markup, Span head, int known) {
    Signs signs = signs_of(markup);
    Py_ssize_t length = head.end - head.start;
    if (begins(signs, head, "!--", false))
        return length >= 5 && begins(signs, (Span){head.end - 2, head.end}, "--", false) ? NONE : ASK;
    Span name = name_of(signs, head);
    if (!name.end || (known == OPEN && begins(signs, head, "a ", false)) || !FOR_WIDTH(signs, is_plain(signs, head))) return ASK;
    PyObject *string = string_of(markup, name);
    PyObject *kind = string == NULL ? NULL : PyDict_GetItemWithError(heads->names, string); /* borrowed */
    Py_XDECREF(string);
    return PyErr_Occurred() ? -1 : kind == NULL ? NONE : PyLong_AsLong(kind);
}

/* Adds a kind to those known, and its head to the others if it is one of them. */
static bool learnt(const Heads *heads, PyObject *head, long kind, bool is_other) {
    PyObject *number = PyLong_FromLong(kind);
    bool done = number != NULL && PyDict_SetItem(heads->kinds, head, number) == 0 &&
                (!is_other || PyList_Append(heads->others, head) == 0);
    Py_XDECREF(number);
    return done;
}

static long looked_up(const Heads *heads, PyObject *markup, Span span, int known) {
    PyObject *head = string_of(markup, span);
    if (head == NULL) return -1;
    PyObject *found = Py_XNewRef(PyDict_GetItemWithError(heads->kinds, head));
    long kind = -1;
    if (found == NULL && !PyErr_Occurred()) {
        bool is_link = known == UNKNOWN && begins(signs_of(markup), span, "a ", false) && is_plain_link(markup, span);
        kind = is_link ? LINK : plain_kind(heads, markup, span, known);
        if (kind >= 0 && !learnt(heads, head, kind, !is_link)) kind = -1;
        if (kind == ASK) found = PyObject_GetItem(heads->kinds, head);
    }
    if (found != NULL) kind = PyLong_AsLong(found);
    Py_XDECREF(found);
    Py_DECREF(head);
    if (kind < 0 && !PyErr_Occurred()) refused("a kind is no less than 0");
    return kind < 0 ? -1 : kind;
}

long kind_of(Heads *heads, PyObject *markup, Span head, int known) {
    Py_ssize_t width = PyUnicode_KIND(markup), length = head.end - head.start;
    const uint8_t *bytes = (const uint8_t *)PyUnicode_DATA(markup), *these = bytes + head.start * width;
    uint64_t slot = hash_of(these, length * width) % REMEMBERED;
    Py_ssize_t start = heads->slots[slot].start; /* never 0, for a "<" stands before each head */
    if (start && heads->slots[slot].length == length && memcmp(bytes + start * width, these, (size_t)(length * width)) == 0)
        return heads->slots[slot].kind;
    long kind = looked_up(heads, markup, head, known);
    if (kind >= 0) {
        heads->slots[slot].start = head.start;
        heads->slots[slot].length = length;
        heads->slots[slot].kind = kind;
    }
    return kind;
}
