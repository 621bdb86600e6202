/* What the compiled kernels share. __init__.py says what they are, and what each takes and gives.

   Characters are read where Python keeps them, so that nothing is encoded first: the limited API does not offer that. No function keeps anything from one call to the next, and none trusts an offset or a length:
   what does not fit raises ValueError before it is read. */

#ifndef TOPONAUT_KERNELS_H
#define TOPONAUT_KERNELS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#if PY_BIG_ENDIAN
#error "bits are gathered from bytes in little-endian order; vector operations serve here"
#endif

/* One loop over the characters of `text` for each width they may have: to ask for the width at every character would
   take longer than most of what is done there, and keep compilers from doing it to 16 at once. */
#define EACH_OF(type, ...)                                                  \
    {                                                                       \
        const type *signs = PyUnicode_DATA(text);                           \
        for (Py_ssize_t i = 0; i < length; i++) __VA_ARGS__                 \
    }
#define BY_WIDTH(each, ...)                                                 \
    if (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND)                       \
        each(Py_UCS1, __VA_ARGS__)                                          \
    else if (PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND)                  \
        each(Py_UCS2, __VA_ARGS__)                                          \
    else                                                                    \
        each(Py_UCS4, __VA_ARGS__)
#define EACH_SIGN(...) BY_WIDTH(EACH_OF, __VA_ARGS__)

static inline PyObject *refused(const char *why) {
    PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

static inline uint64_t eight(const uint8_t *bytes) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number); /* wherever it begins; compilers make one load of it */
    return number;
}

static inline uint64_t folded_in(uint64_t value) { return value ^ (value >> 32); }

/* The hash of 16 bytes: of tokens as in places/tokens.py. */
static inline uint64_t hash_of_block(uint64_t low, uint64_t high) {
    return folded_in((folded_in(low * 0x9E3779B97F4A7C15) + high) * 0xD6E8FEB86659FD93);
}

/* The lowest bits of 64 bytes (fewer where a text ends), shifted down first, as bits. The factor moves that of byte i to
   bit 56 + i. */
static inline uint64_t lowest_bits(const uint8_t *bytes, Py_ssize_t count, int shift) {
    uint8_t padded[64];
    if (count < 64) {
        memset(padded, 0, sizeof padded);
        bytes = memcpy(padded, bytes, count);
    }
    uint64_t bits = 0;
    for (int k = 0; k < 8; k++) {
        uint64_t lowest = eight(bytes + 8 * k) >> shift & 0x0101010101010101;
        bits |= lowest * 0x0102040810204080 >> 56 << 8 * k;
    }
    return bits;
}

PyObject *read_text(PyObject *self, PyObject *args);
PyObject *tokens(PyObject *self, PyObject *args);
PyObject *hash_at(PyObject *self, PyObject *args);
PyObject *find(PyObject *self, PyObject *args);
PyObject *lookup(PyObject *self, PyObject *args);
PyObject *scan(PyObject *self, PyObject *args);
PyObject *glance(PyObject *self, PyObject *args);

#endif
