/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes samples and trailers, in the order of enum perf_event_sample_format. */
#include "config.h"

#include "tests/made/made.h"

enum {
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	ADDR = 1 << 3,
	READ = 1 << 4,
	CALLCHAIN = 1 << 5,
	ID = 1 << 6,
	CPU = 1 << 7,
	PERIOD = 1 << 8,
	STREAM_ID = 1 << 9,
	RAW = 1 << 10,
	BRANCH_STACK = 1 << 11,
	REGS_USER = 1 << 12,
	STACK_USER = 1 << 13,
	WEIGHT = 1 << 14,
	DATA_SRC = 1 << 15,
	IDENTIFIER = 1 << 16,
	TRANSACTION = 1 << 17,
	REGS_INTR = 1 << 18,
	PHYS_ADDR = 1 << 19,
	AUX = 1 << 20,
	CGROUP = 1 << 21,
	DATA_PAGE_SIZE = 1 << 22,
	CODE_PAGE_SIZE = 1 << 23,
	WEIGHT_STRUCT = 1 << 24,
	HW_INDEX = 1 << 17,
	COUNTERS = 1 << 19, /* of branch_sample_type */
};

static const struct word_bit markers[] = {
	{ "hv", (uint64_t)-32 },
	{ "kernel", (uint64_t)-128 },
	{ "user", (uint64_t)-512 },
	{ "deferred", (uint64_t)-640 },
	{ "guest", (uint64_t)-2048 },
	{ "guest_kernel", (uint64_t)-2176 },
	{ "guest_user", (uint64_t)-2560 },
	{ NULL },
};

static const struct word_bit abis[] = {
	{ "none", 0 },
	{ "32", 1 },
	{ "64", 2 },
	{ NULL },
};

/* The destination of fields. The event's sample_type selects the fields. */
struct to {
	struct made *made;
	const struct made_event *event;
	struct words *words;
	struct strbuf *out;
};

static bool has(const struct to *to, uint64_t bits)
{
	return to->event->sample_type & bits;
}

static void put(const struct to *to, size_t width, uint64_t value)
{
	made_put(to->made, to->out, width, value);
}

static void put_number(
	const struct to *to, size_t width, const char *name, uint64_t otherwise)
{
	put(to, width, words_number(to->words, name, otherwise));
}

static void put_if(const struct to *to, uint64_t bit, const char *name)
{
	if (has(to, bit))
		put_number(to, 8, name, 0);
}

static uint64_t id_of(const struct to *to)
{
	const struct word_numbers *ids = &to->event->ids;

	return words_number(to->words, "id", ids->list.n ? *ids->list.at : 0);
}

static void put_numbers(const struct to *to, const char *name,
	const struct word_bit *words, bool is_counted)
{
	const char *text = words_text(to->words, name);
	struct word_numbers numbers = { 0 };

	words_numbers(to->words, text ? text : "", words, &numbers);
	if (is_counted)
		put_number(to, 8, "nr", numbers.list.n);
	array_each(&numbers.list, value)
		put(to, 8, *value);
	array_free(&numbers.list);
}

static void put_leading(const struct to *to)
{
	put_if(to, IP, "ip");
	if (has(to, TID)) {
		put_number(to, 4, "pid", 0);
		put_number(to, 4, "tid", words_number(to->words, "pid", 0));
	}
	put_if(to, TIME, "time");
	put_if(to, ADDR, "addr");
	if (has(to, ID))
		put(to, 8, id_of(to));
	put_if(to, STREAM_ID, "stream_id");
	if (has(to, CPU)) {
		put_number(to, 4, "cpu", 0);
		put(to, 4, 0);
	}
	put_if(to, PERIOD, "period");
}

/* Raw data and their size (4 bytes) together are padded to a multiple of 8. */
static void put_raw(const struct to *to)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const char *text = words_text(to->words, "raw");

	words_bytes(to->words, text ? text : "", &bytes);
	strbuf_fill(&bytes, 0, ALIGN_UP(bytes.n + 4, 8) - 4 - bytes.n);
	put_number(to, 4, "raw_size", bytes.n);
	strbuf_put(to->out, bytes.at, bytes.n);
}

/* Returns the bit-field of a branch as a u64 of the recording's byte order. */
static uint64_t branch_flags(const struct to *to, uint64_t flags)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t result = 0;
	unsigned i, at = 0;

	if (!to->made->is_big)
		return flags;
	for (i = 0; i < ARRAY_SIZE(widths); at += widths[i++]) {
		uint64_t mask = (UINT64_C(1) << widths[i]) - 1;

		result |= (flags >> at & mask) << (64 - at - widths[i]);
	}
	return result;
}

/* Appends the branch stack: branches=FROM,TO,FLAGS,... */
static void put_branches(const struct to *to)
{
	const char *text = words_text(to->words, "branches");
	struct word_numbers numbers = { 0 };
	size_t i;

	words_numbers(to->words, text ? text : "", NULL, &numbers);
	put_number(to, 8, "branch_nr", numbers.list.n / 3);
	if (to->event->branch_type & HW_INDEX)
		put_number(to, 8, "hw_idx", UINT64_MAX);
	for (i = 0; i < numbers.list.n; i++)
		put(to, 8,
			i % 3 == 2 ? branch_flags(to, numbers.list.at[i])
				   : numbers.list.at[i]);
	if (to->event->branch_type & COUNTERS)
		put_numbers(to, "counters", NULL, false);
	array_free(&numbers.list);
}

/* Appends registers: regs_user=VALUE,... regs_user_abi=32|64 */
static void put_regs(const struct to *to, const char *name)
{
	_cleanup_strbuf_ struct strbuf abi = { 0 };
	const char *text;

	strbuf_printf(&abi, "%s_abi", name);
	text = words_text(to->words, abi.at);
	put(to, 8,
		words_constant(to->words,
			text				     ? text
				: words_has(to->words, name) ? "64"
							     : "none",
			abis));
	put_numbers(to, name, NULL, false);
}

static void put_stack(const struct to *to)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const char *text = words_text(to->words, "stack");

	words_bytes(to->words, text ? text : "", &bytes);
	strbuf_align(&bytes, 8);
	put_number(to, 8, "stack_size", bytes.n);
	strbuf_put(to->out, bytes.at, bytes.n);
	if (bytes.n)
		put_number(to, 8, "dyn_size", bytes.n);
}

static void put_aux(const struct to *to)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const char *text = words_text(to->words, "aux");

	words_bytes(to->words, text ? text : "", &bytes);
	strbuf_align(&bytes, 8);
	put(to, 8, bytes.n);
	strbuf_put(to->out, bytes.at, bytes.n);
}

static void put_trailing(const struct to *to)
{
	if (has(to, BRANCH_STACK))
		put_branches(to);
	if (has(to, REGS_USER))
		put_regs(to, "regs_user");
	if (has(to, STACK_USER))
		put_stack(to);
	put_if(to, WEIGHT | WEIGHT_STRUCT, "weight");
	put_if(to, DATA_SRC, "data_src");
	put_if(to, TRANSACTION, "transaction");
	if (has(to, REGS_INTR))
		put_regs(to, "regs_intr");
	put_if(to, PHYS_ADDR, "phys_addr");
	put_if(to, CGROUP, "cgroup");
	put_if(to, DATA_PAGE_SIZE, "data_page_size");
	put_if(to, CODE_PAGE_SIZE, "code_page_size");
	if (has(to, AUX))
		put_aux(to);
}

void made_sample(struct made *made, const struct made_event *event,
	struct words *words, struct strbuf *out)
{
	const struct to to = { made, event, words, out };

	if (has(&to, IDENTIFIER))
		put(&to, 8, id_of(&to));
	put_leading(&to);
	if (has(&to, READ))
		put_numbers(&to, "read", NULL, false);
	if (has(&to, CALLCHAIN))
		put_numbers(&to, "chain", markers, true);
	if (has(&to, RAW))
		put_raw(&to);
	put_trailing(&to);
}

void made_trailer(struct made *made, const struct made_event *event,
	struct words *words, struct strbuf *out)
{
	const struct to to = { made, event, words, out };

	if (words_has(words, "no_trailer") || !event->has_trailer)
		return;
	if (has(&to, TID)) {
		put_number(&to, 4, "by_pid", words_number(words, "pid", 0));
		put_number(&to, 4, "by_tid", words_number(words, "tid", 0));
	}
	put_if(&to, TIME, "time");
	if (has(&to, ID))
		put(&to, 8, id_of(&to));
	put_if(&to, STREAM_ID, "stream_id");
	if (has(&to, CPU)) {
		put_number(&to, 4, "cpu", 0);
		put(&to, 4, 0);
	}
	if (has(&to, IDENTIFIER))
		put(&to, 8, id_of(&to));
}
