/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes recordings in memory for tests of readers: with common/file/writer.h as
 * dwell does, or byte by byte in perf's layout. Sample I of a recording has a
 * unique address, MADE_IP(I), and a unique time, MADE_TIME(I).
 */
#ifndef DWELL_MAKE_RECORDING_H
#define DWELL_MAKE_RECORDING_H

#include "common/file/reader.h"
#include "common/file/writer.h"

/* --- a sink in memory ----------------------------------------------------- */

struct memory {
	struct strbuf file; /* owned */
	bool has_limit;	    /* writing fails after .left bytes (disk full) */
	size_t left;	    /* bytes that can still be written */
	bool can_not_cut;   /* cutting the file fails */
};

struct sink memory_sink(struct memory *memory);
void memory_deinit(struct memory *memory);

/* --- records -------------------------------------------------------------- */

/* The sample_type: IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN. */
extern const uint64_t make_sample_type;

/*
 * Fills HOST with N_EVENTS events "event-0", "event-1", ... with the IDs 100,
 * 101, ..., and with host features. The caller deinits it.
 */
void make_host(struct features *host, size_t n_events);
struct perf_event_attr make_attr(void);

struct made_sample {
	uint64_t id, ip, time, period;
	uint32_t pid, tid, cpu;
	uint16_t misc;	       /* 0: user code */
	const uint64_t *chain; /* borrowed */
	size_t n_chain;
};
/* Appends a sample record in the layout of make_sample_type. */
void make_sample(struct strbuf *out, const struct made_sample *sample);

/* Append sideband records with the trailer of make_attr(). */
void make_comm(struct strbuf *out, uint32_t pid, uint32_t tid, const char *comm,
	bool is_exec, uint64_t time);
void make_mmap(struct strbuf *out, uint32_t pid, uint64_t start, uint64_t size,
	uint64_t offset, const char *path, uint64_t time);
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
	unsigned per_block;	      /* samples per block; 0: plain records */
	bool is_open;		      /* not closed, as after SIGKILL or from a
				       * pipe */
	bool has_tracing_data;
	struct writer_section section; /* one of dwell's sections, if named */
};

/* Append the two sideband records, and the samples from I to END - 1. */
void make_sideband(struct strbuf *out);
void make_samples(
	struct strbuf *out, unsigned n_events, unsigned i, unsigned end);

struct error *make_recording(
	const struct recording *recording, struct memory *memory) _must_check_;

/*
 * Appends a perf.data as perf writes it: header, IDs, attributes, DATA, then
 * HOST's features that are marked present.
 */
void make_perf_file(const struct features *host, const struct strbuf *data,
	struct strbuf *out);
/* Appends perf's stream: HOST's attributes as records, then DATA. */
void make_perf_pipe(const struct features *host, const struct strbuf *data,
	struct strbuf *out);
/*
 * Appends RAW as `perf record -z` compresses it: one zstd stream without an
 * end, flushed after each PIECE bytes, in records of TYPE with at most CUT
 * bytes.
 */
void make_perf_stream(const struct strbuf *raw, size_t piece, size_t cut,
	uint32_t type, struct strbuf *out);

/* --- reading recordings --------------------------------------------------- */

/* Opens the recording of SIZE bytes in DATA. */
struct error *open_bytes(
	const void *data, size_t size, struct reader **ret) _must_check_;

struct found {
	ARRAY(struct found_sample {
		struct sample sample; /* its pointers are invalid */
		size_t event;
	})
	samples;
	size_t records, sideband;
	size_t sideband_after; /* sideband records after the first sample */
	size_t damaged;	       /* samples that cannot be parsed */
};
/* Reads all records with reader_next(). */
void find_all(struct reader *reader, struct found *ret);
/* Reads all extents again with a cursor, after find_all(). */
void find_again(struct reader *reader, struct found *ret);
void found_deinit(struct found *found);

#endif
