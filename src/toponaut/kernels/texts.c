/* Signs of a text. */

#include "kernels.h"

/* --- signs -------------------------------------------------------------------------------------------------------- */

/* Does something for each character that is none of the printed ones of ASCII: `signs[at]`, a Sign. Sixty-four are looked
   at once: nearly all of a page's are printed. */
#define EACH_ODD_OF(type, ...)                                                                               \
    {                                                                                                        \
        typedef type Sign;                                                                                   \
        const Sign *signs = PyUnicode_DATA(text);                                                            \
        for (Py_ssize_t i = 0; i < length; i += 64) {                                                        \
            int count = length - i < 64 ? (int)(length - i) : 64;                                            \
            uint8_t odd[64] = {0};                                                                           \
            if (count == 64)                                                                                 \
                for (int k = 0; k < 64; k++) odd[k] = (Sign)(signs[i + k] - ' ') > '~' - ' ';                \
            else                                                                                             \
                for (int k = 0; k < count; k++) odd[k] = (Sign)(signs[i + k] - ' ') > '~' - ' ';             \
            for (uint64_t bits = lowest_bits(odd, 64, 0); bits; bits &= bits - 1) {                          \
                Py_ssize_t at = i + __builtin_ctzll(bits);                                                   \
                __VA_ARGS__                                                                                  \
            }                                                                                                \
        }                                                                                                    \
    }
#define EACH_ODD(...) BY_WIDTH(EACH_ODD_OF, __VA_ARGS__)

enum { BLANK = 1 }; /* what a table says of white space; more than that of signs for which no space will do */

PyObject *spaced(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *text, *answer = NULL;
    Py_buffer table;
    if (!PyArg_ParseTuple(args, "Uy*", &text, &table)) return NULL;
    const uint8_t *said = table.buf;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    size_t codes = (size_t)table.len, size = (size_t)length * PyUnicode_KIND(text);
    uint8_t all = 0;
    void *out = PyMem_Malloc(size + 1);
    if (out == NULL) {
        PyErr_NoMemory();
    } else {
        memcpy(out, PyUnicode_DATA(text), size);
        EACH_ODD({
            uint8_t what = signs[at] < codes ? said[signs[at]] : 0;
            all |= what;
            if (what == BLANK) ((Sign *)out)[at] = ' ';
        })
        if (all > BLANK) answer = Py_NewRef(Py_None);
        else answer = all ? PyUnicode_FromKindAndData(PyUnicode_KIND(text), out, length) : Py_NewRef(text);
    }
    PyMem_Free(out);
    PyBuffer_Release(&table);
    return answer;
}

PyObject *present(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *text, *wanted, *found = NULL;
    if (!PyArg_ParseTuple(args, "UU", &text, &wanted)) return NULL;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), asked = PyUnicode_GET_LENGTH(wanted), found_signs = 0;
    int width = PyUnicode_KIND(text);
    size_t most = width == PyUnicode_1BYTE_KIND ? 0x100 : width == PyUnicode_2BYTE_KIND ? 0x10000 : 0x110000;
    /* A byte for every character there may be: to mark all that come is quicker than to ask whether each is wanted. */
    uint8_t *seen = PyMem_Calloc(most, 1);
    Py_UCS4 *out = PyMem_Calloc(asked + 1, sizeof *out);
    if (seen == NULL || out == NULL) {
        PyErr_NoMemory();
    } else {
        EACH_ODD({ seen[signs[at]] = 1; })
        for (Py_ssize_t k = 0; k < asked; k++) {
            Py_UCS4 sign = PyUnicode_READ_CHAR(wanted, k);
            if (sign < most && seen[sign]) out[found_signs++] = sign;
        }
        found = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, out, found_signs);
    }
    PyMem_Free(seen);
    PyMem_Free(out);
    return found;
}
