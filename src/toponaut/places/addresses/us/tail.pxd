from toponaut.places.addresses.us.word cimport UsWord


cdef class Tail:
    cdef readonly int strength
    cdef readonly Py_ssize_t city_start
    cdef readonly Py_ssize_t city_stop
    cdef readonly str state
    cdef readonly str code
    cdef readonly Py_ssize_t stop
    cdef readonly int known


cpdef Tail read_tail(list[UsWord] words, Py_ssize_t at, object towns, int alone=*)
cpdef str name_of(list[UsWord] words, Py_ssize_t start, Py_ssize_t stop)
