/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The damaged places of one recording. Every pass and every thread that reads
 * the recording adds the places that it cannot read; a place that is added
 * twice counts once. Every function here is thread-safe.
 */
#ifndef DWELL_COMMON_FILE_DAMAGES_H
#define DWELL_COMMON_FILE_DAMAGES_H

#include "common/util/base.h"

/* A hostile file could have millions of places. */
#define DAMAGES_MAX 1024u

struct damage_place {
	uint64_t offset;  /* in the file; key of the place */
	const char *what; /* one line that names the place */
	uint64_t samples; /* missing samples; 0: none, or unknown */
	uint64_t first_time, last_time; /* bounds of their times; 0: unknown */
	/*
	 * The file ends here, inside a record, and was never closed: its
	 * recorder was killed. The answer is complete up to there.
	 */
	bool is_end;
	bool is_taken; /* by damages_take() */
};

struct damages;
struct damages *damages_create(void);
void damages_destroy(struct damages *damages);

/*
 * Adds a copy of LIKE and of its .what. A second place at the same offset only
 * adds the samples and times that the first one lacks.
 */
void damages_add(struct damages *damages, const struct damage_place *like);
/* Copies place I, by offset, to RET; its .what stays owned by DAMAGES. */
bool damages_at(struct damages *damages, size_t i, struct damage_place *ret);
/* The first place that was added, or false if there is none. */
bool damages_first(struct damages *damages, struct damage_place *ret);
bool damages_has(struct damages *damages, uint64_t offset);
/*
 * Copies a place to RET that no call has copied yet, in the order of the file.
 * Returns how many this makes, or 0 if there is none.
 */
size_t damages_take(struct damages *damages, struct damage_place *ret);

struct damages_sums {
	uint64_t places; /* not counting those that are an end */
	uint64_t samples;
	uint64_t first_time, last_time; /* of places with known times */
};
struct damages_sums damages_sums(struct damages *damages);

#endif
