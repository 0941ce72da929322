/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings made in memory, for the tests of everything that reads them: by
 * the writer as dwell does, or byte by byte as perf does. Sample I of such a
 * recording can be told from all others by its address and its time.
 */
#ifndef DWELL_MAKE_RECORDING_H
#define DWELL_MAKE_RECORDING_H

#include "common/file/reader.h"
#include "common/file/writer.h"

/* --- a sink in memory ----------------------------------------------------- */

struct memory {
	struct strbuf file;  /* owned */
	bool has_limit;      /* a disk that is full: */
	size_t left;         /* bytes that can still be written */
	bool can_not_cut;    /* not even cutting works */
};

struct sink memory_sink(struct memory *memory);
void memory_deinit(struct memory *memory);

/* --- records -------------------------------------------------------------- */

/* IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN. */
extern const uint64_t make_sample_type;

/* N events "event-0", "event-1" with the ids 100, 101, ..., and a host. */
void make_host(struct features *host, size_t n_events);
struct perf_event_attr make_attr(void);

struct made_sample {
	uint64_t id, ip, time, period;
	uint32_t pid, tid, cpu;
	uint16_t misc;         /* 0: user code */
	const uint64_t *chain; /* borrowed */
	size_t n_chain;
};
/* Appends a SAMPLE of make_sample_type. */
void make_sample(struct strbuf *out, const struct made_sample *sample);

/* Sideband with the trailer of make_attr(). */
void make_comm(struct strbuf *out, uint32_t pid, uint32_t tid,
	const char *comm, bool is_exec, uint64_t time);
void make_mmap(struct strbuf *out, uint32_t pid, uint64_t start,
	uint64_t size, uint64_t offset, const char *path, uint64_t time);
void make_fork(struct strbuf *out, uint32_t ppid, uint32_t ptid, uint32_t pid,
	uint32_t tid, uint64_t time);

/* --- whole recordings ----------------------------------------------------- */

#define MADE_PID 77u
#define MADE_PATH "/nonexistent/made/program"
#define MADE_START UINT64_C(0x400000)
#define MADE_IP(i) (MADE_START + UINT64_C(0x10) * (i))
#define MADE_TIME(i) (UINT64_C(1000000) + UINT64_C(1000) * (i))

struct recording {
	unsigned n_samples, n_events; /* sample I is of event I % n_events */
	unsigned per_block;           /* samples a block; 0: plain records */
	bool is_open;                 /* never closed, as a pipe or a SIGKILL
				       * leaves it */
	bool has_tracing_data;
	struct writer_section section; /* an own section, if it has a name */
};

/* Its sideband, two records, and its samples from I to END. */
void make_sideband(struct strbuf *out);
void make_samples(
	struct strbuf *out, unsigned n_events, unsigned i, unsigned end);

struct error *make_recording(const struct recording *recording,
	struct memory *memory) _must_check_;

/*
 * A perf.data as perf writes it: header, ids, attrs, DATA, then HOST's
 * features that are marked present.
 */
void make_perf_file(const struct features *host, const struct strbuf *data,
	struct strbuf *out);
/* The same as a stream: HOST's attrs as records, then DATA. */
void make_perf_pipe(const struct features *host, const struct strbuf *data,
	struct strbuf *out);
/*
 * RAW as `perf record -z` has it: one zstd stream that never ends, flushed
 * after each PIECE bytes, cut into records of TYPE with at most CUT bytes.
 */
void make_perf_stream(const struct strbuf *raw, size_t piece, size_t cut,
	uint32_t type, struct strbuf *out);

/* --- reading them --------------------------------------------------------- */

/* Opens bytes as if they were a file. */
struct error *open_bytes(
	const void *data, size_t size, struct reader **ret) _must_check_;

struct found {
	ARRAY(struct found_sample {
		struct sample sample; /* its pointers are not to be used */
		size_t event;
	}) samples;
	size_t records, sideband;
	size_t sideband_after; /* sideband found behind the first sample */
	size_t damaged;        /* samples that can't be read */
};
/* By reader_next(), to the end. */
void find_all(struct reader *reader, struct found *ret);
/* By a cursor, extent by extent, after find_all(). */
void find_again(struct reader *reader, struct found *ret);
void found_deinit(struct found *found);

#endif
