/* The tags of plain links: PLAIN_LINK of parse/kinds.py by hand. */

#include "flow.h"

enum { LONGEST_HOST = 255 };

typedef struct {
    Span origin, path, href, title, rel;
} Strings;

static bool in_path(Py_UCS4 sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9') || sign == '-' ||
           sign == '_' || sign == '~';
}

static bool in_host(Py_UCS4 sign) { return (in_path(sign) && sign != '~') || sign == '.' || sign == ':'; }

/* Where a plain origin ends that begins an address, or else where the address begins. */
BY_SIGNS Py_ssize_t origin_end(Signs signs, Span value) {
    Py_ssize_t host = value.start;
    if (begins(signs, value, "http://", false)) host += 7;
    if (begins(signs, value, "https://", false)) host += 8;
    Py_ssize_t at = host;
    while (host > value.start && at < value.end && at - host < LONGEST_HOST && in_host(sign_at(signs, at))) at++;
    return at > host ? at : value.start;
}

/* Whether all of a stretch is a plain path: "/", or segments that begin with no dot. */
BY_SIGNS bool is_path(Signs signs, Py_ssize_t at, Py_ssize_t end) {
    if (at >= end) return false;
    while (at < end && sign_at(signs, at) == '/') {
        if (++at == end) return true;
        if (!in_path(sign_at(signs, at))) return false;
        while (at < end && (in_path(sign_at(signs, at)) || sign_at(signs, at) == '.')) at++;
    }
    return at == end;
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
    Py_UCS4 sign = 0;
    while (name.end < end && (((sign = sign_at(signs, name.end)) >= 'a' && sign <= 'z') || sign == '-')) name.end++;
    if (sign_at(signs, at) != ' ' || name.start == name.end || !begins(signs, (Span){name.end, end}, "=\"", false)) return 0;
    Span value = {name.end + 2, name.end + 2};
    bool has_reference = false;
    for (; value.end < end && (sign = sign_at(signs, value.end)) != '"'; value.end++) {
        if (sign == '>') return 0;
        has_reference |= sign == '&';
    }
    return value.end < end && take(signs, name, value, has_reference, found) ? value.end + 1 : 0;
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
