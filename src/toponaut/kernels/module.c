/* The door: toponaut.kernels._compiled. */

#include "kernels.h"

static PyMethodDef methods[] = {
    {"read", read_text, METH_VARARGS, NULL},
    {"tokens", tokens, METH_VARARGS, NULL},
    {"hash_at", hash_at, METH_VARARGS, NULL},
    {"find", find, METH_VARARGS, NULL},
    {"lookup", lookup, METH_VARARGS, NULL},
    {"scan", scan, METH_VARARGS, NULL},
    {"glance", glance, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "_compiled", .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModuleDef_Init(&module); }
