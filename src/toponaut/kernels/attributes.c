/* The attributes of a tag, as parse/markup.py's pattern finds them. */

#include "kernels.h"

typedef struct {
    PyObject *head;
    Py_ssize_t length, at;
} Scan;

static Py_UCS4 sign_at(const Scan *scan, Py_ssize_t at) { return PyUnicode_READ_CHAR(scan->head, at); }

static bool in_name(const Scan *scan, Py_ssize_t at) {
    Py_UCS4 sign = sign_at(scan, at);
    return sign != '=' && sign != '/' && !Py_UNICODE_ISSPACE(sign);
}

static Py_ssize_t behind_blanks(const Scan *scan, Py_ssize_t at) {
    while (at < scan->length && Py_UNICODE_ISSPACE(sign_at(scan, at))) at++;
    return at;
}

/* Where a value ends that starts at `at`: behind its second quote, or else before white space. */
static Py_ssize_t behind_value(const Scan *scan, Py_ssize_t at) {
    Py_UCS4 quote = sign_at(scan, at);
    if (quote == '"' || quote == '\'') {
        Py_ssize_t close = PyUnicode_FindChar(scan->head, quote, at + 1, scan->length, 1);
        if (close >= 0) return close + 1;
    }
    while (at < scan->length && !Py_UNICODE_ISSPACE(sign_at(scan, at))) at++;
    return at;
}

/* Goes behind the next attribute. Says where its name and its value stand; a value that is none ends where it starts. */
static bool next_attribute(Scan *scan, Py_ssize_t name[2], Py_ssize_t value[2]) {
    while (scan->at < scan->length && !in_name(scan, scan->at)) scan->at++;
    name[0] = scan->at;
    while (scan->at < scan->length && in_name(scan, scan->at)) scan->at++;
    name[1] = value[0] = value[1] = scan->at;
    Py_ssize_t sign = behind_blanks(scan, scan->at);
    if (sign < scan->length && sign_at(scan, sign) == '=') {
        Py_ssize_t start = behind_blanks(scan, sign + 1);
        if (start < scan->length) {
            value[0] = start;
            value[1] = scan->at = behind_value(scan, start);
        }
    }
    return name[0] < name[1];
}

/* A name in lower case. */
static PyObject *name_of(const Scan *scan, const Py_ssize_t name[2]) {
    PyObject *written = PyUnicode_Substring(scan->head, name[0], name[1]);
    bool low = true;
    for (Py_ssize_t at = name[0]; low && at < name[1]; at++) low = sign_at(scan, at) < 128 && !Py_ISUPPER(sign_at(scan, at));
    if (low || !written) return written;
    PyObject *lower = PyObject_CallMethod(written, "lower", NULL);
    Py_DECREF(written);
    return lower;
}

/* A value without its quotes and with its references decoded. */
static PyObject *value_of(const Scan *scan, const Py_ssize_t value[2], PyObject *decode) {
    Py_ssize_t start = value[0], end = value[1];
    if (start < end && (sign_at(scan, start) == '"' || sign_at(scan, start) == '\'')) {
        start++;
        if (start < end) end--;
    }
    PyObject *written = PyUnicode_Substring(scan->head, start, end);
    if (!written || PyUnicode_FindChar(written, '&', 0, end - start, 1) == -1) return written;
    PyObject *decoded = PyObject_CallOneArg(decode, written);
    Py_DECREF(written);
    return decoded;
}

static bool add_attribute(const Scan *scan, const Py_ssize_t at[2], const Py_ssize_t of[2], PyObject *decode, PyObject *found) {
    PyObject *name = name_of(scan, at), *value = NULL;
    int known = name ? PyDict_Contains(found, name) : -1;
    if (known == 0) value = value_of(scan, of, decode);
    bool done = known == 1 || (value && !PyDict_SetItem(found, name, value));
    Py_XDECREF(value);
    Py_XDECREF(name);
    return done;
}

PyObject *attributes(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *decode;
    Scan scan = {0};
    if (!PyArg_ParseTuple(args, "UO", &scan.head, &decode)) return NULL;
    scan.length = PyUnicode_GET_LENGTH(scan.head);
    Py_ssize_t name[2], value[2];
    next_attribute(&scan, name, value); /* the first is the tag's name */
    PyObject *found = PyDict_New();
    bool good = found;
    while (good && next_attribute(&scan, name, value)) good = add_attribute(&scan, name, value, decode, found);
    if (!good) Py_CLEAR(found);
    return found;
}
