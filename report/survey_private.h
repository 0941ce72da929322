/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a survey remembers until it has ended, for survey*.c alone. */
#ifndef DWELL_SURVEY_PRIVATE_H
#define DWELL_SURVEY_PRIVATE_H

#include <pthread.h>

#include "common/array.h"
#include "common/reader.h"
#include "common/strbuf.h"

struct survey;

/* A copy of one sideband record that the replay wants, in file order. */
struct kept {
	uint64_t time;
	size_t order;
	size_t offset;     /* in the arena */
	uint64_t position; /* in the file */
};

struct survey_pass {
	pthread_mutex_t lock; /* of all, and of the reader */
	struct reader *reader;
	struct survey *survey;
	bool wants_times, wants_samples; /* enum survey_depth */
	struct strbuf arena;
	ARRAY(struct kept) kept;
};

/* survey_replay.c: from what was kept to SURVEY's maps and names. */
void survey_replay(struct survey_pass *pass);

#endif
