# C types of evidence.py, for weighing.py.
from toponaut.places.names.vocabulary cimport WordFacts


cdef class NameFacts:
    cdef readonly double odds
    cdef readonly bint single
    cdef readonly bint small
    cdef readonly bint common
    cdef readonly bint given
    cdef readonly bint surname
    cdef readonly int level


cdef class MatchEvidence:
    cdef NameFacts name
    cdef WordFacts before
    cdef WordFacts further
    cdef WordFacts after
    cdef Py_ssize_t length
    cdef bint ends_upper
    cdef double capitals
    cdef bint in_lower_case
    cdef bint opens
    cdef bint stopped
    cdef bint tied
    cdef bint explicit
    cdef bint acronym
    cdef WordFacts beyond


cpdef double match_odds(MatchEvidence match) except? -1
cpdef bint is_country_code(MatchEvidence match) except? -1
cpdef bint is_sure(MatchEvidence match) except? -1
cpdef bint is_person(WordFacts word) except? -1
