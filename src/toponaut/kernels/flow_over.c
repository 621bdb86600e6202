/* What a walk passes over: scripts and style sheets, hidden elements; `_raw` and `_hidden_end` of parse/flow.py. */

#include "flow.h"

/* --- scripts and style sheets ------------------------------------------------------------------------------------- */

const char *idle_name(Signs signs, Span head, long kind) {
    static const char *const names[] = {"script", "style"};
    for (int k = 0; kind == RAW_TEXT && k < 2; k++) {
        Py_ssize_t end = head.start + (Py_ssize_t)strlen(names[k]);
        if (!begins(signs, head, names[k], false) || (end < head.end && sign_at(signs, end) != ' ')) continue;
        for (; end < head.end; end++) {
            if (begins(signs, (Span){end, head.end}, "ld+json", true)) return NULL;
        }
        return names[k];
    }
    return NULL;
}

/* Whether a chunk begins with the end tag of an element. */
static bool ends(Signs signs, Span chunk, const char *name) {
    if (chunk.start == chunk.end || sign_at(signs, chunk.start++) != '/' || !begins(signs, chunk, name, true)) return false;
    chunk.start += (Py_ssize_t)strlen(name);
    Py_UCS4 sign = chunk.start < chunk.end ? sign_at(signs, chunk.start) : ' ';
    return sign == ' ' || sign == '/' || sign == '>';
}

Py_ssize_t idle_end(Walk *walk, Py_ssize_t index, const char *name) {
    Signs signs = signs_of(walk->markup);
    Py_ssize_t next = index + 1;
    while (next < walk->count && !ends(signs, (Span){walk->cuts[next] + 1, walk->cuts[next + 1]}, name)) next++;
    PyObject *number = PyLong_FromSsize_t(next);
    bool done = number != NULL && entered(walk->jumps, index, number);
    Py_XDECREF(number);
    return done ? next : -1;
}

/* --- which elements are open: parse/elements.py ------------------------------------------------------------------- */

enum { LOOK_BACK = 8, BLOCK = 1, VOID = 2, OWN = 2, ENDS = 16 }; /* the last two: where the bits of ELEMENTS begin */

typedef struct {
    PyObject *table, *numbers; /* ELEMENTS, and by name the numbers of those met */
    struct {
        long bits;
        Py_ssize_t open;
    } *elements;
    Py_ssize_t known, room;
    Py_ssize_t *stack; /* the numbers of those open */
    Py_ssize_t depth, space;
} Open;

static bool has_place(void **items, Py_ssize_t *room, Py_ssize_t used, size_t size) {
    if (used < *room) return true;
    void *larger = PyMem_Realloc(*items, (size_t)(2 * used + 16) * size);
    if (larger == NULL) return PyErr_NoMemory() != NULL;
    *items = larger;
    *room = 2 * used + 16;
    return true;
}

static Py_ssize_t number_of(Open *open, PyObject *name) {
    PyObject *found = PyDict_GetItemWithError(open->numbers, name);
    if (found != NULL) return PyLong_AsSsize_t(found);
    PyObject *said = PyErr_Occurred() ? NULL : PyDict_GetItemWithError(open->table, name);
    long bits = said == NULL ? 0 : PyLong_AsLong(said);
    if (PyErr_Occurred()) return -1;
    if (!has_place((void **)&open->elements, &open->room, open->known, sizeof *open->elements)) return -1;
    PyObject *number = PyLong_FromSsize_t(open->known);
    bool done = number != NULL && PyDict_SetItem(open->numbers, name, number) == 0;
    Py_XDECREF(number);
    if (!done) return -1;
    open->elements[open->known].bits = bits;
    open->elements[open->known].open = 0;
    return open->known++;
}

static Py_ssize_t popped(Open *open, Py_ssize_t many) {
    for (Py_ssize_t k = 0; k < many; k++) open->elements[open->stack[--open->depth]].open--;
    return many;
}

/* Opens an element; says how many others end before it, or -1 with the exception set. */
static Py_ssize_t started(Open *open, Py_ssize_t number) {
    long bits = open->elements[number].bits;
    Py_ssize_t ended = 0;
    for (Py_ssize_t depth = 1; depth <= LOOK_BACK && depth <= open->depth; depth++) {
        long opened = open->elements[open->stack[open->depth - depth]].bits;
        long own = opened >> OWN & ((1 << (ENDS - OWN)) - 1);
        if (bits >> ENDS & own) ended = depth;
        else if (opened & BLOCK && !own) break;
    }
    popped(open, ended);
    if (bits & VOID) return ended;
    if (!has_place((void **)&open->stack, &open->space, open->depth, sizeof *open->stack)) return -1;
    open->stack[open->depth++] = number;
    open->elements[number].open++;
    return ended;
}

/* Closes the innermost element of a name; says how many end with it, 0 if none is open. */
static Py_ssize_t closed(Open *open, Py_ssize_t number) {
    if (!open->elements[number].open) return 0;
    Py_ssize_t ended = 1;
    while (open->stack[open->depth - ended] != number) ended++;
    return popped(open, ended);
}

/* --- hidden elements ---------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *text; /* that its head stands in */
    Span head;
    long kind;
} Tag;

static bool tag_at(Walk *walk, Py_ssize_t index, Tag *tag) {
    PyObject *mended = mended_token(walk, index);
    if (mended != NULL) {
        if (!PyTuple_Check(mended) || PyTuple_GET_SIZE(mended) != 3 || !PyUnicode_Check(PyTuple_GET_ITEM(mended, 0)))
            return refused("a token has three parts") != NULL;
        PyObject *head = PyTuple_GET_ITEM(mended, 0), *kind = PyObject_GetItem(walk->heads.kinds, head);
        *tag = (Tag){head, {0, PyUnicode_GET_LENGTH(head)}, kind == NULL ? -1 : PyLong_AsLong(kind)};
        Py_XDECREF(kind);
        return !PyErr_Occurred();
    }
    if (PyErr_Occurred()) return false;
    Span head = {walk->cuts[index] + 1, walk->cuts[index + 1]};
    Py_ssize_t close = PyUnicode_FindChar(walk->markup, '>', head.start, head.end, 1);
    if (close >= 0) head.end = close;
    *tag = (Tag){walk->markup, head, kind_of(&walk->heads, walk->markup, head, close < 0 ? OPEN : UNKNOWN)};
    return tag->kind >= 0;
}

static bool is_letter(Py_UCS4 sign) { return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z'); }

/* The number of a tag's name, without the "/" of an end tag; -2 for what is no tag, -1 with the exception set. */
static Py_ssize_t named(Open *open, const Tag *tag, bool *is_end) {
    Signs signs = signs_of(tag->text);
    Span name = {tag->head.start, tag->head.end};
    *is_end = begins(signs, name, "/", false);
    name.start += *is_end;
    if (name.start >= name.end || !is_letter(sign_at(signs, name.start))) return -2;
    bool is_small = true;
    Py_ssize_t at = name.start;
    for (Py_UCS4 sign; at < name.end && (sign = sign_at(signs, at)) != ' ' && sign != '/' && sign != '>'; at++) {
        is_small &= sign < 0x80 && !(sign >= 'A' && sign <= 'Z');
    }
    PyObject *string = PyUnicode_Substring(tag->text, name.start, at);
    if (string != NULL && !is_small) Py_SETREF(string, PyObject_CallMethod(string, "lower", NULL));
    Py_ssize_t number = string == NULL ? -1 : number_of(open, string);
    Py_XDECREF(string);
    return number;
}

/* Whether the outermost element ends at a tag: 1, 0, or -1 with the exception set. */
static int is_over(Open *open, const Tag *tag, Py_ssize_t paragraph) {
    bool is_end;
    Py_ssize_t depth = open->depth, number = named(open, tag, &is_end), ended = 0;
    if (number == -1) return -1;
    if (number >= 0) ended = is_end ? closed(open, number) : started(open, number);
    if (ended < 0) return -1;
    /* An end tag for nothing in here closes what is around, if it is that of a block. */
    if (number >= 0 && is_end && !ended && open->elements[number].bits & BLOCK && number != paragraph) return 1;
    return ended == depth;
}

/* What is no markup, or no tag as it stands: the reader says where to go on. */
static Py_ssize_t jumped(Walk *walk, long kind, Py_ssize_t index) {
    walk->aside = true;
    PyObject *told = PyObject_CallFunction(walk->jump, "lnn", kind, index, walk->at);
    Py_ssize_t next = told == NULL ? -1 : PyLong_AsSsize_t(told);
    Py_XDECREF(told);
    if (PyErr_Occurred()) return -1;
    if (next < index || next > walk->count) {
        refused("a step goes on within the page");
        return -1;
    }
    return next;
}

static Py_ssize_t end_of_all(Walk *walk, Open *open, Py_ssize_t index, Py_ssize_t paragraph) {
    Tag tag;
    while (index < walk->count) {
        if (!tag_at(walk, index, &tag)) return -1;
        long kind = tag.kind & ~GAP;
        if (kind == BROKEN || kind == COMMENT || kind == RAW_TEXT) {
            const char *idle = tag.text == walk->markup ? idle_name(signs_of(tag.text), tag.head, kind) : NULL;
            index = idle != NULL ? idle_end(walk, index, idle) : jumped(walk, kind, index);
            if (index < 0) return -1;
            continue;
        }
        if (kind >= LINK && kind <= POINT && !noted(walk->unseen, kind, index, walk->at)) return -1;
        int over = is_over(open, &tag, paragraph);
        if (over) return over < 0 ? -1 : index;
        index++;
    }
    return index;
}

Py_ssize_t hidden_end(Walk *walk, Py_ssize_t index) {
    Open open = {.table = walk->elements, .numbers = PyDict_New()};
    Py_ssize_t end = -1;
    Tag tag;
    bool is_end;
    PyObject *p = PyUnicode_FromString("p"), *a = PyUnicode_FromString("a");
    if (open.numbers == NULL || p == NULL || a == NULL) goto done;
    Py_ssize_t paragraph = number_of(&open, p), link = number_of(&open, a);
    if (paragraph < 0 || link < 0 || !tag_at(walk, index, &tag)) goto done;
    Py_ssize_t number = named(&open, &tag, &is_end);
    if (number == -1 || (number >= 0 && started(&open, number) < 0)) goto done;
    if (number == link && !noted(walk->unseen, LINK, index, walk->at)) goto done;
    end = end_of_all(walk, &open, index + 1, paragraph);
    if (end >= 0 && !noted(walk->unseen, LINK_END, end, walk->at)) end = -1;
    walk->aside = true; /* the reader may have mended the tag that ends it */
done:
    Py_XDECREF(p);
    Py_XDECREF(a);
    Py_XDECREF(open.numbers);
    PyMem_Free(open.elements);
    PyMem_Free(open.stack);
    return end;
}
