/* Bytes as letters. */

#include "kernels.h"

/* RFC 4648, 6: five bytes are eight letters. */
PyObject *base32(PyObject *Py_UNUSED(self), PyObject *bytes) {
    if (!PyBytes_Check(bytes) || PyBytes_GET_SIZE(bytes) % 5) return refused("five bytes are eight letters");
    Py_ssize_t groups = PyBytes_GET_SIZE(bytes) / 5;
    PyObject *text = PyUnicode_New(8 * groups, 127);
    if (text == NULL) return NULL;
    const uint8_t *five = (const uint8_t *)PyBytes_AS_STRING(bytes);
    Py_UCS1 *letters = PyUnicode_1BYTE_DATA(text);
    for (; groups > 0; groups--, five += 5, letters += 8) {
        uint64_t bits = (uint64_t)five[0] << 32 | (uint64_t)five[1] << 24 | five[2] << 16 | five[3] << 8 | five[4];
        for (int k = 0; k < 8; k++) letters[k] = (Py_UCS1) "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits >> (35 - 5 * k) & 31];
    }
    return text;
}
