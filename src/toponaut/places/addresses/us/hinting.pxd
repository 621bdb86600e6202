cpdef bint is_hinted(str text, Py_ssize_t at) except? -1
