/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement "event": a perf_event_attr (linux/perf_event.h), its IDs and name.
 */
#include "config.h"

#include "tests/made/made.h"

#define FLAGS_AT 40u
#define PRECISE_BIT 15u /* of the flags; two bits */

static const struct word_bit types[] = {
	{ "hardware", 0 },
	{ "software", 1 },
	{ "tracepoint", 2 },
	{ "cache", 3 },
	{ "raw", 4 },
	{ "breakpoint", 5 },
	{ NULL },
};

static const struct word_bit sample_bits[] = {
	{ "IP", 1 << 0 },
	{ "TID", 1 << 1 },
	{ "TIME", 1 << 2 },
	{ "ADDR", 1 << 3 },
	{ "READ", 1 << 4 },
	{ "CALLCHAIN", 1 << 5 },
	{ "ID", 1 << 6 },
	{ "CPU", 1 << 7 },
	{ "PERIOD", 1 << 8 },
	{ "STREAM_ID", 1 << 9 },
	{ "RAW", 1 << 10 },
	{ "BRANCH_STACK", 1 << 11 },
	{ "REGS_USER", 1 << 12 },
	{ "STACK_USER", 1 << 13 },
	{ "WEIGHT", 1 << 14 },
	{ "DATA_SRC", 1 << 15 },
	{ "IDENTIFIER", 1 << 16 },
	{ "TRANSACTION", 1 << 17 },
	{ "REGS_INTR", 1 << 18 },
	{ "PHYS_ADDR", 1 << 19 },
	{ "AUX", 1 << 20 },
	{ "CGROUP", 1 << 21 },
	{ "DATA_PAGE_SIZE", 1 << 22 },
	{ "CODE_PAGE_SIZE", 1 << 23 },
	{ "WEIGHT_STRUCT", 1 << 24 },
	{ NULL },
};

static const struct word_bit read_bits[] = {
	{ "TOTAL_TIME_ENABLED", 1 },
	{ "TOTAL_TIME_RUNNING", 2 },
	{ "ID", 4 },
	{ "GROUP", 8 },
	{ "LOST", 16 },
	{ NULL },
};

static const struct word_bit branch_bits[] = {
	{ "USER", 1 << 0 },
	{ "KERNEL", 1 << 1 },
	{ "ANY", 1 << 3 },
	{ "CALL_STACK", 1 << 11 },
	{ "HW_INDEX", 1 << 17 },
	{ "COUNTERS", 1 << 19 },
	{ NULL },
};

/* Indexed by the number of the bit. */
static const char *const flags[] = { "disabled", "inherit", "pinned",
	"exclusive", "exclude_user", "exclude_kernel", "exclude_hv",
	"exclude_idle", "mmap", "comm", "freq", "inherit_stat",
	"enable_on_exec", "task", "watermark", NULL, NULL, "mmap_data",
	"sample_id_all", "exclude_host", "exclude_guest",
	"exclude_callchain_kernel", "exclude_callchain_user", "mmap2",
	"comm_exec", "use_clockid", "context_switch", "write_backward",
	"namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup",
	"text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap",
	"defer_callchain", "defer_output" };

static const struct field {
	const char *name;
	uint8_t at, width;
	const struct word_bit *words;
} fields[] = {
	{ "type", 0, 4, types },
	{ "config", 8, 8, NULL },
	{ "sample_period", 16, 8, NULL },
	{ "sample_type", 24, 8, sample_bits },
	{ "read_format", 32, 8, read_bits },
	{ "wakeup_events", 48, 4, NULL },
	{ "bp_type", 52, 4, NULL },
	{ "config1", 56, 8, NULL },
	{ "config2", 64, 8, NULL },
	{ "branch_sample_type", 72, 8, branch_bits },
	{ "sample_regs_user", 80, 8, NULL },
	{ "sample_stack_user", 88, 4, NULL },
	{ "clockid", 92, 4, NULL },
	{ "sample_regs_intr", 96, 8, NULL },
	{ "aux_watermark", 104, 4, NULL },
	{ "sample_max_stack", 108, 2, NULL },
	{ "aux_sample_size", 112, 4, NULL },
	{ "sig_data", 120, 8, NULL },
	{ "config3", 128, 8, NULL },
	{ "config4", 136, 8, NULL },
};

static void set(struct made *made, struct made_event *event, size_t at,
	size_t width, uint64_t value)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };

	made_put(made, &bytes, width, value);
	if (at + width <= event->attr_size)
		memcpy(event->attr + at, bytes.at, width);
}

/* On big-endian machines, bit-fields start at the most significant bit. */
static void set_flag(struct made *made, struct made_event *event, size_t bit)
{
	size_t place = made->is_big ? 7 - bit % 8 : bit % 8;

	event->attr[FLAGS_AT + bit / 8] |= (uint8_t)(1u << place);
}

static void set_precision(
	struct made *made, struct made_event *event, uint64_t precise_ip)
{
	size_t low = PRECISE_BIT + made->is_big;
	size_t high = PRECISE_BIT + !made->is_big;

	if (precise_ip & 1)
		set_flag(made, event, low);
	if (precise_ip & 2)
		set_flag(made, event, high);
}

static void put_attr_record(struct made *made, const struct made_event *event)
{
	_cleanup_strbuf_ struct strbuf body = { 0 };

	strbuf_put(&body, event->attr, event->attr_size);
	array_each(&event->ids.list, id)
		made_put(made, &body, 8, *id);
	made_put_record(made, made_data(made), 64, 0, &body);
}

static void read_fields(
	struct made *made, struct words *words, struct made_event *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		set(made, event, fields[i].at, fields[i].width,
			words_bits(words, fields[i].name, fields[i].words, 0));
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i] && words_has(words, flags[i]))
			set_flag(made, event, i);
	set_precision(made, event, words_number(words, "precise_ip", 0));
	set(made, event, 4, 4,
		words_number(words, "told_size", event->attr_size));
	event->sample_type = words_bits(words, "sample_type", sample_bits, 0);
	event->read_format = words_bits(words, "read_format", read_bits, 0);
	event->branch_type =
		words_bits(words, "branch_sample_type", branch_bits, 0);
	event->has_trailer = words_has(words, "sample_id_all");
}

void made_event(struct made *made, struct words *words)
{
	struct made_event *event = array_push(&made->events);
	const char *ids = words_text(words, "ids");
	const char *name = words_text(words, "name");

	event->attr_size = words_number(words, "size", 112);
	if (event->attr_size > MADE_ATTR_MAX) {
		words_fail(words, "size= %zu is too large", event->attr_size);
		event->attr_size = MADE_ATTR_MAX;
	}
	event->name = xstrdup(name ? name : "made");
	read_fields(made, words, event);
	words_numbers(words, ids ? ids : "", NULL, &event->ids);
	if (made->is_pipe)
		put_attr_record(made, event);
}

void made_event_deinit(struct made_event *event)
{
	array_free(&event->ids.list);
	free(event->name);
}
