# C types of word.py, for the compiled modules that read words.
cdef class UsWord:
    cdef readonly str text
    cdef readonly str key
    cdef readonly Py_ssize_t start
    cdef readonly Py_ssize_t end
    cdef readonly int gap
    cdef readonly bint is_name
