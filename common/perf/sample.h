/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads PERF_RECORD_SAMPLE, and reads and writes the sample_id trailer of other
 * records. The event's attr defines both layouts (linux/perf_event.h,
 * perf_event_sample_format).
 */
#ifndef DWELL_COMMON_PERF_SAMPLE_H
#define DWELL_COMMON_PERF_SAMPLE_H

#include "common/perf/abi.h"
#include "common/perf/record.h"

/*
 * The layout of the records of an event. Offsets are in bytes from the start of
 * the record, 0 if the field is absent or has no fixed offset.
 */
struct sample_layout {
	uint64_t type; /* attr.sample_type */
	uint64_t read_format, branch_type, period;
	uint8_t n_regs_user, n_regs_intr;
	bool has_trailer; /* attr.sample_id_all */
	uint8_t ip, tid, time, id, cpu, period_at, counts, callchain;
	uint8_t leading_size; /* size of the leading fields, 8 bytes each */
	uint8_t trailer_size;
	uint8_t trailer_time, trailer_id; /* offsets from the record end */
};

void sample_layout_init(
	struct sample_layout *layout, const struct perf_event_attr *attr);

struct sample_count {
	uint64_t value, id, lost;
};

/* Counters in the format of read(2), in a SAMPLE or a READ record. */
struct sample_counts {
	uint64_t n;		   /* number of counters; 0: none */
	uint64_t enabled, running; /* ns; 0 if not recorded */
	bool has_id, has_lost;
	struct sample_count only; /* without PERF_FORMAT_GROUP, NULL .group */
	const uint8_t *group;	  /* n times value, id, lost; else NULL */
};

struct sample {
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu;
	uint8_t cpumode;      /* MISC_KERNEL, MISC_USER, ... */
	bool has_more;	      /* fields from .raw_size on can be nonzero */
	uint64_t n_chain;     /* number of entries, including markers */
	const uint8_t *chain; /* u64 each, unaligned; NULL if none */
	uint32_t raw_size;
	const uint8_t *raw; /* tracepoint data; NULL if none */
	uint64_t n_branches;
	const uint8_t *branches;	/* {u64 from, to, flags} each */
	const uint8_t *branch_counters; /* u64 each; NULL if none */
	uint64_t branch_index;		/* hw_idx; 0 if not recorded */
	uint64_t stack_size;		/* valid bytes of the stack copy */
	uint64_t stack_room;		/* reserved bytes of the stack copy */
	const uint8_t *stack;
	uint64_t regs_user_abi;
	const uint8_t *regs_user; /* u64 per bit of sample_regs_user */
	uint64_t regs_intr_abi;
	const uint8_t *regs_intr; /* u64 per bit of sample_regs_intr */
	uint64_t aux_size;
	const uint8_t *aux; /* AUX data; NULL if none */
	struct sample_counts counts;
	uint64_t weight, data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
};

/*
 * Reads all fields of RECORD, a sample of LAYOUT. A member is 0 if LAYOUT lacks
 * the field, except .cpu, which is then UINT32_MAX, and .period, which is then
 * the attr's period. Pointers are borrowed from RECORD. Returns false if a
 * field exceeds RECORD.
 */
bool sample_read(const struct sample_layout *layout,
	const struct record *record, struct sample *ret);
/*
 * Reads RECORD like sample_read(), but faster: only a part of RET is cleared.
 * RET must be zero-initialized or contain the previous sample.
 */
bool sample_read_next(const struct sample_layout *layout,
	const struct record *record, struct sample *ret);

/* Reads counters by LAYOUT's read_format. Returns false if B is too short. */
bool sample_read_counts(const struct sample_layout *layout, struct bytes *b,
	struct sample_counts *ret);
/* Returns counter I of COUNTS. I must be less than COUNTS->n. */
struct sample_count sample_count_at(
	const struct sample_counts *counts, uint64_t i);

/*
 * Returns the offset of the call chain's entry count in RECORD, a sample, also
 * if counters precede it. Returns 0 if RECORD has no call chain or is too
 * short.
 */
size_t sample_find_chain(
	const struct sample_layout *layout, const struct record *record);

/* The sample_id trailer of a record that is not a sample. */
struct sample_id {
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};
/*
 * Reads the trailer of RECORD. If LAYOUT has no trailer, all members of RET are
 * 0, except .cpu, which is UINT32_MAX. Returns false if RECORD is too short.
 */
bool sample_id_read(const struct sample_layout *layout,
	const struct record *record, struct sample_id *ret);
/* Writes ID to OUT as a trailer of LAYOUT->trailer_size bytes, at most 48. */
#define SAMPLE_ID_SIZE_MAX 48
void sample_id_write(const struct sample_layout *layout,
	const struct sample_id *id, uint8_t out[SAMPLE_ID_SIZE_MAX]);

/*
 * Reads the event ID of RECORD, if the event of RECORD is unknown. LAYOUT is
 * the layout of any event of the file: the ID must be at the same offset in all
 * events. Returns false if LAYOUT has no ID or RECORD is too short.
 */
bool sample_peek_id(const struct sample_layout *layout,
	const struct record *record, uint64_t *id_ret);

/* Returns entry I of CHAIN. */
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
