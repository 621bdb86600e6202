/* Where fingerprints stand in the table of seen URLs (frontier/table.py says how it is laid out). */

#include "kernels.h"

enum { WIDTH = 8 }; /* cells of a bucket */

typedef struct {
    const uint64_t *keys;
    uint64_t last; /* bucket; there are a power of two of them */
    int shift;     /* leaves the bits of a fingerprint that name its bucket */
} Table;

static int64_t cell_of(Table table, uint64_t fingerprint) {
    uint64_t bucket = fingerprint >> table.shift & table.last;
    for (uint64_t tried = 0; tried <= table.last; tried++) {
        const uint64_t *row = table.keys + bucket * WIDTH;
        for (int k = 0; k < WIDTH; k++) {
            if (row[k] == fingerprint) return (int64_t)(bucket * WIDTH) + k;
        }
        if (!row[WIDTH - 1]) return -1;
        bucket = (bucket + 1) & table.last;
    }
    return -1;
}

/* Makes a table of a buffer; false, with the exception set, where it is none. */
static bool is_table(const Py_buffer *keys, Table *table) {
    uint64_t buckets = (uint64_t)keys->len / (WIDTH * sizeof(uint64_t));
    if (buckets < 2 || buckets & (buckets - 1) || (uint64_t)keys->len != buckets * WIDTH * sizeof(uint64_t)) {
        refused("a table has a power of two of buckets, two at least");
        return false;
    }
    *table = (Table){keys->buf, buckets - 1, 64 - __builtin_ctzll(buckets)};
    return true;
}

static PyObject *cells_in(Table table, const uint8_t *fingerprints, Py_ssize_t count) {
    PyObject *cells = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (cells == NULL) return NULL;
    int64_t *cell = (int64_t *)PyBytes_AS_STRING(cells);
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t fingerprint = eight(fingerprints + i * (Py_ssize_t)sizeof fingerprint);
        cell[i] = cell_of(table, fingerprint ? fingerprint : 1);
    }
    return cells;
}

PyObject *cells(PyObject *Py_UNUSED(self), PyObject *args) {
    Py_buffer keys, fingerprints;
    PyObject *found = NULL;
    if (!PyArg_ParseTuple(args, "y*y*", &keys, &fingerprints)) return NULL;
    Table table;
    if (fingerprints.len % (Py_ssize_t)sizeof(uint64_t)) {
        refused("a fingerprint has eight bytes");
    } else if (is_table(&keys, &table)) {
        found = cells_in(table, fingerprints.buf, fingerprints.len / (Py_ssize_t)sizeof(uint64_t));
    }
    PyBuffer_Release(&keys);
    PyBuffer_Release(&fingerprints);
    return found;
}

/* For a page's links: numbers of Python in, no arrays made. */
PyObject *known(PyObject *Py_UNUSED(self), PyObject *args) {
    Py_buffer keys;
    PyObject *fingerprints, *there = NULL;
    if (!PyArg_ParseTuple(args, "y*O!", &keys, &PyList_Type, &fingerprints)) return NULL;
    Table table;
    if (is_table(&keys, &table)) there = PyList_New(PyList_GET_SIZE(fingerprints));
    for (Py_ssize_t i = 0; there != NULL && i < PyList_GET_SIZE(there); i++) {
        uint64_t fingerprint = PyLong_AsUnsignedLongLong(PyList_GET_ITEM(fingerprints, i));
        if (fingerprint == UINT64_MAX && PyErr_Occurred()) Py_CLEAR(there);
        else PyList_SET_ITEM(there, i, PyBool_FromLong(cell_of(table, fingerprint ? fingerprint : 1) >= 0));
    }
    PyBuffer_Release(&keys);
    return there;
}
