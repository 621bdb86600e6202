from toponaut.places.addresses.us.scan cimport gap_between, is_cut, key_of, word_end, word_start

cpdef bint is_promising(str text, Py_ssize_t at) except? -1
