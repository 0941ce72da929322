/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over sideband: what ran where, and what the recording says about
 * itself. After it, samples can be read in any order.
 */
#ifndef DWELL_SURVEY_H
#define DWELL_SURVEY_H

#include "common/jit.h"
#include "common/maps.h"
#include "common/reader.h"
#include "report/control_groups.h"
#include "report/damage.h"
#include "report/late.h"
#include "report/namespaces.h"

struct event_counts {
	uint64_t samples; /* complete only after a full survey */
	uint64_t lost;    /* samples; exact where the recorder could tell */
	uint64_t lost_told, lost_read; /* by LOST and by LOST_SAMPLES records */
	uint64_t lost_sample_records;  /* how many of the latter */
};

struct survey {
	struct maps *maps;
	/* Time is the position in the file where records carry none. */
	bool has_time;
	uint64_t by_type[RECORD_END]; /* records; unknown types in [0] */
	uint64_t records;
	struct damage damaged; /* sideband that could not be read */
	ARRAY(struct event_counts) by_event;
	uint64_t lost; /* samples lost by all events */
	uint64_t first_time, last_time; /* of samples; 0 where none is known */
	struct late late; /* user callchains that came after their samples */
	struct jit jit; /* names of code that was made at run time */
	struct control_groups cgroups;
	struct namespaces namespaces;
};

/*
 * Reads all sideband of READER. FULL reads the samples too, so that every
 * count is complete (dwell's sample blocks are passed over otherwise).
 */
struct error *survey_run(
	struct reader *reader, bool full, struct survey *ret) _must_check_;
void survey_deinit(struct survey *survey);

/*
 * Whether PATH is that of a made-up DSO: of code that was made at run time by
 * PID, and shared its addresses with other code. Its offsets are places (jit.h).
 */
bool survey_is_timed(const char *path, uint32_t *pid_ret);

/*
 * The name of a thread's command: COMM's text (maps_comm()), or "swapper", or
 * ":1234" written to UNNAMED. Borrowed from either.
 */
#define SURVEY_COMM_SIZE 16u
const char *survey_comm(const struct survey *survey, uint32_t comm,
	uint32_t tid, char unnamed[SURVEY_COMM_SIZE]);

/* The same where the name isn't known. */
const char *survey_unnamed(uint32_t tid, char unnamed[SURVEY_COMM_SIZE]);

/* The clock of the recording at a record: its time, or where it stands. */
static inline uint64_t survey_time(
	const struct survey *survey, uint64_t time, uint64_t position)
{
	return survey->has_time ? time : position;
}

#endif
