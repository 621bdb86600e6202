/* Links and marks from what flow.py has noted of a page. What is not as most of them are is left to Python. */

#include "kernels.h"

/* --- stretches of a text ------------------------------------------------------------------------------------------- */

static bool blank_at(PyObject *text, Py_ssize_t at) {
    return Py_UNICODE_ISSPACE(PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), at));
}

/* Leaves out the white space at the ends of a stretch; a stretch of nothing else ends where it starts. */
static void trim(PyObject *text, Py_ssize_t *start, Py_ssize_t *end) {
    Py_ssize_t first = *start;
    while (*end > first && blank_at(text, *end - 1)) *end -= 1;
    while (first < *end && blank_at(text, first)) first++;
    if (first < *end) *start = first;
}

/* Whether a text has single spaces between its words and no other white space. */
static bool is_one_line(PyObject *text) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    bool after_word = false;
    for (Py_ssize_t at = 0; at < length; at++) {
        bool blank = blank_at(text, at);
        if (blank && (!after_word || PyUnicode_READ_CHAR(text, at) != ' ')) return false;
        after_word = !blank;
    }
    return after_word || !length;
}

/* A number of a tuple, or -1 with the exception set if it is none between 0 and `most`. */
static Py_ssize_t offset_in(PyObject *tuple, Py_ssize_t number, Py_ssize_t most) {
    Py_ssize_t offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, number));
    if (offset < 0 || offset > most) {
        if (!PyErr_Occurred()) refused("an offset lies outside the text");
        return -1;
    }
    return offset;
}

static bool is_tuple_of(PyObject *object, Py_ssize_t size) {
    if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == size) return true;
    refused("not a tuple of the right size");
    return false;
}

/* --- link elements ------------------------------------------------------------------------------------------------- */

enum { FIRST, LAST, IMAGE, START, END, ANCHOR_SIZE };
enum { EVENT = 8, LINK_END = 2 * EVENT, AN_IMAGE = 3 * EVENT, POINT = 4 * EVENT }; /* as in parse/kinds.py */

typedef struct {
    PyObject *found, *none;           /* none: -1 */
    PyObject *opened, *image, *start; /* of the link that is open: its tag, the first image in it or none, where it starts */
} Anchors;

/* Appends a link element. All objects are borrowed. */
static bool add_anchor(Anchors *anchors, PyObject *first, PyObject *last, PyObject *image, PyObject *start, PyObject *end) {
    PyObject *anchor = PyTuple_Pack(ANCHOR_SIZE, first, last, image, start, end);
    bool done = anchor && !PyList_Append(anchors->found, anchor);
    Py_XDECREF(anchor);
    return done;
}

static bool take_link_event(Anchors *anchors, PyObject *event) {
    if (!is_tuple_of(event, 3)) return false;
    PyObject *index = PyTuple_GET_ITEM(event, 1), *at = PyTuple_GET_ITEM(event, 2);
    long kind = PyLong_AsLong(PyTuple_GET_ITEM(event, 0));
    if (kind < 0) {
        if (!PyErr_Occurred()) refused("no kind of event");
        return false;
    }
    if (kind >= POINT) return add_anchor(anchors, index, index, anchors->none, at, at);
    if (kind >= AN_IMAGE) {
        if (anchors->image == anchors->none) anchors->image = index;
        return true;
    }
    if (anchors->opened && !add_anchor(anchors, anchors->opened, index, anchors->image, anchors->start, at)) return false;
    anchors->opened = kind < LINK_END ? index : NULL;
    anchors->image = anchors->none;
    anchors->start = at;
    return true;
}

PyObject *anchors(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *events, *tokens, *length;
    Anchors all = {NULL};
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &events, &PyLong_Type, &tokens, &PyLong_Type, &length)) return NULL;
    events = PyList_AsTuple(events); /* so that nothing borrowed from them goes away */
    all.found = PyList_New(0);
    all.image = all.none = PyLong_FromLong(-1);
    bool good = events && all.found && all.none;
    for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(events); i++)
        good = take_link_event(&all, PyTuple_GET_ITEM(events, i));
    if (good && all.opened) good = add_anchor(&all, all.opened, tokens, all.image, all.start, length);
    Py_XDECREF(all.none);
    Py_XDECREF(events);
    if (!good) Py_CLEAR(all.found);
    return all.found;
}

/* --- links --------------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *text;
    PyObject *make, *source, *home, *site_of; /* the class, the page's URL, its site, and that of an origin */
    Py_ssize_t longest;                       /* path that is as it is in a URL */
    PyObject *no_words, *no_rel;
} Page;

enum { ORIGIN, PATH, HREF, TITLE, REL, TARGET_SIZE };

/* Whether a link's tag is as most are: a plain path, perhaps after an origin, perhaps with a title, and nothing else. */
static bool is_plain(const Page *page, PyObject *target) {
    PyObject *path = PyTuple_GET_ITEM(target, PATH), *title = PyTuple_GET_ITEM(target, TITLE);
    if (PyTuple_GET_ITEM(target, HREF) != Py_None || PyTuple_GET_ITEM(target, REL) != Py_None) return false;
    if (!PyUnicode_Check(path) || !PyUnicode_GET_LENGTH(path) || PyUnicode_GET_LENGTH(path) >= page->longest) return false;
    return title == Py_None || (PyUnicode_Check(title) && is_one_line(title));
}

/* The URL of a plain link, None if its site is none, NULL with the exception set. */
static PyObject *url_of(const Page *page, PyObject *target) {
    PyObject *origin = PyTuple_GET_ITEM(target, ORIGIN), *url = NULL;
    PyObject *site = origin == Py_None ? Py_NewRef(page->home) : PyObject_CallOneArg(page->site_of, origin);
    if (!site) return NULL;
    if (!PyUnicode_Check(site))
        refused("a site is no text");
    else
        url = PyUnicode_GET_LENGTH(site) ? PyUnicode_Concat(site, PyTuple_GET_ITEM(target, PATH)) : Py_NewRef(Py_None);
    Py_DECREF(site);
    return url;
}

/* A plain link that shows a text; None for another; NULL with the exception set. */
static PyObject *plain_link(const Page *page, PyObject *anchor, PyObject *target) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(page->text);
    Py_ssize_t start = offset_in(anchor, START, length), end = start < 0 ? -1 : offset_in(anchor, END, length);
    if (end < 0) return NULL;
    trim(page->text, &start, &end);
    if (start >= end || !is_plain(page, target)) return Py_NewRef(Py_None);
    PyObject *url = url_of(page, target), *link = NULL;
    if (!url || url == Py_None) return url;
    PyObject *title = PyTuple_GET_ITEM(target, TITLE);
    PyObject *said = PyUnicode_Substring(page->text, start, end);
    PyObject *first = PyLong_FromSsize_t(start), *behind = PyLong_FromSsize_t(end);
    if (said && first && behind) {
        PyObject *fields[] = {
            url, page->source, said, title == Py_None ? page->no_words : title, page->no_rel, first, behind,
        };
        link = PyObject_Vectorcall(page->make, fields, sizeof fields / sizeof *fields, NULL);
    }
    Py_XDECREF(behind);
    Py_XDECREF(first);
    Py_XDECREF(said);
    Py_DECREF(url);
    return link;
}

/* Appends the link of an anchor, if it leads to a page. */
static bool add_link(const Page *page, PyObject *anchor, PyObject *targets, PyObject *odd, PyObject *found) {
    if (!is_tuple_of(anchor, ANCHOR_SIZE)) return false;
    PyObject *target = PyDict_GetItemWithError(targets, PyTuple_GET_ITEM(anchor, FIRST)), *link = NULL;
    if (!target && PyErr_Occurred()) return false;
    if (target) {
        if (!is_tuple_of(target, TARGET_SIZE)) return false;
        Py_INCREF(target); /* what is called may change the dict */
        link = plain_link(page, anchor, target);
        Py_DECREF(target);
        if (!link) return false;
    }
    if (!link || link == Py_None) {
        Py_XDECREF(link);
        link = PyObject_CallOneArg(odd, anchor);
    }
    bool done = link && (link == Py_None || !PyList_Append(found, link));
    Py_XDECREF(link);
    return done;
}

PyObject *links(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *anchors, *targets, *odd;
    Page page;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "UO!O!(OUUOn)On", &page.text, &PyList_Type, &anchors, &PyDict_Type, &targets, &page.make,
                          &page.source, &page.home, &page.site_of, &page.longest, &odd, &most))
        return NULL;
    PyObject *found = PyList_New(0);
    page.no_words = PyUnicode_New(0, 0);
    page.no_rel = PyTuple_New(0);
    bool good = found && page.no_words && page.no_rel;
    for (Py_ssize_t i = 0; good && i < PyList_GET_SIZE(anchors) && PyList_GET_SIZE(found) < most; i++) {
        PyObject *anchor = Py_NewRef(PyList_GET_ITEM(anchors, i));
        good = add_link(&page, anchor, targets, odd, found);
        Py_DECREF(anchor);
    }
    Py_XDECREF(page.no_rel);
    Py_XDECREF(page.no_words);
    if (!good) Py_CLEAR(found);
    return found;
}

/* --- marks --------------------------------------------------------------------------------------------------------- */

enum { TAGS = 8, MARK = EVENT * TAGS, MARK_END = 2 * MARK }; /* as in parse/kinds.py */

/* A tag that waits for its end tag: where its first word begins, and the one before it of the same name (-1: none). */
typedef struct {
    Py_ssize_t word, before;
} Opened;

typedef struct {
    PyObject *text, *make, *names, *found;
    Opened *opened;
    Py_ssize_t tags, last[TAGS]; /* how many of them there are, and the last one of each name that waits */
    Py_ssize_t word;             /* where the first word begins, or goes on, after the last tag */
    Py_ssize_t stop, seen;       /* where the last word ends before the last end tag, and where that stands */
} Marks;

static void open_mark(Marks *marks, Py_ssize_t number, Py_ssize_t at) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(marks->text);
    if (at >= marks->word)
        for (marks->word = at; marks->word < length && blank_at(marks->text, marks->word);) marks->word++;
    marks->opened[marks->tags] = (Opened){marks->word, marks->last[number]};
    marks->last[number] = marks->tags++;
}

static bool close_mark(Marks *marks, Py_ssize_t number, Py_ssize_t at) {
    Opened opened = marks->opened[marks->last[number]];
    marks->last[number] = opened.before;
    Py_ssize_t stop = at;
    while (stop > marks->seen && blank_at(marks->text, stop - 1)) stop--;
    if (stop > marks->seen) marks->stop = stop;
    marks->seen = at;
    if (opened.word >= marks->stop) return true;
    PyObject *start = PyLong_FromSsize_t(opened.word), *end = PyLong_FromSsize_t(marks->stop), *mark = NULL;
    if (start && end) {
        PyObject *fields[] = {PyTuple_GET_ITEM(marks->names, number), start, end};
        mark = PyObject_Vectorcall(marks->make, fields, 3, NULL);
    }
    bool done = mark && !PyList_Append(marks->found, mark);
    Py_XDECREF(mark);
    Py_XDECREF(end);
    Py_XDECREF(start);
    return done;
}

static bool take_event(Marks *marks, PyObject *event) {
    if (!is_tuple_of(event, 3)) return false;
    Py_ssize_t kind = offset_in(event, 0, PY_SSIZE_T_MAX), number = kind / EVENT % TAGS;
    Py_ssize_t at = kind < 0 ? -1 : offset_in(event, 2, PyUnicode_GET_LENGTH(marks->text));
    if (at < 0) return false;
    if (kind >= MARK_END) return marks->last[number] < 0 || close_mark(marks, number, at);
    if (kind >= MARK) open_mark(marks, number, at);
    return true;
}

PyObject *marks(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *events, *found = NULL;
    Marks marks = {.last = {-1, -1, -1, -1, -1, -1, -1, -1}};
    if (!PyArg_ParseTuple(args, "UO!OO!", &marks.text, &PyList_Type, &events, &marks.make, &PyTuple_Type, &marks.names))
        return NULL;
    if (PyTuple_GET_SIZE(marks.names) != TAGS) return refused("not the names of all marks");
    Py_ssize_t count = PyList_GET_SIZE(events);
    marks.opened = PyMem_New(Opened, count);
    marks.found = PyList_New(0);
    bool good = marks.found && (marks.opened || PyErr_NoMemory());
    for (Py_ssize_t i = 0; good && i < count && i < PyList_GET_SIZE(events); i++)
        good = take_event(&marks, PyList_GET_ITEM(events, i));
    if (good) found = PyList_AsTuple(marks.found);
    Py_XDECREF(marks.found);
    PyMem_Free(marks.opened);
    return found;
}
