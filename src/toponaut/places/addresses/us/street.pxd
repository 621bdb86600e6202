from toponaut.places.addresses.us.word cimport UsWord


cdef class UsStreet:
    cdef readonly int kind
    cdef readonly Py_ssize_t stop
    cdef readonly bint strong


cpdef list[UsStreet] read_streets(list[UsWord] words, Py_ssize_t at)
cpdef Py_ssize_t directed(list[UsWord] words, Py_ssize_t at) except? -1
