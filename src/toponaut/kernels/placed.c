/* Which places the names of a text are, at a glance: Glances._placed (places/glance.py). */

#include "glance.h"

#include <math.h>

enum { CANDIDATES = 5 };

typedef struct {
    int32_t row, country, state; /* -1 where there is none */
    uint8_t level, quality;
    double size, score;
    double own;    /* what its own name says for its country and state */
    double abroad; /* which share of belief in it is left where the text is not at home */
} Candidate;

/* What a name may mean, likeliest first. */
typedef struct {
    Candidate candidates[CANDIDATES];
    int count;
    bool settled;
    double belief;
} Meant;

/* --- what a name may mean ----------------------------------------------------------------------------------------- */

/* Those that bear a name, or the one that it is settled on (-1: none). */
static void find_candidates(const Gazetteer *gazetteer, int64_t name, int64_t settled, Meant *meant) {
    Postings of = postings_of(gazetteer, name);
    for (Py_ssize_t k = of.begin; k < of.stop && meant->count < CANDIDATES; k++) {
        int32_t row = row_of(gazetteer, k);
        uint8_t quality = gazetteer->posting_quality[k];
        if (settled >= 0 ? row != settled : quality < WEAK) continue;
        const int32_t *above = gazetteer->lineage + (Py_ssize_t)LINEAGE * row;
        meant->candidates[meant->count++] = (Candidate){
            .row = row, .country = above[COUNTRY], .state = above[STATE],
            .level = gazetteer->levels[row], .quality = quality, .size = gazetteer->prior[row],
        };
    }
}

static bool is_city(const Candidate *one) { return one->level == CITY && one->quality >= ALIAS; }

/* Whether a city of the same name stands by a state or county: a large one, or a town in it. */
static bool has_namesake(const Gazetteer *gazetteer, const Weights *weights, const Meant *meant, int32_t area) {
    for (int k = 0; k < meant->count; k++) {
        const Candidate *one = meant->candidates + k;
        if (!is_city(one)) continue;
        if (one->size >= weights->large_namesake) return true;
        if (one->size > weights->town && lies_under(gazetteer, one->row, area)) return true;
    }
    return false;
}

/* resolve.prior, and the likeliest first. */
static void rank(const Gazetteer *gazetteer, const Weights *weights, Meant *meant) {
    for (int k = 0; k < meant->count; k++) {
        Candidate *one = meant->candidates + k;
        one->score = weights->size * one->size;
        one->score += weights->by_alias * (one->quality == ALIAS) + weights->by_weak_alias * (one->quality < ALIAS);
        one->score += weights->part_of_town * (one->level > CITY);
        bool is_area = one->level == STATE || one->level == COUNTY;
        if (is_area && has_namesake(gazetteer, weights, meant, one->row)) one->score += weights->namesake;
    }
    for (int k = 1; k < meant->count; k++) {
        Candidate one = meant->candidates[k];
        int at = k;
        for (; at > 0 && meant->candidates[at - 1].score < one.score; at--) meant->candidates[at] = meant->candidates[at - 1];
        meant->candidates[at] = one;
    }
}

/* evidence.abroad */
static double abroad(const Weights *weights, const Candidate *one) {
    bool foreign = one->quality < PRIMARY;
    if (one->level <= COUNTRY) return weights->exonym * foreign;
    const double *of = one->level == STATE ? weights->state_abroad : weights->town_abroad;
    double share = (of[2] - one->size) / (of[2] - of[1]);
    return of[0] * fmin(fmax(share, 0.0), 1.0) + weights->alias_abroad * foreign;
}

/* How much a name speaks for countries and states. */
typedef struct {
    int32_t area[2 * CANDIDATES];
    double vote[2 * CANDIDATES];
    int count;
} Votes;

static double vote_for(const Votes *votes, int32_t area) {
    for (int k = 0; k < votes->count; k++) {
        if (votes->area[k] == area) return votes->vote[k];
    }
    return 0.0;
}

static void vote(Votes *votes, int32_t area, double loudness) {
    int k = 0;
    while (k < votes->count && votes->area[k] != area) k++;
    if (k == votes->count) votes->area[votes->count++] = area, votes->vote[k] = 0.0;
    votes->vote[k] = fmax(votes->vote[k], loudness);
}

static void count_votes(const Weights *weights, Meant *meant, Votes *votes) {
    double heard[CANDIDATES], total = 0.0;
    for (int k = 0; k < meant->count; k++) {
        heard[k] = exp((meant->candidates[k].score - meant->candidates[0].score) / weights->temperature);
        total += heard[k];
    }
    for (int k = 0; k < meant->count; k++) {
        const Candidate *one = meant->candidates + k;
        if (!(heard[k] > weights->faint * total)) continue;
        if (one->country >= 0) vote(votes, one->country, heard[k] / total);
        if (one->state >= 0) vote(votes, one->state, heard[k] / total);
    }
    for (int k = 0; k < meant->count; k++) {
        Candidate *one = meant->candidates + k;
        one->own = weights->same_country * vote_for(votes, one->country) + weights->same_state * vote_for(votes, one->state);
        one->abroad = exp(abroad(weights, one));
    }
}

/* --- which of them it means --------------------------------------------------------------------------------------- */

/* The candidate that the other names speak for most, and the share of belief in it. */
static const Candidate *choice(const Weights *weights, const Meant *meant, const Map *tally, double per_vote, double *share) {
    double scores[CANDIDATES], total = 0.0;
    int best = 0;
    *share = 1.0;
    if (meant->count == 1) return meant->candidates;
    for (int k = 0; k < meant->count; k++) {
        const Candidate *one = meant->candidates + k;
        double country = map_get(tally, one->country, 0.0), state = map_get(tally, one->state, 0.0);
        scores[k] = one->score + per_vote * (weights->same_country * country + weights->same_state * state - one->own);
        if (scores[k] > scores[best]) best = k;
    }
    for (int k = 0; k < meant->count; k++) total += exp(scores[k] - scores[best]);
    *share = 1 / total;
    return meant->candidates + best;
}

/* Fills in what all names of a look may mean, and how much they speak for countries and states. */
static bool read_names(const Gazetteer *gazetteer, const Weights *weights, const Look *look, Meant *names, Map *tally) {
    bool done = true;
    for (Py_ssize_t k = 0; done && k < look->beliefs.count; k++) {
        Entry name = look->beliefs.entries[k];
        int64_t row = (int64_t)map_get(&look->settled, name.key, -1.0);
        Votes votes = {.count = 0};
        names[k] = (Meant){.count = 0, .settled = row >= 0, .belief = name.sum};
        find_candidates(gazetteer, name.key, row, names + k);
        rank(gazetteer, weights, names + k);
        count_votes(weights, names + k, &votes);
        for (int of = 0; done && of < votes.count; of++) done = map_add(tally, votes.area[of], votes.vote[of]);
    }
    return done;
}

/* A country's row among those where a text is at home, by what is said of it (a set), and by what it names itself. -1 with the
   exception set. */
static int is_home(PyObject *said, const Map *named, int32_t country) {
    if (map_get(named, country, 0.0) > 0.0) return true;
    PyObject *row = PyLong_FromLong(country);
    int found = row != NULL ? PySet_Contains(said, row) : -1;
    Py_XDECREF(row);
    return found;
}

/* What was chosen for a name. */
typedef struct {
    const Candidate *one;
    double share;
} Chosen;

static bool weigh(const Gazetteer *gazetteer, const Weights *weights, const Meant *names, const Chosen *chosen,
                  Py_ssize_t count, PyObject *home, bool english, Map *out) {
    Map named = {0}; /* countries, by the text itself */
    bool done = true, somewhere = PySet_GET_SIZE(home) > 0;
    for (Py_ssize_t k = 0; done && somewhere && k < count; k++) {
        const Candidate *one = chosen[k].one;
        if (one != NULL && one->state < 0 && (one->abroad == 1.0 || !english)) done = map_set(&named, one->country, 1.0);
    }
    for (Py_ssize_t k = 0; done && k < count; k++) {
        const Candidate *one = chosen[k].one;
        if (one == NULL) continue;
        int near = !somewhere || names[k].settled;
        if (!near) near = one->state < 0 ? !english : is_home(home, &named, one->country);
        double weight = names[k].belief * chosen[k].share * (near ? 1.0 : one->abroad);
        done = near >= 0;
        if (near > 0 || (done && weight > weights->forlorn)) done = map_add(out, gazetteer->ids[one->row], weight);
    }
    map_free(&named);
    return done;
}

static PyObject *as_dict(const Map *sums) {
    PyObject *dict = PyDict_New();
    for (Py_ssize_t k = 0; dict != NULL && k < sums->count; k++) {
        PyObject *key = PyLong_FromLongLong(sums->entries[k].key), *sum = PyFloat_FromDouble(sums->entries[k].sum);
        if (key == NULL || sum == NULL || PyDict_SetItem(dict, key, sum) < 0) Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(sum);
    }
    return dict;
}

PyObject *placed(const Gazetteer *gazetteer, const Weights *weights, const Look *look, PyObject *home, bool english) {
    Py_ssize_t count = look->beliefs.count;
    Map tally = {0}, sums = {0};
    PyObject *dict = NULL;
    Meant *names = PyMem_Malloc((count + 1) * sizeof *names);
    Chosen *chosen = PyMem_Calloc(count + 1, sizeof *chosen);
    if (names == NULL || chosen == NULL) {
        PyErr_NoMemory();
    } else if (read_names(gazetteer, weights, look, names, &tally)) {
        double per_vote = weights->company / (weights->reserve + (double)count);
        for (Py_ssize_t k = 0; k < count; k++) {
            if (names[k].count) chosen[k].one = choice(weights, names + k, &tally, per_vote, &chosen[k].share);
        }
        if (weigh(gazetteer, weights, names, chosen, count, home, english, &sums)) dict = as_dict(&sums);
    }
    map_free(&tally);
    map_free(&sums);
    PyMem_Free(names);
    PyMem_Free(chosen);
    return dict;
}
