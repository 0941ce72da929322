/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over sideband: what ran where, and what the recording says about
 * itself. After it, samples can be read in any order.
 */
#ifndef DWELL_REPORT_SURVEY_SURVEY_H
#define DWELL_REPORT_SURVEY_SURVEY_H

#include "common/file/jit_section.h"
#include "common/file/reader.h"
#include "common/maps/maps.h"
#include "report/survey/control_groups.h"
#include "report/survey/damage.h"
#include "report/survey/deferred_chains.h"
#include "report/survey/jitdumps.h"
#include "report/survey/namespaces.h"
#include "report/survey/switches.h"

struct event_counts {
	uint64_t samples; /* after SURVEY_SAMPLES */
	uint64_t lost;    /* samples; exact where the recorder could tell */
	uint64_t lost_told, lost_read; /* by LOST and by LOST_SAMPLES records */
};

struct survey {
	struct maps *maps;
	/* Time is the position in the file where records carry none. */
	bool has_time;
	uint64_t by_type[RECORD_END]; /* records; unknown types in [0] */
	uint64_t records;
	uint64_t sample_bytes; /* of all samples' records */
	struct damage damaged; /* sideband that could not be read */
	ARRAY(struct event_counts) by_event;
	uint64_t lost; /* samples lost by all events */
	uint64_t first_time, last_time; /* of samples; after SURVEY_TIMES */
	struct late late; /* user callchains that came after their samples */
	struct jit jit; /* names of code that was made at run time */
	struct dumps dumps; /* how it is unwound, where that isn't in the file */
	struct ticks_line ticks; /* of the processor that was recorded */
	struct control_groups cgroups;
	struct namespaces namespaces;
	struct switches switches; /* after SURVEY_SWITCHES */
};

enum survey_depth {
	SURVEY_SIDEBAND, /* all of it, but nothing of samples */
	SURVEY_TIMES,    /* and between which times samples were taken */
	/*
	 * And the samples in dwell's blocks, which are passed over otherwise:
	 * so every count is complete.
	 */
	SURVEY_SAMPLES,
	/*
	 * All that tells when threads ran; of samples in blocks only if there
	 * are such that tell it.
	 */
	SURVEY_SWITCHES,
};

struct error *survey_run(struct reader *reader, enum survey_depth depth,
	struct survey *ret) _must_check_;
void survey_deinit(struct survey *survey);

/*
 * The same chunk by chunk, for those who have use for the chunks, too. Any
 * thread may take the next one, if it has *ROOM to keep it in (reader_keep());
 * without, it is borrowed until the next call. Chunks of dwell's blocks stay
 * where they are in any case. Returns what reader_next() does.
 */
struct survey_pass;
struct survey_pass *survey_begin(
	struct reader *reader, enum survey_depth depth, struct survey *ret);
int survey_next(struct survey_pass *pass, uint8_t **room, struct chunk *ret);
/* After the last one. PASS is gone then. */
struct error *survey_end(struct survey_pass *pass) _must_check_;

/* As perf names memory in which code is made; then comes the process. */
#define SURVEY_TIMED_NAME "[JIT] tid "
/*
 * Whether PATH is that of a made-up DSO: of code that was made at run time by
 * PID, and shared its addresses with other code. Its offsets are places (jit_section.h).
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
