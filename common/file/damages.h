/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The damaged places of one recording. Every pass and every thread that reads
 * the recording adds the places that it cannot read. A place that is added
 * twice counts once. All functions are thread-safe.
 */
#ifndef DWELL_COMMON_FILE_DAMAGES_H
#define DWELL_COMMON_FILE_DAMAGES_H

#include "common/util/base.h"

/* Limit for hostile files, which could have millions of places. */
#define DAMAGES_MAX 1024u

struct damage_place {
	uint64_t offset;  /* file offset; key of the place */
	const char *what; /* one line that describes the damage */
	uint64_t samples; /* missing samples; 0: none or unknown */
	/* range of the missing samples' times; 0: unknown */
	uint64_t first_time, last_time;
	/*
	 * The file ends here, inside a record, and was never closed: the
	 * recorder was killed. The data before OFFSET are complete.
	 */
	bool is_end;
	bool is_taken; /* damages_take() has returned the place */
};

struct damages;
struct damages *damages_create(void);
void damages_destroy(struct damages *damages);

/*
 * Adds a copy of LIKE and of its .what. A second place at the same offset only
 * adds samples and times that the first place lacks.
 */
void damages_add(struct damages *damages, const struct damage_place *like);
/*
 * Copies place I, in file order, to RET. Returns false if there is none. RET's
 * .what stays owned by DAMAGES.
 */
bool damages_at(struct damages *damages, size_t i, struct damage_place *ret);
/* Copies the place that was added first to RET, or returns false. */
bool damages_first(struct damages *damages, struct damage_place *ret);
bool damages_has(struct damages *damages, uint64_t offset);
/*
 * Copies to RET the first place in the file that no call has returned yet.
 * Returns the number of places returned so far, or 0 if there is no other one.
 */
size_t damages_take(struct damages *damages, struct damage_place *ret);

struct damages_sums {
	uint64_t places; /* without places that have is_end set */
	uint64_t samples;
	uint64_t first_time, last_time; /* of places with known times */
};
struct damages_sums damages_sums(struct damages *damages);

#endif
