/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over sideband: it collects mappings, threads, JIT code and other
 * facts about a recording. After it, samples can be read in any order.
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
#include "report/survey/switches.h"

struct event_counts {
	uint64_t samples; /* after SURVEY_SAMPLES */
	uint64_t lost;    /* samples; exact if the recorder counted them */
	/* The same from LOST and from LOST_SAMPLES records. */
	uint64_t lost_reported, lost_read;
};

struct survey {
	struct maps *maps;
	/* If records have no time, their position in the file replaces it. */
	bool has_time;
	uint64_t by_type[RECORD_END]; /* records; unknown types in [0] */
	uint64_t records;
	uint64_t sample_bytes; /* of all samples' records */
	struct damage damaged; /* sideband that could not be read */
	ARRAY(struct event_counts) by_event;
	uint64_t lost;                   /* samples lost by all events */
	uint64_t first_time, last_time;  /* of samples; after SURVEY_TIMES */
	struct deferred_chains deferred; /* user call chains */
	struct jit_section jit;          /* names of JIT code */
	struct dumps dumps;              /* other data of JIT code */
	struct ticks_line ticks;         /* clock of the recorded processor */
	struct control_groups cgroups;
	struct namespaces namespaces;
	struct switches switches; /* after SURVEY_SWITCHES */
};

enum survey_depth {
	SURVEY_SIDEBAND, /* all sideband, no samples */
	SURVEY_TIMES,    /* and the times of the first and last sample */
	/*
	 * And the samples in dwell's blocks, which are otherwise skipped, so
	 * that every count is complete.
	 */
	SURVEY_SAMPLES,
	/*
	 * And all context switches. Samples in blocks are read only if some of
	 * them are switches or wakeups.
	 */
	SURVEY_SWITCHES,
};

struct error *survey_run(struct reader *reader, enum survey_depth depth,
	struct survey *ret) _must_check_;
void survey_deinit(struct survey *survey);

/*
 * Does the same chunk by chunk, for callers that also use the chunks. Any
 * thread may take the next chunk if it passes *ROOM for its bytes
 * (reader_keep()); without ROOM, the chunk is borrowed until the next call.
 * Chunks of dwell's blocks are always borrowed from the reader. Returns the
 * same as reader_next().
 */
struct survey_pass;
struct survey_pass *survey_begin(
	struct reader *reader, enum survey_depth depth, struct survey *ret);
int survey_next(struct survey_pass *pass, uint8_t **room, struct chunk *ret);
/* Finishes the survey after the last chunk, and frees PASS. */
struct error *survey_end(struct survey_pass *pass) _must_check_;

/* perf's name of JIT memory; the process ID follows. */
#define SURVEY_TIMED_JIT_NAME "[JIT] tid "
/*
 * Whether PATH is that of a synthetic DSO, of JIT code of process *PID_RET that
 * shared its addresses with other code. Its offsets are places (jit_section.h).
 */
bool survey_is_timed_jit(const char *path, uint32_t *pid_ret);

/*
 * Returns the command name of a thread: the text of COMM (maps_comm()),
 * "swapper", or ":1234" in UNNAMED. Borrowed from either.
 */
#define SURVEY_COMM_SIZE 16u
const char *survey_comm(const struct survey *survey, uint32_t comm,
	uint32_t tid, char unnamed[SURVEY_COMM_SIZE]);

/* Does the same for a thread without a command name. */
const char *survey_unnamed(uint32_t tid, char unnamed[SURVEY_COMM_SIZE]);

/* Returns a record's time in the survey's clock: TIME, or POSITION without it.
 */
static inline uint64_t survey_time(
	const struct survey *survey, uint64_t time, uint64_t position)
{
	return survey->has_time ? time : position;
}

#endif
