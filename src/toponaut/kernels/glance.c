/* What a text names, at a glance: Glances.weights (places/glance.py). Here which names are places; placed.c tells which. */

#include "glance.h"

#include <math.h>

/* The tokens of a part of a text, and the names among them. */
typedef struct {
    PyObject *text;
    Tokens tokens;
    const uint8_t *upper;               /* by token */
    const int64_t *first, *last, *name; /* by match */
    Py_ssize_t count;
} Chunk;

static Py_UCS4 sign_at(const Chunk *chunk, int64_t at) { return PyUnicode_READ_CHAR(chunk->text, at); }

/* --- the state or country behind a comma -------------------------------------------------------------------------- */

/* Whether two signs and a word with a capital follow a match: ", Texas". */
static bool is_told(const Chunk *chunk, Py_ssize_t k) {
    int64_t after = chunk->last[k] + 1;
    if (after >= chunk->tokens.count) return false;
    return chunk->tokens.start[after] - chunk->tokens.end[after - 1] == 2 && chunk->upper[after];
}

static bool is_area(const Gazetteer *gazetteer, int64_t name) {
    Postings of = postings_of(gazetteer, name);
    return of.begin < of.stop && gazetteer->levels[row_of(gazetteer, of.begin)] <= STATE;
}

/* Whether a match and the next, which is there, are states among states. */
static bool is_list(const Gazetteer *gazetteer, const Chunk *chunk, Py_ssize_t k) {
    const int64_t *name = chunk->name;
    if (name[k] == name[k + 1] || !is_area(gazetteer, name[k])) return false;
    if (k > 0 && is_told(chunk, k - 1) && is_area(gazetteer, name[k - 1])) return true;
    return k + 2 < chunk->count && is_told(chunk, k + 1) && is_area(gazetteer, name[k + 2]);
}

static bool is_upper(const Chunk *chunk, int64_t start, int64_t end) {
    bool cased = false;
    for (int64_t at = start; at < end; at++) {
        Py_UCS4 sign = sign_at(chunk, at);
        if (Py_UNICODE_ISLOWER(sign) || Py_UNICODE_ISTITLE(sign)) return false;
        cased |= Py_UNICODE_ISUPPER(sign) != 0;
    }
    return cased;
}

/* The name that an abbreviation in two capitals is: "TX"; -1 for none. */
static int64_t code_at(const Gazetteer *gazetteer, const Chunk *chunk, int64_t token) {
    int64_t start = chunk->tokens.start[token], end = chunk->tokens.end[token];
    if (end - start != 2 || !is_upper(chunk, start, end)) return -1;
    int64_t name = index_of(&gazetteer->names, hash_of(&chunk->tokens, token));
    if (name < 0) return -1;
    Postings of = postings_of(gazetteer, name);
    for (Py_ssize_t k = of.begin; k < of.stop; k++) {
        if (gazetteer->posting_quality[k] == CODE) return name;
    }
    return -1;
}

/* The first of some areas that a place lies in, other than itself where `strictly`; -1: none. */
static int32_t area_around(const Gazetteer *gazetteer, Postings areas, int32_t row, bool strictly) {
    for (Py_ssize_t k = areas.begin; k < areas.stop; k++) {
        int32_t area = row_of(gazetteer, k);
        bool apart = !strictly || area != row;
        if (apart && gazetteer->levels[area] <= COUNTY && lies_under(gazetteer, row, area)) return area;
    }
    return -1;
}

/* Contexts.inside: the first place of a name that lies in an area of another name, and the first area around the largest. */
static bool find_inside(const Gazetteer *gazetteer, int64_t name, int64_t area, int32_t *inside, int32_t *around) {
    Postings of = postings_of(gazetteer, name), areas = postings_of(gazetteer, area);
    int32_t largest = *inside = -1;
    for (Py_ssize_t k = of.begin; k < of.stop; k++) {
        int32_t row = row_of(gazetteer, k);
        if (area_around(gazetteer, areas, row, true) < 0) continue;
        if (*inside < 0) *inside = row;
        if (largest < 0 || gazetteer->prior[row] > gazetteer->prior[largest]) largest = row;
    }
    if (*inside < 0) return false;
    *around = area_around(gazetteer, areas, largest, false);
    if (name != area) return true;
    int32_t meant = row_of(gazetteer, of.begin);
    return area_around(gazetteer, areas, meant, true) >= 0 ||
           (gazetteer->levels[meant] <= COUNTY && lies_under(gazetteer, largest, meant));
}

/* Looks at what stands behind a comma after each match; odds to add, by match. */
static bool settle(const Gazetteer *gazetteer, const Weights *weights, const Chunk *chunk, Look *look, double *explicit) {
    bool done = true;
    for (Py_ssize_t k = 0; done && k < chunk->count; k++) {
        if (!is_told(chunk, k) || sign_at(chunk, chunk->tokens.end[chunk->last[k]]) != ',') continue;
        int64_t token = chunk->last[k] + 1, name = chunk->name[k], code = code_at(gazetteer, chunk, token);
        bool listed = k + 1 < chunk->count && chunk->first[k + 1] == token;
        if (code < 0 && (!listed || is_list(gazetteer, chunk, k))) continue;
        int64_t area = code >= 0 ? code : chunk->name[k + 1];
        int32_t inside, around;
        if (!find_inside(gazetteer, name, area, &inside, &around)) continue;
        explicit[k] = weights->explicit_;
        done = map_set(&look->settled, name, inside) && map_set(&look->settled, area, around);
        if (done && code >= 0) done = map_add(&look->beliefs, area, 1.0);
        if (listed) explicit[k + 1] = code >= 0 ? -weights->explicit_ : weights->explicit_;
    }
    return done;
}

/* --- which names are places --------------------------------------------------------------------------------------- */

/* Whether a stretch of the text is a word of its length, but for capitals. The one letter that becomes two in lower case is in
   no word. */
static bool is_word(const Chunk *chunk, int64_t start, int64_t end, PyObject *word) {
    for (int64_t at = start; at < end; at++) {
        Py_UCS4 sign = sign_at(chunk, at);
        if (sign == 0x130 || Py_UNICODE_TOLOWER(sign) != PyUnicode_READ_CHAR(word, at - start)) return false;
    }
    return true;
}

/* Whether one of some words stands right before a match. */
static bool stands_after(const Chunk *chunk, Py_ssize_t k, PyObject *words) {
    int64_t before = chunk->first[k] - 1;
    if (before < 0 || chunk->tokens.start[before + 1] - chunk->tokens.end[before] != 1) return false;
    int64_t start = chunk->tokens.start[before], end = chunk->tokens.end[before];
    Py_UCS4 first = Py_UNICODE_TOLOWER(sign_at(chunk, start)); /* before a match something stands at every place of a text */
    for (Py_ssize_t w = 0; w < PyTuple_GET_SIZE(words); w++) {
        PyObject *word = PyTuple_GET_ITEM(words, w);
        if (!PyUnicode_Check(word) || PyUnicode_GET_LENGTH(word) != end - start) continue;
        if (PyUnicode_READ_CHAR(word, 0) == first && is_word(chunk, start, end, word)) return true;
    }
    return false;
}

/* Glances._add */
static bool look_at(const Gazetteer *gazetteer, const Weights *weights, const Chunk *chunk, PyObject *locative, Look *look) {
    double *explicit = PyMem_Calloc(chunk->count + 1, sizeof *explicit);
    if (explicit == NULL) {
        PyErr_NoMemory();
        return false;
    }
    bool done = settle(gazetteer, weights, chunk, look, explicit);
    for (Py_ssize_t k = 0; done && k < chunk->count; k++) {
        double odds = gazetteer->odds[chunk->name[k]];
        if (!(odds > weights->least || explicit[k] != 0.0) || !chunk->upper[chunk->last[k]]) continue;
        odds += explicit[k];
        if (stands_after(chunk, k, locative)) odds += weights->after_locative;
        if (odds > weights->sure) done = map_add(&look->beliefs, chunk->name[k], 1 / (1 + exp(-odds)));
    }
    PyMem_Free(explicit);
    return done;
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

enum { TABLE = 4, COLUMNS = 8, PARTS = 7 };

/* Whether buffers are as long as they have to be: a table of names, then odds, posting_start, posting_row, posting_quality, ids,
   levels, lineage, prior. */
static bool gazetteer_fits(const Py_buffer *table, const Py_buffer *columns, Gazetteer *gazetteer) {
    if (!is_whole(table, &gazetteer->names)) return false;
    Py_ssize_t names = gazetteer->names.count, postings = columns[3].len, rows = columns[5].len;
    gazetteer->odds = columns[0].buf, gazetteer->posting_start = columns[1].buf, gazetteer->posting_row = columns[2].buf;
    gazetteer->posting_quality = columns[3].buf, gazetteer->ids = columns[4].buf, gazetteer->levels = columns[5].buf;
    gazetteer->lineage = columns[6].buf, gazetteer->prior = columns[7].buf;
    gazetteer->postings = postings, gazetteer->rows = rows;
    return columns[0].len == names * 8 && columns[1].len == (names + 1) * 4 && columns[2].len == postings * 4 && rows > 0 &&
           columns[4].len == rows * 8 && columns[6].len == rows * LINEAGE * 4 && columns[7].len == rows * 4;
}

/* Of parts: folded codes, start, end, upper; first, last, name. */
static bool chunk_fits(PyObject *text, const Py_buffer *parts, Py_ssize_t names, Chunk *chunk) {
    Py_ssize_t count = parts[4].len / (Py_ssize_t)sizeof(int64_t);
    *chunk = (Chunk){.text = text, .upper = parts[3].buf, .count = count};
    chunk->first = parts[4].buf, chunk->last = parts[5].buf, chunk->name = parts[6].buf;
    bool good = tokens_fit(&chunk->tokens, PyUnicode_GET_LENGTH(text), parts, parts + 1, parts + 2) &&
                parts[3].len == chunk->tokens.count && parts[5].len == parts[4].len && parts[6].len == parts[4].len;
    for (Py_ssize_t k = 0; good && k < count; k++) {
        int64_t first = chunk->first[k], last = chunk->last[k], after = last + (last < chunk->tokens.count - 1);
        good = first >= 0 && first <= last && last < chunk->tokens.count && chunk->name[k] >= 0 && chunk->name[k] < names &&
               lies_inside(&chunk->tokens, first - (first > 0)) && lies_inside(&chunk->tokens, first) &&
               lies_inside(&chunk->tokens, last) && lies_inside(&chunk->tokens, after); /* no others are looked at */
    }
    return good;
}

static bool look_at_all(const Gazetteer *gazetteer, const Weights *weights, PyObject *text, PyObject *chunks, PyObject *locative, Look *look) {
    bool done = true;
    for (Py_ssize_t k = 0; done && k < PyList_GET_SIZE(chunks); k++) {
        Py_buffer parts[PARTS];
        Chunk chunk;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(chunks, k), "y*y*y*y*y*y*y*", parts, parts + 1, parts + 2, parts + 3, parts + 4,
                              parts + 5, parts + 6)) return false;
        done = chunk_fits(text, parts, gazetteer->names.count, &chunk);
        if (!done) refused("tokens lie in their text, and names among them");
        if (done) done = look_at(gazetteer, weights, &chunk, locative, look);
        for (int part = 0; part < PARTS; part++) PyBuffer_Release(parts + part);
    }
    return done;
}

PyObject *glance(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *text, *chunks, *locative, *home, *seen = NULL;
    Py_buffer t[TABLE], c[COLUMNS], weights;
    int english;
    Gazetteer gazetteer;
    Look look = {0};
    if (!PyArg_ParseTuple(args, "UO!(y*y*y*y*)(y*y*y*y*y*y*y*y*)y*O!O!p", &text, &PyList_Type, &chunks, t, t + 1, t + 2, t + 3,
                          c, c + 1, c + 2, c + 3, c + 4, c + 5, c + 6, c + 7, &weights, &PyTuple_Type, &locative,
                          &PyFrozenSet_Type, &home, &english)) return NULL;
    if (!gazetteer_fits(t, c, &gazetteer) || weights.len != sizeof(Weights)) {
        refused("the gazetteer is whole, and all weights are there");
    } else if (look_at_all(&gazetteer, weights.buf, text, chunks, locative, &look)) {
        seen = placed(&gazetteer, weights.buf, &look, home, english);
    }
    map_free(&look.beliefs);
    map_free(&look.settled);
    for (int k = 0; k < TABLE; k++) PyBuffer_Release(t + k);
    for (int k = 0; k < COLUMNS; k++) PyBuffer_Release(c + k);
    PyBuffer_Release(&weights);
    return seen;
}
