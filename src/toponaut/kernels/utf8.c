/* A text's UTF-8, made once and kept in the text.

   Python keeps the UTF-8 of a text in it as soon as somebody has asked for it (PyUnicode_AsUTF8AndSize), and whoever packs the
   text afterwards copies it from there. A page's text is asked for two or three times: for its simhash, on its way from a
   reading process, for the log. Here it is made eight characters at a time, and a text that arrives as UTF-8 keeps that. */

#include "kernels.h"

#ifdef Py_GIL_DISABLED
#define KEEPS 0 /* others may be reading the text meanwhile */
#else
#define KEEPS 1
#endif

/* Where Python keeps the UTF-8 of a text that has more than ASCII. */
static PyCompactUnicodeObject *keeper(PyObject *text) {
    bool keeps = KEEPS && PyUnicode_IS_COMPACT(text) && !PyUnicode_IS_ASCII(text);
    return keeps ? (PyCompactUnicodeObject *)text : NULL;
}

/* How long the UTF-8 of some characters is, or -1 if they have a surrogate, which has none. */
#define SIZE_OF(type, ...)                                                                                  \
    {                                                                                                       \
        const type *signs = PyUnicode_DATA(text);                                                           \
        Py_ssize_t surrogates = 0;                                                                          \
        for (Py_ssize_t i = 0; i < length; i++) {                                                           \
            uint32_t sign = signs[i];                                                                       \
            size += (sign >= 0x80) + (sign >= 0x800) + (sign >= 0x10000);                                   \
            surrogates += sign - 0xD800 < 0x800;                                                            \
        }                                                                                                   \
        if (surrogates) size = -1;                                                                          \
    }

static inline uint8_t *write_sign(uint8_t *out, uint32_t sign) {
    if (sign < 0x80) {
        *out++ = (uint8_t)sign;
    } else if (sign < 0x800) {
        *out++ = (uint8_t)(0xC0 | sign >> 6);
        *out++ = (uint8_t)(0x80 | (sign & 0x3F));
    } else {
        if (sign < 0x10000) {
            *out++ = (uint8_t)(0xE0 | sign >> 12);
        } else {
            *out++ = (uint8_t)(0xF0 | sign >> 18);
            *out++ = (uint8_t)(0x80 | (sign >> 12 & 0x3F));
        }
        *out++ = (uint8_t)(0x80 | (sign >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (sign & 0x3F));
    }
    return out;
}

#define WRITE_OF(type, ...)                                                                                 \
    {                                                                                                       \
        const type *signs = PyUnicode_DATA(text);                                                           \
        Py_ssize_t i = 0;                                                                                   \
        for (; i + 8 <= length; i += 8) {                                                                   \
            uint32_t all = 0;                                                                               \
            for (int k = 0; k < 8; k++) all |= signs[i + k];                                                \
            if (all < 0x80) {                                                                               \
                for (int k = 0; k < 8; k++) out[k] = (uint8_t)signs[i + k];                                 \
                out += 8;                                                                                   \
            } else {                                                                                        \
                for (int k = 0; k < 8; k++) out = write_sign(out, signs[i + k]);                            \
            }                                                                                               \
        }                                                                                                   \
        for (; i < length; i++) out = write_sign(out, signs[i]);                                            \
    }

const char *utf8_of(PyObject *text, Py_ssize_t *size_out) {
    PyCompactUnicodeObject *kept = keeper(text);
    if (kept == NULL || kept->utf8 != NULL) return PyUnicode_AsUTF8AndSize(text, size_out);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), size = length;
    BY_WIDTH(SIZE_OF, )
    uint8_t *out = size < 0 ? NULL : PyObject_Malloc(size + 1);
    if (out == NULL) return PyUnicode_AsUTF8AndSize(text, size_out); /* it says what is wrong */
    char *utf8 = (char *)out;
    BY_WIDTH(WRITE_OF, )
    *out = 0;
    kept->utf8 = utf8;
    kept->utf8_length = *size_out = size;
    return utf8;
}

PyObject *text_of(PyObject *Py_UNUSED(self), PyObject *data) {
    Py_buffer view;
    if (PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) < 0) return NULL;
    PyObject *text = PyUnicode_DecodeUTF8(view.buf, view.len, NULL);
    PyCompactUnicodeObject *kept = text == NULL ? NULL : keeper(text);
    if (kept != NULL && kept->utf8 == NULL) {
        char *utf8 = PyObject_Malloc(view.len + 1);
        if (utf8 != NULL) { /* else it is made when it is asked for */
            memcpy(utf8, view.buf, view.len);
            utf8[view.len] = 0;
            kept->utf8 = utf8;
            kept->utf8_length = view.len;
        }
    }
    PyBuffer_Release(&view);
    return text;
}
