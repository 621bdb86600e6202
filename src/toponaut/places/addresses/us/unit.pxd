from toponaut.places.addresses.us.word cimport UsWord

cpdef Py_ssize_t read_units(list[UsWord] words, Py_ssize_t at) except? -1
cpdef Py_ssize_t box_end(list[UsWord] words, Py_ssize_t at) except? -1
