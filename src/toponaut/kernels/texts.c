/* Where things stand in a text, and its simhash. */

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

/* --- simhash ------------------------------------------------------------------------------------------------------ */

enum { SHINGLE = 16, UNSPACED = 0xE0, LANE = 255 };

/* Marks where shingles begin: behind white space and at letters of scripts without it, whose own lowest bit is set unless
   `all`. Says whether there are any. */
static bool begins_of(const uint8_t *letters, Py_ssize_t length, bool all, uint8_t *begins) {
    uint8_t any = begins[0] = (letters[0] | all) & 1;
    for (Py_ssize_t i = 1; i < length; i++) {
        any |= begins[i] = ((letters[i - 1] <= ' ') | (letters[i] >= UNSPACED)) & (letters[i] | all);
    }
    return any;
}

/* How many shingles there are, and how many of their hashes have each bit. Bits are counted eight at a time, each in a
   byte lane of one sum. */
static Py_ssize_t votes_of(const uint8_t *letters, Py_ssize_t length, const uint8_t *begins, int64_t *votes) {
    Py_ssize_t count = 0;
    uint64_t lanes[8] = {0};
    for (Py_ssize_t i = 0; i < length; i += 64) {
        for (uint64_t bits = lowest_bits(begins + i, length - i, 0); bits; bits &= bits - 1) {
            Py_ssize_t at = i + __builtin_ctzll(bits);
            uint8_t padded[SHINGLE] = {0};
            const uint8_t *shingle = length - at < SHINGLE ? memcpy(padded, letters + at, length - at) : letters + at;
            uint64_t hash = hash_of_block(eight(shingle), eight(shingle + 8));
            for (int bit = 0; bit < 8; bit++) lanes[bit] += hash >> bit & 0x0101010101010101;
            if (++count % LANE == 0) {
                for (int bit = 0; bit < 64; bit++) votes[bit] += lanes[bit % 8] >> (bit & ~7) & 0xFF;
                memset(lanes, 0, sizeof lanes);
            }
        }
    }
    for (int bit = 0; bit < 64; bit++) votes[bit] += lanes[bit % 8] >> (bit & ~7) & 0xFF;
    return count;
}

PyObject *simhash(PyObject *Py_UNUSED(self), PyObject *text) {
    PyObject *encoded = NULL;
    Py_ssize_t length;
    const uint8_t *letters = (const uint8_t *)utf8_of(text, &length);
    if (letters == NULL) { /* half a surrogate pair */
        PyErr_Clear();
        encoded = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
        if (encoded == NULL) return NULL;
        letters = (const uint8_t *)PyBytes_AS_STRING(encoded);
        length = PyBytes_GET_SIZE(encoded);
    }
    int64_t votes[64] = {0};
    uint64_t bits = 0;
    uint8_t *begins = PyMem_Malloc(length + 1);
    if (begins != NULL && length > 0) {
        if (!begins_of(letters, length, false, begins)) begins_of(letters, length, true, begins); /* a few words */
        Py_ssize_t count = votes_of(letters, length, begins, votes);
        for (int bit = 0; bit < 64; bit++) bits |= (uint64_t)(2 * votes[bit] > count) << bit;
    }
    Py_XDECREF(encoded);
    PyMem_Free(begins);
    return begins == NULL ? PyErr_NoMemory() : PyLong_FromUnsignedLongLong(bits ? bits : 1);
}
