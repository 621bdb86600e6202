/* The walk over a page's tokens; `_walk` of parse/flow.py is its twin.

   A token begins at each of `cuts`, where a "<" stands. What is plain is done here; what is not (titles, comments, broken
   tags, <pre>, references) is handed to the steps of the reader, which says where to go on. Nothing of the text is a string
   of its own until such a step needs it: words go from the markup into one buffer. Tags are told in flow_kinds.c and
   flow_links.c; what is passed over, in flow_over.c. */

#include "flow.h"

static const char *const SEPARATORS[] = {"", " ", "\n", "\n", "\n\n", "\t", "\n", "\n\n"};

/* --- words -------------------------------------------------------------------------------------------------------- */

static void widen(Walk *walk, long kind) {
    int gap = kind & GAP;
    if (gap == BREAK && walk->gap == BREAK) gap = PARAGRAPH;
    if (gap > walk->gap) walk->gap = gap;
}

/* Makes a piece of what stands in the buffer. */
static bool flushed(Walk *walk) {
    if (walk->used == 0) return true;
    PyObject *piece = PyUnicode_FromKindAndData(walk->width, walk->buffer, walk->used);
    bool done = piece != NULL && PyList_Append(walk->pieces, piece) == 0;
    Py_XDECREF(piece);
    walk->used = 0;
    return done;
}

/* Makes room for more characters of a width. */
static bool has_room(Walk *walk, int width, Py_ssize_t more) {
    if (width != walk->width && !flushed(walk)) return false;
    walk->width = width;
    Py_ssize_t bytes = (walk->used + more) * width;
    if (bytes <= walk->room) return true;
    char *buffer = PyMem_Realloc(walk->buffer, (size_t)(bytes + walk->room));
    if (buffer == NULL) return PyErr_NoMemory() != NULL;
    walk->buffer = buffer;
    walk->room += bytes;
    return true;
}

#define HAS_DOUBLE(type)                                                                             \
    for (Py_ssize_t i = 0; i + 1 < length; i++)                                                      \
        found |= (((const type *)signs)[i] == ' ') & (((const type *)signs)[i + 1] == ' ');

static bool has_double_space(int width, const void *signs, Py_ssize_t length) {
    uint8_t found = 0; /* no way out of the loops: so compilers take 16 at once */
    if (width == PyUnicode_1BYTE_KIND) HAS_DOUBLE(Py_UCS1)
    else if (width == PyUnicode_2BYTE_KIND) HAS_DOUBLE(Py_UCS2)
    else HAS_DOUBLE(Py_UCS4)
    return found;
}

/* Makes one space of several; says how many signs are left. */
static Py_ssize_t single_spaced(int width, void *signs, Py_ssize_t length) {
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 sign = PyUnicode_READ(width, signs, i);
        if (sign == ' ' && kept > 0 && PyUnicode_READ(width, signs, kept - 1) == ' ') continue;
        PyUnicode_WRITE(width, signs, kept, sign);
        kept++;
    }
    return kept;
}

static bool put(Walk *walk, Py_ssize_t index, PyObject *text, Span word) {
    int width = PyUnicode_KIND(text);
    const char *separator = walk->at > 0 ? SEPARATORS[walk->gap] : "";
    Py_ssize_t length = word.end - word.start;
    if (!has_room(walk, width, length + 2)) return false;
    Py_ssize_t before = walk->used;
    for (; *separator; separator++) PyUnicode_WRITE(width, walk->buffer, walk->used++, (Py_UCS4)*separator);
    char *signs = walk->buffer + walk->used * width;
    memcpy(signs, (const char *)PyUnicode_DATA(text) + word.start * width, (size_t)(length * width));
    walk->used += has_double_space(width, signs, length) ? single_spaced(width, signs, length) : length;
    walk->added[index] = walk->used - before;
    walk->at += walk->used - before;
    return true;
}

static Span without_spaces(PyObject *text, Span span) {
    Signs signs = signs_of(text);
    while (span.start < span.end && sign_at(signs, span.start) == ' ') span.start++;
    while (span.start < span.end && sign_at(signs, span.end - 1) == ' ') span.end--;
    return span;
}

/* Writes a token's text; `given` is where it stands. */
static bool write_text(Walk *walk, Py_ssize_t index, PyObject *text, Span given) {
    PyObject *plain = NULL;
    Span word = without_spaces(text, given);
    if (word.start < word.end && PyUnicode_FindChar(text, '&', word.start, word.end, 1) >= 0) {
        PyObject *referring = string_of(text, given);
        plain = referring == NULL ? NULL : PyObject_CallOneArg(walk->decoded, referring);
        Py_XDECREF(referring);
        if (plain == NULL) return false;
        if (!PyUnicode_Check(plain)) {
            Py_DECREF(plain);
            return refused("a text is decoded to a text") != NULL;
        }
        text = plain;
        given = (Span){0, PyUnicode_GET_LENGTH(plain)};
        word = without_spaces(text, given);
    }
    bool done = true;
    if (!walk->gap && given.start < word.start) walk->gap = SPACE;
    if (word.start < word.end) {
        done = put(walk, index, text, word);
        walk->gap = word.end < given.end ? SPACE : NONE;
    }
    Py_XDECREF(plain);
    return done;
}

bool noted(PyObject *events, long kind, Py_ssize_t index, Py_ssize_t at) {
    PyObject *event = PyTuple_New(3);
    if (event == NULL) return false;
    PyTuple_SET_ITEM(event, 0, PyLong_FromLong(kind));
    PyTuple_SET_ITEM(event, 1, PyLong_FromSsize_t(index));
    PyTuple_SET_ITEM(event, 2, PyLong_FromSsize_t(at));
    bool done = !PyErr_Occurred() && PyList_Append(events, event) == 0;
    Py_DECREF(event);
    return done;
}

bool entered(PyObject *dict, Py_ssize_t index, PyObject *value) {
    PyObject *number = PyLong_FromSsize_t(index);
    bool done = number != NULL && PyDict_SetItem(dict, number, value) == 0;
    Py_XDECREF(number);
    return done;
}

/* --- steps: each says which token is the next, or -1 with the exception set ------------------------------------------ */

/* A <pre>, up to its end tag. */
static Py_ssize_t step_over_pre(Walk *walk, Py_ssize_t index) {
    Py_ssize_t next, at;
    int gap;
    if (!flushed(walk)) return -1;
    PyObject *told = PyObject_CallFunction(walk->preformatted, "nni", index, walk->at, walk->gap);
    bool read = told != NULL && PyArg_ParseTuple(told, "nni", &next, &at, &gap);
    Py_XDECREF(told);
    if (!read) return -1;
    if (next <= index || next > walk->count || at < 0 || gap < 0 || gap > GAP) {
        refused("a step goes on within the page");
        return -1;
    }
    walk->at = at;
    walk->gap = gap;
    return next;
}

static bool trimmed(Walk *walk) {
    if (!flushed(walk)) return false;
    PyObject *less = PyObject_CallFunction(walk->trim, "n", walk->at);
    Py_ssize_t signs = less == NULL ? -1 : PyLong_AsSsize_t(less);
    Py_XDECREF(less);
    if (PyErr_Occurred()) return false;
    if (signs < 0 || signs > walk->at) return refused("no more is trimmed than there is") != NULL;
    walk->at -= signs;
    return true;
}

/* What is no plain tag: the reader's `turn` says what it comes to, with which text and how many tokens after it to skip. */
static Py_ssize_t step_aside(Walk *walk, long kind, Py_ssize_t index) {
    PyObject *text;
    Py_ssize_t skipped, next = -1;
    walk->aside = true;
    PyObject *told = PyObject_CallFunction(walk->turn, "lnn", kind, index, walk->at);
    if (told == NULL || !PyArg_ParseTuple(told, "lUn", &kind, &text, &skipped)) goto end;
    if (skipped < 0 || skipped >= walk->count - index) {
        refused("a step goes on within the page");
        goto end;
    }
    if (kind >= PRE && kind < PRE_END) {
        next = step_over_pre(walk, index);
        goto end;
    }
    if (kind >= PRE_END && !trimmed(walk)) goto end;
    widen(walk, kind);
    if (write_text(walk, index, text, (Span){0, PyUnicode_GET_LENGTH(text)})) next = index + 1 + skipped;
end:
    Py_XDECREF(told);
    return next;
}

/* A link whose tag is plain: its target goes among the others. 0 if it is no such link. */
static Py_ssize_t step_by_link(Walk *walk, Py_ssize_t index, Span chunk) {
    PyObject *target = NULL;
    Py_ssize_t text = plain_link(walk->markup, chunk, &target);
    if (text <= 0) return text;
    bool done = entered(walk->targets, index, target) && noted(walk->links, LINK, index, walk->at) &&
                write_text(walk, index, walk->markup, (Span){text, chunk.end});
    Py_DECREF(target);
    return done ? index + 1 : -1;
}

static Py_ssize_t step(Walk *walk, Py_ssize_t index) {
    Span chunk = {walk->cuts[index] + 1, walk->cuts[index + 1]};
    Signs signs = signs_of(walk->markup);
    if (begins(signs, chunk, "a ", false)) {
        Py_ssize_t next = step_by_link(walk, index, chunk);
        if (next) return next;
    }
    Py_ssize_t close = PyUnicode_FindChar(walk->markup, '>', chunk.start, chunk.end, 1);
    Span head = {chunk.start, close < 0 ? chunk.end : close};
    long kind = kind_of(&walk->heads, walk->markup, head, close >= 0 ? NO_PLAIN_LINK : OPEN);
    if (kind < 0) return -1;
    const char *idle = idle_name(signs, head, kind);
    if (idle != NULL) return idle_end(walk, index, idle);
    if (kind >= HIDDEN && kind < PRE) {
        Py_ssize_t end = hidden_end(walk, index);
        widen(walk, kind);
        return end;
    }
    if (kind >= JUMP) return step_aside(walk, kind, index);
    if (kind >= LINK && !noted(kind < NOTE ? walk->links : walk->marks, kind & ~GAP, index, walk->at)) return -1;
    widen(walk, kind);
    return write_text(walk, index, walk->markup, (Span){close < 0 ? chunk.end : close + 1, chunk.end}) ? index + 1 : -1;
}

PyObject *mended_token(Walk *walk, Py_ssize_t index) {
    if (!walk->aside) return NULL; /* only where the reader said to go on */
    walk->aside = false;
    PyObject *number = PyLong_FromSsize_t(index);
    PyObject *token = number == NULL ? NULL : PyDict_GetItemWithError(walk->mended, number);
    Py_XDECREF(number);
    return token;
}

static bool walked(Walk *walk) {
    for (Py_ssize_t index = 0; index < walk->count;) {
        PyObject *mended = mended_token(walk, index);
        if (mended == NULL && PyErr_Occurred()) return false;
        index = mended != NULL ? step_aside(walk, MENDED, index) : step(walk, index);
        if (index < 0) return false;
    }
    return flushed(walk);
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

static bool fits(const Walk *walk, Py_ssize_t cuts, Py_ssize_t added) {
    const Py_ssize_t size = sizeof(int64_t), length = PyUnicode_GET_LENGTH(walk->markup);
    if (cuts < size || cuts % size || added != cuts - size) return false;
    if (walk->cuts[0] < 0 || walk->cuts[walk->count] != length) return false;
    for (Py_ssize_t k = 0; k < walk->count; k++) {
        if (walk->cuts[k] >= walk->cuts[k + 1]) return false;
    }
    return true;
}

PyObject *walk_page(PyObject *Py_UNUSED(self), PyObject *args) {
    Py_buffer cuts, added;
    Walk *walk = PyMem_Calloc(1, sizeof *walk);
    if (walk == NULL) return PyErr_NoMemory();
    PyObject *answer = NULL;
    if (PyArg_ParseTuple(args, "(Uy*O!)(O!O!O!O!)(O!O!O!O!O!O!w*)(OOOOO)", &walk->markup, &cuts, &PyDict_Type, &walk->mended,
                         &PyDict_Type, &walk->heads.kinds, &PyDict_Type, &walk->heads.names, &PyList_Type, &walk->heads.others,
                         &PyDict_Type, &walk->elements,
                         &PyList_Type, &walk->links, &PyList_Type, &walk->unseen, &PyList_Type, &walk->marks, &PyDict_Type, &walk->targets, &PyDict_Type,
                         &walk->jumps, &PyList_Type, &walk->pieces, &added, &walk->turn, &walk->jump, &walk->preformatted, &walk->trim,
                         &walk->decoded)) {
        walk->cuts = cuts.buf;
        walk->count = cuts.len / (Py_ssize_t)sizeof(int64_t) - 1;
        walk->added = added.buf;
        walk->width = PyUnicode_KIND(walk->markup);
        if (!fits(walk, cuts.len, added.len)) refused("tokens lie one behind another in their markup");
        else if (has_room(walk, walk->width, PyUnicode_GET_LENGTH(walk->markup) / 2) && walked(walk)) answer = Py_NewRef(Py_None);
        PyBuffer_Release(&cuts);
        PyBuffer_Release(&added);
    }
    PyMem_Free(walk->buffer);
    PyMem_Free(walk);
    return answer;
}

PyObject *cuts(PyObject *Py_UNUSED(self), PyObject *markup) {
    if (!PyUnicode_Check(markup)) return refused("a markup is cut");
    Py_ssize_t length = PyUnicode_GET_LENGTH(markup), count = 0, room = length / 32 + 2, at = 0;
    int64_t *found = PyMem_Malloc((size_t)room * sizeof *found);
    for (; found != NULL && (at = PyUnicode_FindChar(markup, '<', at, length, 1)) >= 0; at++) {
        if (count + 2 > room) {
            int64_t *larger = PyMem_Realloc(found, (size_t)(room *= 2) * sizeof *found);
            if (larger == NULL) PyMem_Free(found);
            if ((found = larger) == NULL) break;
        }
        found[count++] = at;
    }
    if (found == NULL) return PyErr_NoMemory();
    found[count++] = length;
    PyObject *answer = PyBytes_FromStringAndSize((const char *)found, count * (Py_ssize_t)sizeof *found);
    PyMem_Free(found);
    return answer;
}
