/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The survey: the pass over the sideband records of a recording. It collects
 * mappings, threads, JIT code and other facts about the recording. After the
 * survey, samples can be read in any order.
 */
#ifndef DWELL_REPORT_SURVEY_SURVEY_H
#define DWELL_REPORT_SURVEY_SURVEY_H

#include "common/file/jit_section.h"
#include "common/file/reader.h"
#include "common/maps/maps.h"
#include "report/survey/control_groups.h"
#include "report/survey/deferred_chains.h"
#include "report/survey/incomplete.h"
#include "report/survey/jitdumps.h"
#include "report/survey/switches.h"

struct survey_event_counts {
	uint64_t samples; /* complete only after SURVEY_SAMPLES */
	uint64_t lost;	  /* lost samples; exact if the recorder counted them */
	/* Lost samples by LOST and by LOST_SAMPLES records. */
	uint64_t lost_reported, lost_read;
};

struct survey {
	struct maps *maps;
	/* If false, positions in the file replace the times of records. */
	bool has_time;
	uint64_t by_type[RECORD_END]; /* records; unknown types in [0] */
	uint64_t records;
	uint64_t sample_bytes; /* size of all sample records */
	struct incomplete_damage
		damaged; /* sideband records that could not be read */
	/* Sideband records that were left out by the limit of memory. */
	struct incomplete_damage over_limit;
	ARRAY(struct survey_event_counts) by_event;
	/* Samples lost by all events; UINT64_MAX: at least so many. */
	uint64_t lost;
	uint64_t first_time, last_time;	 /* of samples; set by SURVEY_TIMES */
	struct deferred_chains deferred; /* user call chains */
	struct jit_section jit;		 /* names of JIT code */
	struct jitdumps dumps;		 /* jitdumps: other data of JIT code */
	struct jitdump_ticks ticks;	 /* clock of the recorded processor */
	struct control_groups cgroups;
	struct control_namespaces namespaces;
	struct switches switches; /* filled by SURVEY_SWITCHES */
};

/* Returns the sum of two numbers of lost samples, at most UINT64_MAX. */
static inline uint64_t survey_add_lost(uint64_t a, uint64_t b)
{
	return a + MIN(b, UINT64_MAX - a);
}

enum survey_depth {
	SURVEY_SIDEBAND, /* reads all sideband, no samples */
	SURVEY_TIMES,	 /* all sideband, and the first and last sample time */
	/*
	 * All records, also samples in dwell's blocks, which the other depths
	 * can skip. Every count is complete.
	 */
	SURVEY_SAMPLES,
	/*
	 * All sideband and all context switches. Samples in dwell's blocks are
	 * read only if an event samples context switches or wakeups.
	 */
	SURVEY_SWITCHES,
};

struct error *survey_run(struct reader *reader, enum survey_depth depth,
	struct survey *ret) _must_check_;
void survey_deinit(struct survey *survey);

/* The name that perf gives to JIT memory; the process ID is appended. */
#define SURVEY_TIMED_JIT_NAME "[JIT] tid "
/*
 * Returns whether PATH is the name of a synthetic DSO, for JIT code that shared
 * addresses with other code over time. *PID_RET is the process of the code.
 * Offsets in the DSO are places (jit_section.h).
 */
bool survey_is_timed_jit(const char *path, uint32_t *pid_ret);

/*
 * Returns the command name of thread TID: the text of COMM (maps_comm()), or
 * survey_unnamed() if COMM is 0. Borrowed from SURVEY or UNNAMED.
 */
#define SURVEY_COMM_SIZE 16u
const char *survey_comm(const struct survey *survey, uint32_t comm,
	uint32_t tid, char unnamed[SURVEY_COMM_SIZE]);

/*
 * Returns the last command name of the main thread of the process that had PID
 * in its use PID_USE (maps_context()), borrowed from SURVEY, or NULL if the main
 * thread has no command name.
 */
const char *survey_process_comm(
	const struct survey *survey, uint32_t pid, uint32_t pid_use);

/*
 * Returns the name of thread TID if it has no command name: "swapper" for the
 * idle task, else ":1234", written to UNNAMED.
 */
const char *survey_unnamed(uint32_t tid, char unnamed[SURVEY_COMM_SIZE]);

/*
 * Returns the time of a record: TIME, or POSITION in the file if the records of
 * the recording have no times.
 */
static inline uint64_t survey_time(
	const struct survey *survey, uint64_t time, uint64_t position)
{
	return survey->has_time ? time : position;
}

#endif
