/* Tokens and the table of names, as names.c has them: what glance.c reads, too. */

#ifndef TOPONAUT_NAMES_H
#define TOPONAUT_NAMES_H

#include "kernels.h"

/* The tokens of a text. */
typedef struct {
    const uint8_t *kind, *folded;
    Py_ssize_t length, planes; /* of the text; of the folded codes */
    const int64_t *start, *end;
    Py_ssize_t count;
} Tokens;

typedef struct {
    const uint64_t *keys;
    const uint8_t *flags, *firsts;
    const int32_t *buckets;
    Py_ssize_t count;
} Names;

/* Whether buffers are as long as they have to be. */
bool tokens_fit(Tokens *tokens, Py_ssize_t length, const Py_buffer *folded, const Py_buffer *start, const Py_buffer *end);

/* Whether a token lies in the text. */
static inline bool lies_inside(const Tokens *tokens, int64_t k) {
    return (tokens->start[k] >= 0) & (tokens->start[k] <= tokens->end[k]) & (tokens->end[k] <= tokens->length);
}

/* Whether the four buffers of a table are as long as they have to be: keys, flags, buckets, firsts. */
bool is_whole(const Py_buffer *table, Names *names);

uint64_t hash_of(const Tokens *tokens, int64_t k);

/* Where a hash stands in the table; -1: nowhere. */
int64_t index_of(const Names *names, uint64_t hash);

#endif
