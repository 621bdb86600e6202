from toponaut.places.addresses.us.street cimport UsStreet, directed, read_streets
from toponaut.places.addresses.us.tail cimport Tail, read_tail
from toponaut.places.addresses.us.unit cimport read_units
from toponaut.places.addresses.us.word cimport UsWord


cdef class UsReading:
    cdef readonly double score
    cdef readonly UsStreet street
    cdef readonly Py_ssize_t units_stop
    cdef readonly Tail tail
    cdef readonly bint direct


cpdef UsReading best_reading(list[UsWord] words, object towns)
cpdef bint begins_street(list[UsWord] words, Py_ssize_t index) except -1
