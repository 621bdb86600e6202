/* A map from whole numbers to sums that keeps the order in which its keys came, as Python's dict does: what is added up from it
   has the same last bits, then. It is emptied by map_free. */

#ifndef TOPONAUT_MAP_H
#define TOPONAUT_MAP_H

#include "kernels.h"

typedef struct {
    int64_t key;
    double sum;
} Entry;

typedef struct {
    Entry *entries;
    int32_t *slots; /* twice as many as there is room for entries: an entry's index, one more than that; 0: free */
    Py_ssize_t count, room; /* room: a power of two, or 0 at first */
} Map;

enum { FIRST_ROOM = 64, MOST_ROOM = 1 << 30 };

static inline int32_t *slot_of(const Map *map, int64_t key) {
    uint64_t last = 2 * (uint64_t)map->room - 1, slot = ((uint64_t)key * 0x9E3779B97F4A7C15 >> 32) & last;
    while (map->slots[slot] && map->entries[map->slots[slot] - 1].key != key) slot = (slot + 1) & last;
    return map->slots + slot;
}

static inline bool map_grow(Map *map) {
    Py_ssize_t room = map->room ? 2 * map->room : FIRST_ROOM;
    Entry *entries = room <= MOST_ROOM ? PyMem_Realloc(map->entries, room * sizeof *entries) : NULL;
    if (entries != NULL) map->entries = entries;
    int32_t *slots = entries != NULL ? PyMem_Calloc(2 * room, sizeof *slots) : NULL;
    if (slots == NULL) {
        PyErr_NoMemory();
        return false;
    }
    PyMem_Free(map->slots);
    map->slots = slots, map->room = room;
    for (Py_ssize_t k = 0; k < map->count; k++) *slot_of(map, map->entries[k].key) = (int32_t)k + 1;
    return true;
}

/* The sum of a key, 0 for a new one, to be changed before the next call; NULL with the exception set. */
static inline double *sum_of(Map *map, int64_t key) {
    if (map->count == map->room && !map_grow(map)) return NULL;
    int32_t *slot = slot_of(map, key);
    if (!*slot) {
        map->entries[map->count++] = (Entry){key, 0.0};
        *slot = (int32_t)map->count;
    }
    return &map->entries[*slot - 1].sum;
}

static inline bool map_add(Map *map, int64_t key, double more) {
    double *sum = sum_of(map, key);
    if (sum != NULL) *sum += more;
    return sum != NULL;
}

static inline bool map_set(Map *map, int64_t key, double value) {
    double *sum = sum_of(map, key);
    if (sum != NULL) *sum = value;
    return sum != NULL;
}

/* What a map has for a key, or something else where it has not. */
static inline double map_get(const Map *map, int64_t key, double otherwise) {
    int32_t slot = map->count ? *slot_of(map, key) : 0;
    return slot ? map->entries[slot - 1].sum : otherwise;
}

static inline void map_free(Map *map) {
    PyMem_Free(map->entries);
    PyMem_Free(map->slots);
    *map = (Map){0};
}

#endif
