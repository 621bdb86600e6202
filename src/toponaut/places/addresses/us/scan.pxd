from toponaut.places.addresses.us.word cimport UsWord

cpdef list[UsWord] read_words(str text, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t most=*)
cpdef Py_ssize_t word_start(str text, Py_ssize_t at, Py_ssize_t stop) except? -1
cpdef Py_ssize_t word_end(str text, Py_ssize_t at, Py_ssize_t stop) except? -1
cpdef bint is_cut(str text, Py_ssize_t end, Py_ssize_t stop) except? -1
cpdef str key_of(str word)
cpdef int gap_between(str text, Py_ssize_t at, Py_ssize_t end) except? -1
