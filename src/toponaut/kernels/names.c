/* A text's tokens (places/tokens.py), and the names of a table among them (places/nametable.py). */

#include "names.h"

enum { UPPER = 2, SPACE = 8, JOINER = 16, DOT = 32, BRACKET = 64, LINK = SPACE | JOINER };
enum { BLOCK = 16, HASHED = 4 * BLOCK, ACCENTS = 0x300 };
enum { IS_NAME = 1, IS_PREFIX = 2, LONGEST = 10, BUCKET_BITS = 22, FIRST_BITS = 22 };
static const uint64_t LATER = 0x94D049BB133111EB, MIX = 0xD6E8FEB86659FD93, CHAIN = 0x2545F4914F6CDD1D;
static const uint64_t PLANES[] = {1, 0xD1342543DE82EF95, 0xAF251AF3B0F025B5};

/* --- reading ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const uint32_t *fold;
    const uint8_t *kind;
    Py_UCS4 last; /* stands for all characters behind it */
} Alphabet;

/* How many planes the folded codes of a text need, and whether it is in NFC for sure. */
static int planes_of(PyObject *text, Alphabet alphabet, bool *composed) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    int planes = 1;
    *composed = true;
    EACH_SIGN({
        Py_UCS4 sign = signs[i] < alphabet.last ? signs[i] : alphabet.last;
        if (sign > 0xFF) { /* what compilers leave out for texts in Latin-1 */
            if (alphabet.fold[sign] > 0xFF) planes = 3;
            *composed &= sign < ACCENTS || (sign >= 0x2000 && sign < 0x2070);
        }
    })
    return planes;
}

static void classify(PyObject *text, Alphabet alphabet, int planes, uint8_t *kind, uint8_t *folded) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), room = length + BLOCK;
    EACH_SIGN({
        Py_UCS4 sign = signs[i] < alphabet.last ? signs[i] : alphabet.last;
        kind[i] = alphabet.kind[sign];
        folded[i] = (uint8_t)alphabet.fold[sign];
    })
    if (planes > 1) {
        EACH_SIGN({
            uint32_t code = alphabet.fold[signs[i] < alphabet.last ? signs[i] : alphabet.last];
            folded[room + i] = (uint8_t)(code >> 8);
            folded[2 * room + i] = (uint8_t)(code >> 16);
        })
    }
    for (int plane = 0; plane < planes; plane++) memset(folded + plane * room + length, 0, BLOCK);
}

static bool is_alphabet(const Py_buffer *fold, const Py_buffer *kind) {
    return kind->len > 0xFF && kind->len <= 0x110000 && fold->len == kind->len * (Py_ssize_t)sizeof(uint32_t);
}

PyObject *read_text(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *text, *kind = NULL, *folded = NULL;
    Py_buffer fold, classes;
    bool composed = true;
    if (!PyArg_ParseTuple(args, "Uy*y*", &text, &fold, &classes)) return NULL;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), codes = classes.len;
    if (!is_alphabet(&fold, &classes)) {
        refused("an alphabet has as many folded characters as classes, and those of Latin-1 at least");
    } else {
        Alphabet alphabet = {fold.buf, classes.buf, (Py_UCS4)codes - 1};
        int planes = planes_of(text, alphabet, &composed);
        kind = PyBytes_FromStringAndSize(NULL, length);
        folded = PyBytes_FromStringAndSize(NULL, planes * (length + BLOCK));
        if (kind != NULL && folded != NULL) {
            classify(text, alphabet, planes, (uint8_t *)PyBytes_AS_STRING(kind), (uint8_t *)PyBytes_AS_STRING(folded));
        }
    }
    PyBuffer_Release(&fold);
    PyBuffer_Release(&classes);
    return Py_BuildValue("NNN", kind, folded, PyBool_FromLong(composed)); /* NULL where one of them is */
}

static Py_ssize_t written(uint64_t bits, int64_t base, int64_t *out) {
    Py_ssize_t count = 0;
    for (; bits; bits &= bits - 1) out[count++] = base + __builtin_ctzll(bits);
    return count;
}

/* Where runs of characters of words begin and end, and how many there are; where `alone`, a sign of a script without spaces is a
   run of its own. Sixty-four characters at once: a branch for each would be guessed wrong at every end of a word. */
static Py_ssize_t runs_in(const uint8_t *kind, Py_ssize_t length, int64_t base, bool alone, int64_t *starts, int64_t *ends) {
    Py_ssize_t begun = 0, ended = 0;
    uint64_t was_inside = 0, was_solo = 0;
    for (Py_ssize_t i = 0; i < length; i += 64) {
        uint64_t inside = lowest_bits(kind + i, length - i, 0);
        uint64_t solo = alone ? inside & lowest_bits(kind + i, length - i, 2) : 0;
        uint64_t before = inside << 1 | was_inside, cut = solo | solo << 1 | was_solo;
        was_inside = inside >> 63, was_solo = solo >> 63;
        begun += written(inside & (~before | cut), base + i, starts + begun);
        ended += written(before & (~inside | cut), base + i, ends + ended);
    }
    if (ended < begun) ends[ended] = base + length; /* behind the last of 64 there is no bit */
    return begun;
}

/* As many tokens as there may be, as bytes: room that is cut down to size when they are counted. */
static PyObject *room_for(Py_ssize_t length, bool alone) {
    Py_ssize_t most = alone ? length : (length + 1) / 2;
    return PyBytes_FromStringAndSize(NULL, most * (Py_ssize_t)sizeof(int64_t));
}

PyObject *tokens(PyObject *Py_UNUSED(self), PyObject *args) {
    Py_buffer kind;
    Py_ssize_t begin, stop, count = 0;
    int alone;
    PyObject *starts = NULL, *ends = NULL, *upper = NULL;
    if (!PyArg_ParseTuple(args, "y*nnp", &kind, &begin, &stop, &alone)) return NULL;
    const uint8_t *classes = kind.buf;
    if (begin < 0 || begin > stop || stop > kind.len) {
        refused("a chunk lies in its text");
    } else {
        starts = room_for(stop - begin, alone), ends = room_for(stop - begin, alone);
    }
    if (starts != NULL && ends != NULL) {
        int64_t *start = (int64_t *)PyBytes_AS_STRING(starts), *end = (int64_t *)PyBytes_AS_STRING(ends);
        count = runs_in(classes + begin, stop - begin, begin, alone, start, end);
        upper = PyBytes_FromStringAndSize(NULL, count);
    }
    if (upper != NULL) {
        const int64_t *start = (const int64_t *)PyBytes_AS_STRING(starts);
        for (Py_ssize_t k = 0; k < count; k++) PyBytes_AS_STRING(upper)[k] = (classes[start[k]] & UPPER) != 0;
        _PyBytes_Resize(&starts, count * (Py_ssize_t)sizeof(int64_t));
        _PyBytes_Resize(&ends, count * (Py_ssize_t)sizeof(int64_t));
    }
    PyBuffer_Release(&kind);
    return Py_BuildValue("NNN", starts, ends, upper); /* NULL where one of them is */
}

/* --- hashes ------------------------------------------------------------------------------------------------------- */

bool tokens_fit(Tokens *tokens, Py_ssize_t length, const Py_buffer *folded, const Py_buffer *start, const Py_buffer *end) {
    Py_ssize_t room = length + BLOCK;
    if (length < 0 || start->len != end->len || (folded->len != room && folded->len != 3 * room)) return false;
    tokens->folded = folded->buf, tokens->length = length, tokens->planes = folded->len / room;
    tokens->start = start->buf, tokens->end = end->buf, tokens->count = start->len / (Py_ssize_t)sizeof(int64_t);
    return true;
}

static uint64_t first_bytes(uint64_t number, int64_t count) {
    return count >= 8 ? number : count <= 0 ? 0 : number & (((uint64_t)1 << 8 * count) - 1);
}

/* The hash of a stretch of a plane. A block of zeros follows the text, so that the last block ends inside the plane. */
static uint64_t hash_of_stretch(const uint8_t *stretch, int64_t length) {
    uint64_t hash = 0, factor = 1;
    for (int64_t at = 0; at == 0 || (at < length && at < HASHED); at += BLOCK, factor *= LATER) {
        uint64_t low = first_bytes(eight(stretch + at), length - at);
        uint64_t high = first_bytes(eight(stretch + at + 8), length - at - 8);
        hash += hash_of_block(low, high) * factor;
    }
    return hash;
}

uint64_t hash_of(const Tokens *tokens, int64_t k) {
    uint64_t hash = 0;
    for (Py_ssize_t plane = 0; plane < tokens->planes; plane++) {
        const uint8_t *stretch = tokens->folded + plane * (tokens->length + BLOCK) + tokens->start[k];
        hash += hash_of_stretch(stretch, tokens->end[k] - tokens->start[k]) * PLANES[plane];
    }
    return hash;
}

PyObject *hash_at(PyObject *Py_UNUSED(self), PyObject *args) {
    Py_buffer folded, start, end, at;
    Py_ssize_t length;
    Tokens tokens;
    if (!PyArg_ParseTuple(args, "ny*y*y*y*", &length, &folded, &start, &end, &at)) return NULL;
    const int64_t *which = at.buf;
    Py_ssize_t count = at.len / (Py_ssize_t)sizeof *which, done = 0;
    PyObject *hashes = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint64_t));
    if (hashes != NULL && tokens_fit(&tokens, length, &folded, &start, &end)) {
        uint64_t *out = (uint64_t *)PyBytes_AS_STRING(hashes);
        for (; done < count; done++) {
            int64_t k = which[done] < 0 ? which[done] + tokens.count : which[done]; /* -1 is the last, as everywhere */
            if (k < 0 || k >= tokens.count || !lies_inside(&tokens, k)) break;
            out[done] = hash_of(&tokens, k);
        }
    }
    if (hashes != NULL && done < count) {
        Py_CLEAR(hashes);
        refused("tokens lie in their text");
    }
    PyBuffer_Release(&folded);
    PyBuffer_Release(&start);
    PyBuffer_Release(&end);
    PyBuffer_Release(&at);
    return hashes;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* Whether the gap after a token that is not the last may stand inside a name: Tokens.joined_at. */
static bool joined(const Tokens *tokens, Py_ssize_t k) {
    int64_t end = tokens->end[k], gap = tokens->start[k + 1] - end, length = end - tokens->start[k];
    if (gap != 1 && gap != 2) return gap == 0;
    uint8_t first = tokens->kind[end];
    if (gap == 1) return (first & LINK) || (first == DOT && length <= 2);
    uint8_t second = tokens->kind[end + 1];
    if (second & LINK) return (first & LINK) || (first == DOT && length <= 4);
    return (first & SPACE) && second == BRACKET;
}

static const int32_t *bucket_of(const Names *names, uint64_t hash) { return names->buckets + (hash >> (64 - BUCKET_BITS)); }

static bool may_begin(const Names *names, uint64_t hash) {
    uint64_t slot = hash >> (64 - FIRST_BITS);
    return names->firsts[slot >> 3] >> (slot & 7) & 1;
}

int64_t index_of(const Names *names, uint64_t hash) {
    const int32_t *bucket = bucket_of(names, hash);
    Py_ssize_t stop = bucket[1] < names->count ? bucket[1] : names->count;
    for (Py_ssize_t at = bucket[0] < 0 ? 0 : bucket[0]; at < stop; at++) {
        if (names->keys[at] == hash) return at;
    }
    return -1;
}

PyObject *find(PyObject *Py_UNUSED(self), PyObject *args) {
    Py_buffer hashes, table[4];
    Names names;
    if (!PyArg_ParseTuple(args, "y*(y*y*y*y*)", &hashes, table, table + 1, table + 2, table + 3)) return NULL;
    Py_ssize_t count = hashes.len / (Py_ssize_t)sizeof(uint64_t);
    bool whole = is_whole(table, &names);
    PyObject *found = whole ? PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t)) : refused("the table of names is whole");
    if (found != NULL) {
        const uint64_t *hash = hashes.buf;
        int64_t *index = (int64_t *)PyBytes_AS_STRING(found);
        for (Py_ssize_t k = 0; k < count; k++) index[k] = index_of(&names, hash[k]);
    }
    PyBuffer_Release(&hashes);
    for (int k = 0; k < 4; k++) PyBuffer_Release(table + k);
    return found;
}

static uint64_t chained(uint64_t run, uint64_t following) { return folded_in(folded_in(run * CHAIN + following) * MIX); }

enum { SPELLED = 400 }; /* characters of a name that are read, as in NameTable.lookup */

/* The index of a whole string as a name; -1 where the table has none. */
static int64_t lookup_of(PyObject *text, Alphabet alphabet, const Names *names) {
    uint8_t kind[SPELLED], folded[3 * (SPELLED + BLOCK)];
    int64_t start[SPELLED], end[SPELLED];
    bool composed;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    int planes = planes_of(text, alphabet, &composed);
    classify(text, alphabet, planes, kind, folded);
    Tokens tokens = {.folded = folded, .length = length, .planes = planes, .start = start, .end = end};
    tokens.count = runs_in(kind, length, 0, planes > 1, start, end);
    if (tokens.count == 0) return -1;
    uint64_t run = hash_of(&tokens, 0);
    for (Py_ssize_t k = 1; k < tokens.count && k < LONGEST; k++) run = chained(run, hash_of(&tokens, k));
    return index_of(names, run);
}

PyObject *lookup(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *text;
    Py_buffer fold, kind, table[4];
    Names names;
    if (!PyArg_ParseTuple(args, "Uy*y*(y*y*y*y*)", &text, &fold, &kind, table, table + 1, table + 2, table + 3)) return NULL;
    Alphabet alphabet = {fold.buf, kind.buf, (Py_UCS4)kind.len - 1};
    bool good = is_alphabet(&fold, &kind) && is_whole(table, &names) && PyUnicode_GET_LENGTH(text) <= SPELLED;
    PyObject *index = good ? PyLong_FromLongLong(lookup_of(text, alphabet, &names))
                           : refused("a name has 400 characters at most, and its alphabet and the table of names are whole");
    PyBuffer_Release(&fold);
    PyBuffer_Release(&kind);
    for (int k = 0; k < 4; k++) PyBuffer_Release(table + k);
    return index;
}

/* The longest name that begins with a token, by the token's hash: its index, or -1, and its last token. */
static int64_t longest_from(const Names *names, const Tokens *tokens, int64_t first, uint64_t run, int64_t *last_of) {
    int64_t best = -1, last = first;
    for (int length = 1; length <= LONGEST; length++) {
        int64_t index = index_of(names, run);
        if (index < 0 || (length > 1 && !joined(tokens, last - 1))) break; /* in this order: most are not in the table */
        if (names->flags[index] & IS_NAME) best = index, *last_of = last;
        if (!(names->flags[index] & IS_PREFIX) || ++last == tokens->count) break;
        run = chained(run, hash_of(tokens, last));
    }
    return best;
}

/* A token that some name begins with. */
typedef struct {
    int64_t token;
    uint64_t hash;
} Beginning;

static Py_ssize_t beginnings(const Names *names, const Tokens *tokens, const uint8_t *upper, bool caseless, Beginning *out) {
    Py_ssize_t count = 0;
    for (Py_ssize_t k = 0; k < tokens->count; k++) {
        if (!caseless && !upper[k]) continue;
        out[count] = (Beginning){k, hash_of(tokens, k)};
        if (!may_begin(names, out[count].hash)) continue;
        __builtin_prefetch(bucket_of(names, out[count].hash)); /* from main memory, mostly: asked for long before it is read */
        count++;
    }
    return count;
}

static bool is_kana(const Tokens *tokens, int64_t at) {
    const uint8_t *low = tokens->folded + at, *middle = low + tokens->length + BLOCK, *high = middle + tokens->length + BLOCK;
    return *middle == 0x30 && *low >= 0xA1 && *high == 0;
}

/* Whether some tokens in a row begin and end where words of Katakana do, if they are such: whole_words. */
static bool is_whole_word(const Tokens *tokens, int64_t first, int64_t last) {
    int64_t start = tokens->start[first], end = tokens->end[last];
    if (tokens->planes == 1) return true;
    if (start > 0 && is_kana(tokens, start) && is_kana(tokens, start - 1)) return false;
    return end == 0 || !is_kana(tokens, end - 1) || !is_kana(tokens, end);
}

/* The names found, as three new objects of bytes in a tuple. */
static PyObject *names_among(const Names *names, const Tokens *tokens, const uint8_t *upper, bool caseless, bool apart) {
    Beginning *begin = PyMem_Malloc((tokens->count + 1) * sizeof *begin);
    int64_t *rows = PyMem_Malloc((3 * tokens->count + 1) * sizeof *rows);
    PyObject *found = NULL;
    if (begin == NULL || rows == NULL) {
        PyErr_NoMemory();
    } else {
        int64_t *firsts = rows, *lasts = rows + tokens->count, *indices = lasts + tokens->count;
        Py_ssize_t some = beginnings(names, tokens, upper, caseless, begin), count = 0;
        int64_t free = 0; /* the first token behind the names so far, where they have to be apart */
        for (Py_ssize_t k = 0; k < some; k++) {
            int64_t first = begin[k].token;
            if (first < free) continue;
            int64_t name = longest_from(names, tokens, first, begin[k].hash, lasts + count);
            if (name < 0 || (apart && !is_whole_word(tokens, first, lasts[count]))) continue;
            if (apart) free = lasts[count] + 1;
            firsts[count] = first;
            indices[count++] = name;
        }
        Py_ssize_t size = count * (Py_ssize_t)sizeof *rows;
        found = Py_BuildValue("y#y#y#", firsts, size, lasts, size, indices, size);
    }
    PyMem_Free(begin);
    PyMem_Free(rows);
    return found;
}

bool is_whole(const Py_buffer *table, Names *names) {
    *names = (Names){.keys = table[0].buf, .flags = table[1].buf, .buckets = table[2].buf, .firsts = table[3].buf, .count = table[1].len};
    return table[0].len == names->count * (Py_ssize_t)sizeof(uint64_t) &&
           table[2].len == ((1 << BUCKET_BITS) + 1) * (Py_ssize_t)sizeof(int32_t) && table[3].len == 1 << FIRST_BITS >> 3;
}

PyObject *scan(PyObject *Py_UNUSED(self), PyObject *args) {
    Py_buffer of[5], table[4]; /* of tokens: kind, folded codes, start, end, upper */
    int caseless, apart;
    Tokens tokens;
    Names names;
    if (!PyArg_ParseTuple(args, "(y*y*y*y*y*)(y*y*y*y*)pp", of, of + 1, of + 2, of + 3, of + 4,
                          table, table + 1, table + 2, table + 3, &caseless, &apart)) return NULL;
    bool good = is_whole(table, &names) && tokens_fit(&tokens, of[0].len, of + 1, of + 2, of + 3) && of[4].len == tokens.count;
    for (Py_ssize_t k = 0; good && k < tokens.count; k++) good = lies_inside(&tokens, k);
    tokens.kind = of[0].buf;
    PyObject *found = good ? names_among(&names, &tokens, of[4].buf, caseless, apart)
                           : refused("tokens lie in their text, and the table of names is whole");
    for (int k = 0; k < 5; k++) PyBuffer_Release(of + k);
    for (int k = 0; k < 4; k++) PyBuffer_Release(table + k);
    return found;
}
