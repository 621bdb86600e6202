# C types of vocabulary.py, for evidence.py and weighing.py.
cdef class WordFacts:
    cdef readonly bint upper
    cdef readonly int cues
    cdef readonly int common
    cdef readonly int given
    cdef readonly int surname
    cdef readonly Py_ssize_t length


cdef class Vocabulary:
    cdef const unsigned long long[::1] _words
    cdef const signed char[:, ::1] _classes
    cdef dict _cues

    cpdef WordFacts word(self, unsigned long long hash_, bint upper, Py_ssize_t length)


cpdef Py_ssize_t sorted_index(const unsigned long long[::1] keys, unsigned long long key) except? -1
