/* What a glance (places/glance.py) is made of: the gazetteer, the weights of evidence, what it has seen. */

#ifndef TOPONAUT_GLANCE_H
#define TOPONAUT_GLANCE_H

#include "map.h"
#include "names.h"

enum { CODE, JOINED, WEAK, ALIAS, PRIMARY };                  /* how well a place bears a name, as in places/gazetteer.py */
enum { CONTINENT, COUNTRY, STATE, COUNTY, CITY, LINEAGE = 4 }; /* levels of places; a lineage has the first four */

typedef struct {
    Names names;
    const double *odds;           /* by name */
    const int32_t *posting_start; /* by name, and one more */
    const int32_t *posting_row;
    const uint8_t *posting_quality;
    Py_ssize_t postings, rows;
    const int64_t *ids; /* by row, as those below */
    const uint8_t *levels;
    const int32_t *lineage;
    const float *prior;
} Gazetteer;

/* In the order of `_WEIGHTS` in places/glance.py, where they come from. */
typedef struct {
    double explicit_, after_locative, sure, least;
    double size, by_alias, by_weak_alias, part_of_town, namesake, large_namesake, town;
    double temperature, faint, same_country, same_state, company, reserve;
    double forlorn, exonym, alias_abroad;
    double town_abroad[3], state_abroad[3]; /* most, obscure, famous */
} Weights;

/* What a glance has seen so far. */
typedef struct {
    Map beliefs; /* by name: how often it is believed */
    Map settled; /* by name: the row that it is settled on */
} Look;

/* Some postings of a name: from `begin` on, before `stop`. */
typedef struct {
    Py_ssize_t begin, stop;
} Postings;

static inline Postings postings_of(const Gazetteer *gazetteer, int64_t name) {
    Py_ssize_t begin = gazetteer->posting_start[name], stop = gazetteer->posting_start[name + 1];
    return (Postings){begin < 0 ? 0 : begin, stop < gazetteer->postings ? stop : gazetteer->postings};
}

/* The row of a posting; a damaged one is the first, so that nothing beyond the gazetteer is read. */
static inline int32_t row_of(const Gazetteer *gazetteer, Py_ssize_t posting) {
    int32_t row = gazetteer->posting_row[posting];
    return row >= 0 && row < gazetteer->rows ? row : 0;
}

static inline bool lies_under(const Gazetteer *gazetteer, int32_t row, int32_t area) {
    const int32_t *above = gazetteer->lineage + (Py_ssize_t)LINEAGE * row;
    return (above[0] == area) | (above[1] == area) | (above[2] == area) | (above[3] == area);
}

/* Glances._placed: a new dict of weights by the places' ids. */
PyObject *placed(const Gazetteer *gazetteer, const Weights *weights, const Look *look, PyObject *home, bool english);

#endif
