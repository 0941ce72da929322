/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/swap.h"

#include "common/perf/attr.h"

/* What is still to be turned; too little of it turns nothing more. */
struct rest {
	uint8_t *at, *end;
};

static size_t left(const struct rest *rest)
{
	return (size_t)(rest->end - rest->at);
}

static void skip(struct rest *rest, uint64_t size)
{
	rest->at += MIN(size, (uint64_t)left(rest));
}

/* Turns an integer of 1, 2, 4 or 8 bytes; gives its value. */
static uint64_t turn(struct rest *rest, size_t width)
{
	struct bytes b = bytes_of(rest->at, left(rest), true);
	uint64_t value = 0;
	size_t i;

	if (left(rest) < width) {
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

static void turn_words(struct rest *rest, uint64_t n)
{
	for (n = MIN(n, left(rest) / 8); n; n--)
		turn(rest, 8);
}

/* --- samples -------------------------------------------------------------- */

/* perf_branch_entry is a bit-field: its first bit is at the other end. */
static void turn_branch_flags(struct rest *rest)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t turned = turn(rest, 8), flags = 0;
	unsigned i, at = 0;

	for (i = 0; i < ARRAY_SIZE(widths); at += widths[i++]) {
		uint64_t mask = (UINT64_C(1) << widths[i]) - 1;

		flags |= (turned >> (64 - at - widths[i]) & mask) << at;
	}
	memcpy(rest->at - sizeof(flags), &flags, sizeof(flags));
}

static void turn_branches(
	const struct sample_layout *layout, struct rest *rest)
{
	uint64_t n = turn(rest, 8), i;

	if (layout->branch_type & ABI_BRANCH_HW_INDEX)
		turn(rest, 8);
	for (i = 0; i < n && left(rest) >= 24; i++) {
		turn_words(rest, 2);
		turn_branch_flags(rest);
	}
	if (layout->branch_type & ABI_BRANCH_COUNTERS)
		turn_words(rest, n);
}

static void turn_read(const struct sample_layout *layout, struct rest *rest)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED |
		PERF_FORMAT_TOTAL_TIME_RUNNING;
	const uint64_t each = PERF_FORMAT_ID | ABI_FORMAT_LOST;
	uint64_t format = layout->read_format, n = 1;

	if (format & PERF_FORMAT_GROUP)
		n = turn(rest, 8);
	turn_words(rest, (uint64_t)__builtin_popcountll(format & times));
	n = MIN(n, (uint64_t)left(rest));
	turn_words(rest, n * (1u + (unsigned)__builtin_popcountll(
					   format & each)));
}

static void turn_regs(struct rest *rest, uint8_t n)
{
	if (turn(rest, 8))
		turn_words(rest, n);
}

static void turn_stack(struct rest *rest)
{
	uint64_t size = turn(rest, 8);

	if (!size)
		return;
	skip(rest, size);
	turn(rest, 8);
}

/* The fields of 8 bytes behind REGS_INTR, and those before it. */
#define LAST_WORDS                                                             \
	(PERF_SAMPLE_PHYS_ADDR | ABI_SAMPLE_CGROUP |                           \
		PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)
#define MIDDLE_WORDS                                                           \
	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |                      \
		PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)
#define FIRST_WORDS                                                            \
	(PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |                \
		PERF_SAMPLE_STREAM_ID)

static void turn_fields_of(
	struct rest *rest, uint64_t type, uint64_t fields)
{
	turn_words(rest, (uint64_t)__builtin_popcountll(type & fields));
}

static void turn_pair(struct rest *rest, bool is_there)
{
	if (!is_there)
		return;
	turn(rest, 4);
	turn(rest, 4);
}

static void turn_trailing(
	const struct sample_layout *layout, struct rest *rest)
{
	uint64_t type = layout->type;

	if (type & PERF_SAMPLE_READ)
		turn_read(layout, rest);
	if (type & PERF_SAMPLE_CALLCHAIN)
		turn_words(rest, turn(rest, 8));
	if (type & PERF_SAMPLE_RAW)
		skip(rest, turn(rest, 4));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		turn_branches(layout, rest);
	if (type & PERF_SAMPLE_REGS_USER)
		turn_regs(rest, layout->n_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		turn_stack(rest);
	turn_fields_of(rest, type, MIDDLE_WORDS);
	if (type & PERF_SAMPLE_REGS_INTR)
		turn_regs(rest, layout->n_regs_intr);
	turn_fields_of(rest, type, LAST_WORDS);
	if (type & PERF_SAMPLE_AUX)
		turn(rest, 8);
}

static void turn_sample(const struct sample_layout *layout, struct rest *rest)
{
	uint64_t type = layout->type;

	turn_fields_of(rest, type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	turn_pair(rest, type & PERF_SAMPLE_TID);
	turn_fields_of(rest, type, FIRST_WORDS);
	turn_pair(rest, type & PERF_SAMPLE_CPU);
	turn_fields_of(rest, type, PERF_SAMPLE_PERIOD);
	turn_trailing(layout, rest);
}

/* --- all others ----------------------------------------------------------- */

/*
 * Widths of the fields in their order, as far as they are integers; x is 8
 * bytes of text. Those behind a / repeat up to the record's end or trailer.
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

static void turn_field(struct rest *rest, char width)
{
	if (width == 'x')
		skip(rest, 8);
	else
		turn(rest, (size_t)(width - '0'));
}

static void turn_fields(struct rest *rest, const char *widths)
{
	const char *again = NULL;

	while (left(rest) && (*widths || again)) {
		if (!*widths)
			widths = again;
		if (*widths == '/')
			again = ++widths;
		else
			turn_field(rest, *widths++);
	}
}

/* The mapped file is told by its build ID, which stays, or by numbers. */
static void turn_mmap2(const struct record *record, struct rest *rest)
{
	if (!(record->misc & MISC_MMAP_BUILD_ID)) {
		turn_fields(rest, fields[RECORD_MMAP2]);
		return;
	}
	turn_fields(rest, "44888");
	skip(rest, 24);
	turn_fields(rest, "44");
}

/* Numbers of CPUs, a mask of them in words of 4 or 8 bytes, or a range. */
static void turn_cpu_map(struct rest *rest)
{
	enum { CPUS, MASK, RANGE };
	uint64_t kind = turn(rest, 2), width;

	if (kind == CPUS) {
		turn_fields(rest, "/2");
	} else if (kind == MASK) {
		turn(rest, 2);
		width = turn(rest, 2);
		turn_fields(rest, width == 4 ? "/4" : "4/8");
	} else if (kind == RANGE) {
		skip(rest, 2);
		turn_fields(rest, "22");
	}
}

static void turn_attr(struct rest *rest)
{
	struct bytes b = bytes_of(rest->at, left(rest), true);
	uint32_t size;

	bytes_u32(&b);
	size = bytes_u32(&b);
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	size = MIN(size, (uint32_t)left(rest));
	attr_swap(rest->at, size);
	skip(rest, size);
	turn_fields(rest, "/8");
}

static void turn_trailer(
	const struct sample_layout *layout, struct rest *rest)
{
	uint64_t type = layout->type;

	turn_pair(rest, type & PERF_SAMPLE_TID);
	turn_fields_of(rest, type,
		PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
	turn_pair(rest, type & PERF_SAMPLE_CPU);
	turn_fields_of(rest, type, PERF_SAMPLE_IDENTIFIER);
}

static void turn_payload(const struct record *record, struct rest *rest)
{
	if (record->type == RECORD_MMAP2)
		turn_mmap2(record, rest);
	else if (record->type == RECORD_CPU_MAP)
		turn_cpu_map(rest);
	else if (record->type == RECORD_HEADER_ATTR)
		turn_attr(rest);
	else if (record->type < RECORD_END && fields[record->type])
		turn_fields(rest, fields[record->type]);
}

void swap_record(uint8_t *data, const struct record *record,
	const struct sample_layout *layout)
{
	struct rest rest = { data, data + record->size };
	struct rest trailer = { rest.end, rest.end };

	turn_fields(&rest, "422");
	if (record->type == RECORD_SAMPLE) {
		turn_sample(layout, &rest);
		return;
	}
	if (record_is_sideband(record->type) &&
		layout->trailer_size <= left(&rest))
		trailer.at = rest.end -= layout->trailer_size;
	turn_payload(record, &rest);
	turn_trailer(layout, &trailer);
}
