/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/swap.h"

#include "common/perf/abi.h"
#include "common/perf/attr.h"

/* The bytes of a record that are not swapped yet. */
struct swap_rest {
	uint8_t *at, *end;
};

static size_t unswapped_size(const struct swap_rest *rest)
{
	return (size_t)(rest->end - rest->at);
}

static void skip_unswapped(struct swap_rest *rest, uint64_t size)
{
	rest->at += MIN(size, (uint64_t)unswapped_size(rest));
}

/*
 * Swaps an integer of 1, 2, 4 or 8 bytes. Returns the value of the integer. If
 * the integer is truncated, returns 0 and sets REST to no bytes.
 */
static uint64_t swap_integer(struct swap_rest *rest, size_t width)
{
	struct bytes b = bytes_of(rest->at, unswapped_size(rest), true);
	uint64_t value = 0;
	size_t i;

	if (unswapped_size(rest) < width) {
		rest->at = rest->end;
		return 0;
	}
	switch (width) {
	case 1: value = bytes_u8(&b); break;
	case 2: value = bytes_u16(&b); break;
	case 4: value = bytes_u32(&b); break;
	default: value = bytes_u64(&b);
	}
	for (i = 0; i < width / 2; i++) {
		uint8_t other = rest->at[width - 1 - i];

		rest->at[width - 1 - i] = rest->at[i];
		rest->at[i] = other;
	}
	rest->at += width;
	return value;
}

static void swap_words(struct swap_rest *rest, uint64_t n)
{
	for (n = MIN(n, unswapped_size(rest) / 8); n; n--)
		swap_integer(rest, 8);
}

/* --- samples -------------------------------------------------------------- */

/* The other byte order reverses the order of the fields of a bit-field. */
static void swap_branch_flags(struct swap_rest *rest)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t swapped = swap_integer(rest, 8), flags = 0;
	unsigned i, at = 0;

	for (i = 0; i < ARRAY_SIZE(widths); at += widths[i++]) {
		uint64_t mask = (UINT64_C(1) << widths[i]) - 1;

		flags |= (swapped >> (64 - at - widths[i]) & mask) << at;
	}
	memcpy(rest->at - sizeof(flags), &flags, sizeof(flags));
}

static void swap_regs(struct swap_rest *rest, uint8_t n)
{
	if (swap_integer(rest, 8))
		swap_words(rest, n);
}

/*
 * Sample fields of 8 bytes: LAST_WORDS are behind REGS_INTR, MIDDLE_WORDS
 * before REGS_INTR, and FIRST_WORDS behind TID.
 */
#define LAST_WORDS                                   \
	(PERF_SAMPLE_PHYS_ADDR | ABI_SAMPLE_CGROUP | \
		ABI_SAMPLE_DATA_PAGE_SIZE | ABI_SAMPLE_CODE_PAGE_SIZE)
#define MIDDLE_WORDS                                     \
	(PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT | \
		PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)
#define FIRST_WORDS                                             \
	(PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
		PERF_SAMPLE_STREAM_ID)

static void swap_masked_fields(
	struct swap_rest *rest, uint64_t type, uint64_t fields)
{
	swap_words(rest, (uint64_t)__builtin_popcountll(type & fields));
}

static void swap_pair(struct swap_rest *rest, bool is_present)
{
	if (!is_present)
		return;
	swap_integer(rest, 4);
	swap_integer(rest, 4);
}

static void swap_trailing(
	const struct sample_layout *layout, struct swap_rest *rest)
{
	uint64_t type = layout->type;

	if (type & PERF_SAMPLE_READ) {
		const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING;
		const uint64_t each = PERF_FORMAT_ID | ABI_FORMAT_LOST;
		uint64_t format = layout->read_format, n = 1;

		if (format & PERF_FORMAT_GROUP)
			n = swap_integer(rest, 8);
		swap_words(
			rest, (uint64_t)__builtin_popcountll(format & times));
		n = MIN(n, (uint64_t)unswapped_size(rest));
		swap_words(rest,
			n *
				(1u +
					(unsigned)__builtin_popcountll(
						format & each)));
	}
	if (type & PERF_SAMPLE_CALLCHAIN)
		swap_words(rest, swap_integer(rest, 8));
	if (type & PERF_SAMPLE_RAW)
		skip_unswapped(rest, swap_integer(rest, 4));
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t n = swap_integer(rest, 8), i;

		if (layout->branch_type & ABI_BRANCH_HW_INDEX)
			swap_integer(rest, 8);
		for (i = 0; i < n && unswapped_size(rest) >= 24; i++) {
			swap_words(rest, 2);
			swap_branch_flags(rest);
		}
		if (layout->branch_type & ABI_BRANCH_COUNTERS)
			swap_words(rest, n);
	}
	if (type & PERF_SAMPLE_REGS_USER)
		swap_regs(rest, layout->n_regs_user);
	if (type & PERF_SAMPLE_STACK_USER) {
		uint64_t size = swap_integer(rest, 8);

		if (size) {
			skip_unswapped(rest, size);
			swap_integer(rest, 8);
		}
	}
	swap_masked_fields(rest, type, MIDDLE_WORDS);
	if (type & PERF_SAMPLE_REGS_INTR)
		swap_regs(rest, layout->n_regs_intr);
	swap_masked_fields(rest, type, LAST_WORDS);
	if (type & ABI_SAMPLE_AUX)
		swap_integer(rest, 8);
}

/* --- other records -------------------------------------------------------- */

/*
 * The widths in bytes of the leading integer fields of each record type; x is 8
 * bytes of text. Fields behind a / repeat until the end of the record or its
 * trailer.
 */
static const char *const fields[RECORD_END] = {
	[RECORD_MMAP] = "44888",
	[RECORD_LOST] = "88",
	[RECORD_COMM] = "44",
	[RECORD_EXIT] = "44448",
	[RECORD_THROTTLE] = "888",
	[RECORD_UNTHROTTLE] = "888",
	[RECORD_FORK] = "44448",
	[RECORD_READ] = "44/8",
	[RECORD_MMAP2] = "44888448844",
	[RECORD_AUX] = "888",
	[RECORD_ITRACE_START] = "44",
	[RECORD_LOST_SAMPLES] = "8",
	[RECORD_SWITCH_CPU_WIDE] = "44",
	[RECORD_NAMESPACES] = "448/8",
	[RECORD_KSYMBOL] = "8422",
	[RECORD_BPF_EVENT] = "224",
	[RECORD_CGROUP] = "8",
	[RECORD_TEXT_POKE] = "822",
	[RECORD_AUX_OUTPUT_HW_ID] = "8",
	[RECORD_CALLCHAIN_DEFERRED] = "88/8",
	[RECORD_HEADER_EVENT_TYPE] = "8",
	[RECORD_HEADER_TRACING_DATA] = "4",
	[RECORD_HEADER_BUILD_ID] = "4",
	[RECORD_ID_INDEX] = "8/8",
	[RECORD_AUXTRACE_INFO] = "44/8",
	[RECORD_AUXTRACE] = "8884444",
	[RECORD_AUXTRACE_ERROR] = "44444488xxxxxxxx44",
	[RECORD_THREAD_MAP] = "8/8xx",
	[RECORD_STAT_CONFIG] = "8/8",
	[RECORD_STAT] = "844888",
	[RECORD_STAT_ROUND] = "88",
	[RECORD_EVENT_UPDATE] = "88",
	[RECORD_TIME_CONV] = "88888",
	[RECORD_HEADER_FEATURE] = "8",
	[RECORD_COMPRESSED2] = "8",
	[RECORD_SCHEDSTAT_CPU] = "842",
	[RECORD_SCHEDSTAT_DOMAIN] = "8422",
};

static void swap_fields(struct swap_rest *rest, const char *widths)
{
	const char *repeated = NULL;

	while (unswapped_size(rest) && (*widths || repeated)) {
		if (!*widths)
			widths = repeated;
		if (*widths == '/')
			repeated = ++widths;
		else {
			char width = *widths++;

			if (width == 'x')
				skip_unswapped(rest, 8);
			else
				swap_integer(rest, (size_t)(width - '0'));
		}
	}
}

void swap_record(uint8_t *data, const struct record *record,
	const struct sample_layout *layout)
{
	struct swap_rest rest = { data, data + record->size };
	struct swap_rest trailer = { rest.end, rest.end };

	swap_fields(&rest, "422");
	if (record->type == RECORD_SAMPLE) {
		uint64_t type = layout->type;

		swap_masked_fields(
			&rest, type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
		swap_pair(&rest, type & PERF_SAMPLE_TID);
		swap_masked_fields(&rest, type, FIRST_WORDS);
		swap_pair(&rest, type & PERF_SAMPLE_CPU);
		swap_masked_fields(&rest, type, PERF_SAMPLE_PERIOD);
		swap_trailing(layout, &rest);
		return;
	}
	if (record_is_sideband(record->type) &&
		layout->trailer_size <= unswapped_size(&rest))
		trailer.at = rest.end -= layout->trailer_size;
	if (record->type == RECORD_MMAP2 && record_has_build_id(record)) {
		/* A build ID, which is not swapped, and no inode numbers. */
		swap_fields(&rest, "44888");
		skip_unswapped(&rest, 24);
		swap_fields(&rest, "44");
	} else if (record->type == RECORD_CPU_MAP) {
		/* A list of CPUs, a mask in 4- or 8-byte words, or a range. */
		enum { CPUS, MASK, RANGE };
		uint64_t kind = swap_integer(&rest, 2), width;

		if (kind == CPUS) {
			swap_fields(&rest, "/2");
		} else if (kind == MASK) {
			swap_integer(&rest, 2);
			width = swap_integer(&rest, 2);
			swap_fields(&rest, width == 4 ? "/4" : "4/8");
		} else if (kind == RANGE) {
			skip_unswapped(&rest, 2);
			swap_fields(&rest, "22");
		}
	} else if (record->type == RECORD_HEADER_ATTR) {
		struct bytes b = bytes_of(rest.at, unswapped_size(&rest), true);
		uint32_t size;

		bytes_u32(&b);
		size = bytes_u32(&b);
		if (!size)
			size = PERF_ATTR_SIZE_VER0;
		size = MIN(size, (uint32_t)unswapped_size(&rest));
		attr_swap(rest.at, size);
		skip_unswapped(&rest, size);
		swap_fields(&rest, "/8");
	} else if (record->type < RECORD_END && fields[record->type])
		swap_fields(&rest, fields[record->type]);
	uint64_t type = layout->type;

	swap_pair(&trailer, type & PERF_SAMPLE_TID);
	swap_masked_fields(&trailer, type,
		PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
	swap_pair(&trailer, type & PERF_SAMPLE_CPU);
	swap_masked_fields(&trailer, type, PERF_SAMPLE_IDENTIFIER);
}
