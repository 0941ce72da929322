/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The damaged places of one recording: file offsets at which data cannot be
 * read, and the samples that are missing there. Each pass and each thread that
 * reads the recording adds the damaged places it finds. A damaged place that is
 * added twice counts once. All functions are thread-safe.
 */
#ifndef DWELL_COMMON_FILE_DAMAGES_H
#define DWELL_COMMON_FILE_DAMAGES_H

#include "common/util/base.h"

/*
 * Limit of the damaged places that are kept; a hostile file could have
 * millions.
 */
#define DAMAGES_MAX 1024u

struct damage_place {
	uint64_t offset;  /* file offset of the damage; unique in the list */
	const char *what; /* one line that describes the damage */
	uint64_t samples; /* number of missing samples; 0: none or unknown */
	/* range of the missing samples' times, in ns; 0: unknown */
	uint64_t first_time, last_time;
	/*
	 * The readable data end at .offset because the recorder was killed
	 * before it closed the file. The data before .offset are complete.
	 */
	bool is_end;
	bool is_taken; /* damages_take() has returned this damage */
};

struct damages;
struct damages *damages_create(void);
void damages_destroy(struct damages *damages);

/*
 * Adds a copy of LIKE and of like->what to DAMAGES. If DAMAGES already has a
 * place at like->offset, that place is kept, and gets the number of missing
 * samples and their time span from LIKE if that number is larger.
 */
void damages_add(struct damages *damages, const struct damage_place *like);
/*
 * Copies the damaged place with index I, in file order, to RET. Returns false
 * if there is no place I. ret->what stays owned by DAMAGES.
 */
bool damages_at(struct damages *damages, size_t i, struct damage_place *ret);
/*
 * Copies the damaged place that was added first to RET. Returns false if
 * DAMAGES is empty.
 */
bool damages_first(struct damages *damages, struct damage_place *ret);
bool damages_has(struct damages *damages, uint64_t offset);
/*
 * Copies to RET the first damaged place, in file order, that damages_take() has
 * not returned yet. Returns the number of places that damages_take() has
 * returned so far, or 0 if no other place is left.
 */
size_t damages_take(struct damages *damages, struct damage_place *ret);

struct damages_sums {
	uint64_t places; /* number of damaged places without .is_end */
	uint64_t samples;
	/* range of the times of the missing samples, where known */
	uint64_t first_time, last_time;
};
struct damages_sums damages_sums(struct damages *damages);

#endif
