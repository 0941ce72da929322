/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PERF_RECORD_SAMPLE, and the sample_id trailer of all other records, as their
 * event's attr lays them out (linux/perf_event.h, perf_event_sample_format).
 */
#ifndef DWELL_COMMON_PERF_SAMPLE_H
#define DWELL_COMMON_PERF_SAMPLE_H

#include "common/perf/abi.h"
#include "common/perf/record.h"

/*
 * What an attr says about the bytes of its records. Offsets are in bytes from
 * the record's start, 0 where the field is absent or not at a fixed place.
 */
struct sample_layout {
	uint64_t type; /* attr.sample_type */
	uint64_t read_format, branch_type, period;
	uint8_t n_regs_user, n_regs_intr;
	bool has_trailer;                 /* attr.sample_id_all */
	uint8_t ip, tid, time, id, cpu, period_at, counts, callchain;
	uint8_t leading_size; /* of all fields at fixed places together */
	uint8_t trailer_size;
	uint8_t trailer_time, trailer_id; /* from the record's end */
};

void sample_layout_init(
	struct sample_layout *layout, const struct perf_event_attr *attr);

struct sample_count {
	uint64_t value, id, lost;
};

/* Counters as read(2) gives them: of a SAMPLE or of a READ record. */
struct sample_counts {
	uint64_t n;                /* counters; 0: none are told */
	uint64_t enabled, running; /* ns; 0 where they are not told */
	bool has_id, has_lost;
	struct sample_count only;  /* without PERF_FORMAT_GROUP */
	const uint8_t *group;      /* with it: N times value, id, lost */
};

struct sample {
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu;
	uint8_t cpumode;          /* MISC_KERNEL, MISC_USER, ... */
	bool has_more;            /* than the fields above .raw_size */
	uint64_t n_chain;         /* entries, markers included */
	const uint8_t *chain;     /* u64 each, unaligned; NULL if none */
	uint32_t raw_size;
	const uint8_t *raw;       /* tracepoint data; NULL if none */
	uint64_t n_branches;
	const uint8_t *branches;  /* {u64 from, to, flags} each */
	const uint8_t *branch_counters; /* u64 each; NULL if none */
	uint64_t branch_index;    /* hw_idx; 0 where it isn't told */
	uint64_t stack_size;      /* bytes valid of the user stack's copy, */
	uint64_t stack_room;      /* of so many there */
	const uint8_t *stack;
	uint64_t regs_user_abi;
	const uint8_t *regs_user; /* u64 per bit of sample_regs_user */
	uint64_t regs_intr_abi;
	const uint8_t *regs_intr; /* u64 per bit of sample_regs_intr */
	uint64_t aux_size;
	const uint8_t *aux;       /* a piece of AUX data; NULL if none */
	struct sample_counts counts;
	uint64_t weight, data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
};

/*
 * Reads every field that LAYOUT names. What the sample lacks is 0, cpu is
 * UINT32_MAX, period is the attr's. Pointers are borrowed from the record.
 * False when a field runs past the record's end.
 */
bool sample_read(const struct sample_layout *layout,
	const struct record *record, struct sample *ret);
/*
 * The same for who reads many: RET is zeroed, or what was read before, so that
 * little of it has to be cleared.
 */
bool sample_read_next(const struct sample_layout *layout,
	const struct record *record, struct sample *ret);

/* The counters at B, laid out by LAYOUT's read_format; false if B ends. */
bool sample_read_counts(const struct sample_layout *layout, struct bytes *b,
	struct sample_counts *ret);
/* Number I of them, which is below .n. */
struct sample_count sample_count_at(
	const struct sample_counts *counts, uint64_t i);

/*
 * Where RECORD, a sample, has the number of its callchain's entries, also
 * behind counters; 0 if it has none or ends before.
 */
size_t sample_find_chain(
	const struct sample_layout *layout, const struct record *record);

/* The trailer of a record that is no sample; all fields 0 without one. */
struct sample_id {
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};
bool sample_id_read(const struct sample_layout *layout,
	const struct record *record, struct sample_id *ret);
/* Writes layout->trailer_size bytes (at most 48) to OUT. */
#define SAMPLE_ID_SIZE_MAX 48
void sample_id_write(const struct sample_layout *layout,
	const struct sample_id *id, uint8_t out[SAMPLE_ID_SIZE_MAX]);

/*
 * Which of the events a record belongs to, when they share the place of their
 * ids: an id found without knowing the event yet. Returns false where the
 * layout carries no id.
 */
bool sample_peek_id(const struct sample_layout *layout,
	const struct record *record, uint64_t *id_ret);

/* Number I of the entries of CHAIN. */
static inline uint64_t sample_entry_at(const uint8_t *chain, uint64_t i)
{
	uint64_t entry;

	memcpy(&entry, chain + i * sizeof(entry), sizeof(entry));
	return entry;
}

static inline uint64_t sample_chain_entry(const struct sample *s, uint64_t i)
{
	return sample_entry_at(s->chain, i);
}

#endif
