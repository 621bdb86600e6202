/* The tags of plain links: PLAIN_LINK of parse/kinds.py by hand. */

#include "flow.h"

enum { LONGEST_HOST = 255 };

typedef struct {
    Span origin, path, href, title, rel;
} Strings;

/* What a sign may be in. By a table, for what the next sign is no processor can guess, and a wrong guess takes as long as
   ten signs. */
enum { IN_NAME = 1, IN_HOST = 2, IN_PATH = 4, DOT = 8, SLASH = 16 };
static const uint8_t classes[128] = {
    ['a' ... 'z'] = IN_NAME | IN_HOST | IN_PATH, ['A' ... 'Z'] = IN_HOST | IN_PATH, ['0' ... '9'] = IN_HOST | IN_PATH,
    ['-'] = IN_NAME | IN_HOST | IN_PATH,         ['_'] = IN_HOST | IN_PATH,         ['~'] = IN_PATH,
    ['.'] = IN_HOST | DOT,                       [':'] = IN_HOST,                   ['/'] = SLASH,
};

BY_SIGNS uint8_t class_at(Signs signs, Py_ssize_t at) {
    Py_UCS4 sign = sign_at(signs, at);
    return sign < sizeof classes ? classes[sign] : 0;
}

/* Where a plain origin ends that begins an address, or else where the address begins. */
BY_SIGNS Py_ssize_t origin_end(Signs signs, Span value) {
    Py_ssize_t host = value.start;
    if (begins(signs, value, "http://", false)) host += 7;
    if (begins(signs, value, "https://", false)) host += 8;
    Py_ssize_t at = host;
    while (host > value.start && at < value.end && at - host < LONGEST_HOST && class_at(signs, at) & IN_HOST) at++;
    return at > host ? at : value.start;
}

/* Whether all of a stretch is a plain path: a slash first, and behind each, unless it is the last sign, no dot or slash. */
BY_SIGNS bool is_path(Signs signs, Py_ssize_t at, Py_ssize_t end) {
    if (at >= end || class_at(signs, at) != SLASH) return false;
    uint8_t is_bad = 0;
    for (uint8_t before = SLASH; ++at < end;) {
        uint8_t class = class_at(signs, at);
        is_bad |= !class | (before == SLASH && !(class & IN_PATH)) | (class == IN_HOST);
        before = class;
    }
    return !is_bad;
}

BY_SIGNS void set_address(Signs signs, Span value, Strings *found) {
    Py_ssize_t path = origin_end(signs, value);
    if (!is_path(signs, path, value.end)) {
        found->href = value;
        return;
    }
    found->path = (Span){path, value.end};
    if (path > value.start) found->origin = (Span){value.start, path};
}

/* Takes over an attribute; false for one that keeps the tag from being plain. */
BY_SIGNS bool take(Signs signs, Span name, Span value, bool has_reference, Strings *found) {
    static const char *const words[] = {"href", "title", "rel", "style", "hidden"};
    for (int k = 0; k < 5; k++) {
        Py_ssize_t length = (Py_ssize_t)strlen(words[k]);
        if (!begins(signs, name, words[k], false)) continue;
        if (k > 2 || has_reference || name.end - name.start != length) return false;
        if (k == 0 && (found->path.end || found->href.end)) return false;
        if (k == 0) set_address(signs, value, found);
        if (k > 0) *(k == 1 ? &found->title : &found->rel) = value;
    }
    return true;
}

/* Reads ` name="value"`: where it ends, or 0 if that is not what stands there. */
BY_SIGNS Py_ssize_t attribute(Signs signs, Py_ssize_t at, Py_ssize_t end, Strings *found) {
    Span name = {at + 1, at + 1};
    while (name.end < end && class_at(signs, name.end) & IN_NAME) name.end++;
    if (sign_at(signs, at) != ' ' || name.start == name.end || !begins(signs, (Span){name.end, end}, "=\"", false)) return 0;
    Span value = {name.end + 2, name.end + 2};
    bool has_reference = false;
    Py_UCS4 sign = 0;
    for (; value.end < end && (sign = sign_at(signs, value.end)) != '"' && sign != '>'; value.end++) has_reference |= sign == '&';
    return value.end < end && sign == '"' && take(signs, name, value, has_reference, found) ? value.end + 1 : 0;
}

static PyObject *tuple_of(PyObject *text, const Span *spans, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t k = 0; tuple != NULL && k < count; k++) {
        PyObject *part = string_of(text, spans[k]);
        if (part == NULL) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, k, part);
    }
    return tuple;
}

/* Where the tag ends; 0 if it is not plain. */
BY_SIGNS Py_ssize_t tag_end(Signs signs, Span span, Strings *found) {
    if (!begins(signs, span, "a", false)) return 0;
    for (Py_ssize_t at = span.start + 1; at > 0 && at < span.end; at = attribute(signs, at, span.end, found)) {
        if (sign_at(signs, at) == '>') return at + 1;
    }
    return 0;
}

bool is_plain_link(PyObject *text, Span head) {
    Strings found = {0};
    Signs signs = signs_of(text);
    return FOR_WIDTH(signs, tag_end(signs, (Span){head.start, head.end + 1}, &found)) > 0;
}

Py_ssize_t plain_link(PyObject *text, Span span, PyObject **target) {
    Strings found = {0};
    Signs signs = signs_of(text);
    Py_ssize_t end = FOR_WIDTH(signs, tag_end(signs, span, &found));
    if (end == 0) return 0;
    Span spans[] = {found.origin, found.path, found.href, found.title, found.rel};
    *target = tuple_of(text, spans, 5);
    return *target == NULL ? -1 : end;
}
