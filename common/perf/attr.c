/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/attr.h"
#include "common/perf/abi.h"

#include <inttypes.h>

/* Offset of the 64 flag bits of perf_event_attr (ABI: behind read_format). */
#define FLAGS_OFFSET 40

void event_deinit(struct event *event)
{
	free(event->name);
	array_free(&event->ids);
}

/* The fields of perf_event_attr that are not 8 bytes wide, by offset. */
static const struct narrow_field {
	uint16_t offset, size;
} narrow_fields[] = {
	{ 0, 4 },
	{ 4, 4 },
	{ 48, 4 },
	{ 52, 4 },
	{ 88, 4 },
	{ 92, 4 },
	{ 104, 4 },
	{ 108, 2 },
	{ 110, 2 },
	{ 112, 4 },
	{ 116, 4 },
};

static void swap_flags(uint8_t flags[8])
{
	size_t i, bit;

	/*
	 * In the other byte order, the bits of bit-fields are mirrored in each
	 * byte.
	 */
	for (i = 0; i < 8; i++) {
		uint8_t result = 0;

		for (bit = 0; bit < 8; bit++)
			if (flags[i] & (1u << bit))
				result |= (uint8_t)(0x80u >> bit);
		flags[i] = result;
	}
	/*
	 * The two bits of precise_ip are in two different bytes, and the
	 * mirroring exchanged them: swap them back.
	 */
	uint8_t low = flags[1] >> 7, high = flags[2] & 1;

	flags[1] = (uint8_t)((flags[1] & 0x7f) | high << 7);
	flags[2] = (uint8_t)((flags[2] & ~1) | low);
}

void attr_swap(uint8_t *raw, size_t size)
{
	size_t offset, width, i;

	for (offset = 0; offset < size; offset += width) {
		width = 8;
		for (i = 0; i < ARRAY_SIZE(narrow_fields); i++)
			if (narrow_fields[i].offset == offset)
				width = narrow_fields[i].size;
		if (width > size - offset)
			return;
		if (offset == FLAGS_OFFSET) {
			swap_flags(raw + offset);
			continue;
		}
		for (i = 0; i < width / 2; i++) {
			uint8_t other = raw[offset + width - 1 - i];

			raw[offset + width - 1 - i] = raw[offset + i];
			raw[offset + i] = other;
		}
	}
}

bool attr_read(struct bytes *b, size_t size, struct perf_event_attr *ret)
{
	const void *stored;

	if (size < PERF_ATTR_SIZE_VER0 || size > ATTR_SIZE_MAX || size % 8)
		return false;
	stored = bytes_take(b, size);
	if (!stored)
		return false;
	memset(ret, 0, sizeof(*ret));
	memcpy(ret, stored, MIN(size, sizeof(*ret)));
	if (b->swap)
		attr_swap((uint8_t *)ret, sizeof(*ret));
	return true;
}

static const size_t published_sizes[] = { 112, 120, 128 };

size_t attr_stored_size(const struct perf_event_attr *attr)
{
	const uint8_t *raw = (const uint8_t *)attr;
	size_t used = sizeof(*attr), i;

	while (used > 0 && raw[used - 1] == 0)
		used--;
	for (i = 0; i < ARRAY_SIZE(published_sizes); i++)
		if (used <= published_sizes[i])
			return published_sizes[i];
	return ALIGN_UP(used, 8);
}

void attr_write(const struct perf_event_attr *attr, struct strbuf *out)
{
	struct perf_event_attr copy = *attr;

	copy.size = (uint32_t)attr_stored_size(attr);
	strbuf_put(out, &copy, copy.size);
}

static const char *const hardware_names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
	[ABI_SW_CGROUP_SWITCHES] = "cgroup-switches",
};

char *attr_name(const struct perf_event_attr *attr)
{
	struct strbuf name = { 0 };

	if (attr->type == PERF_TYPE_HARDWARE &&
		attr->config < ARRAY_SIZE(hardware_names)) {
		strbuf_puts(&name, hardware_names[attr->config]);
	} else if (attr->type == PERF_TYPE_SOFTWARE &&
		attr->config < ARRAY_SIZE(software_names)) {
		strbuf_puts(&name, software_names[attr->config]);
	} else if (attr->type == PERF_TYPE_TRACEPOINT) {
		strbuf_printf(
			&name, "tracepoint %" PRIu64, (uint64_t)attr->config);
		return name.at;
	} else {
		strbuf_printf(&name, "raw 0x%" PRIx64, (uint64_t)attr->config);
	}
	/* The modifiers of the event's name, as in perf: ":ku". */
	bool is_restricted =
		attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool exclude_guest_default = is_restricted || attr->precise_ip;
	_cleanup_strbuf_ struct strbuf letters = { 0 };

	if (is_restricted) {
		strbuf_puts(&letters, attr->exclude_kernel ? "" : "k");
		strbuf_puts(&letters, attr->exclude_user ? "" : "u");
		strbuf_puts(&letters, attr->exclude_hv ? "" : "h");
	}
	strbuf_fill(&letters, 'p', attr->precise_ip);
	if (attr->exclude_host ||
		attr->exclude_guest == exclude_guest_default) {
		strbuf_puts(&letters, attr->exclude_host ? "" : "H");
		strbuf_puts(&letters, attr->exclude_guest ? "" : "G");
	}
	if (letters.n)
		strbuf_printf(&name, ":%s", letters.at);
	return name.at;
}

static const char *const sample_bits[] = { "IP", "TID", "TIME", "ADDR", "READ",
	"CALLCHAIN", "ID", "CPU", "PERIOD", "STREAM_ID", "RAW", "BRANCH_STACK",
	"REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC", "IDENTIFIER",
	"TRANSACTION", "REGS_INTR", "PHYS_ADDR", "AUX", "CGROUP",
	"DATA_PAGE_SIZE", "CODE_PAGE_SIZE", "WEIGHT_STRUCT" };
static const char *const read_bits[] = { "TOTAL_TIME_ENABLED",
	"TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST" };
/* The names of the bits of perf_branch_sample_format, by bit number. */
static const char *const branch_bits[] = { "USER", "KERNEL", "HV", "ANY",
	"ANY_CALL", "ANY_RETURN", "IND_CALL", "ABORT_TX", "IN_TX", "NO_TX",
	"COND", "CALL_STACK", "IND_JUMP", "CALL", "NO_FLAGS", "NO_CYCLES",
	"TYPE_SAVE", "HW_INDEX", "PRIV_SAVE", "COUNTERS" };
/* The number of the first of the two flag bits of precise_ip. */
#define PRECISE_BIT 15u
static const char *const flag_bits[] = { "disabled", "inherit", "pinned",
	"exclusive", "exclude_user", "exclude_kernel", "exclude_hv",
	"exclude_idle", "mmap", "comm", "freq", "inherit_stat",
	"enable_on_exec", "task", "watermark", NULL, NULL, "mmap_data",
	"sample_id_all", "exclude_host", "exclude_guest",
	"exclude_callchain_kernel", "exclude_callchain_user", "mmap2",
	"comm_exec", "use_clockid", "context_switch", "write_backward",
	"namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup",
	"text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap",
	"defer_callchain", "defer_output" };

static void print_bits(struct strbuf *out, const char *label, uint64_t bits,
	const char *const *names, size_t n_names)
{
	const char *separator = "";
	size_t bit;

	if (!bits)
		return;
	strbuf_printf(out, ", %s: ", label);
	for (bit = 0; bit < 64; bit++) {
		if (!(bits >> bit & 1))
			continue;
		if (bit < n_names && names[bit])
			strbuf_printf(out, "%s%s", separator, names[bit]);
		else
			strbuf_printf(out, "%sbit%zu", separator, bit);
		separator = "|";
	}
}

static void print_number(struct strbuf *out, const char *label, uint64_t value)
{
	if (value)
		strbuf_printf(out, ", %s: %" PRIu64, label, value);
}

static void print_flags(
	uint64_t flags, size_t first, size_t last, struct strbuf *out)
{
	size_t bit;

	for (bit = first; bit < last; bit++)
		if (flag_bits[bit] && flags >> bit & 1)
			strbuf_printf(out, ", %s: 1", flag_bits[bit]);
}

static void print_hex(struct strbuf *out, const char *name, uint64_t value)
{
	if (value)
		strbuf_printf(out, ", %s: %#" PRIx64, name, value);
}

uint64_t attr_flags(const struct perf_event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags, (const uint8_t *)attr + FLAGS_OFFSET, sizeof(flags));
	return flags;
}

void attr_set_flags(struct perf_event_attr *attr, uint64_t flags)
{
	memcpy((uint8_t *)attr + FLAGS_OFFSET, &flags, sizeof(flags));
}

void attr_print(const struct perf_event_attr *attr, struct strbuf *out)
{
	uint64_t flags = attr_flags(attr);

	if (attr->type)
		strbuf_printf(out, "type: %u, ", attr->type);
	strbuf_printf(out, "size: %u", attr->size);
	print_hex(out, "config", attr->config);
	print_number(
		out, "{ sample_period, sample_freq }", attr->sample_period);
	print_bits(out, "sample_type", attr->sample_type, sample_bits,
		ARRAY_SIZE(sample_bits));
	print_bits(out, "read_format", attr->read_format, read_bits,
		ARRAY_SIZE(read_bits));
	print_flags(flags, 0, PRECISE_BIT, out);
	print_number(out, "precise_ip", attr->precise_ip);
	print_flags(flags, PRECISE_BIT, ARRAY_SIZE(flag_bits), out);
	/* Fields of a union are printed with both names, as in perf. */
	print_number(out, "{ wakeup_events, wakeup_watermark }",
		attr->wakeup_events);
	print_number(out, "bp_type", attr->bp_type);
	print_hex(out, "{ bp_addr, config1 }", attr->config1);
	print_hex(out, "{ bp_len, config2 }", attr->config2);
	print_bits(out, "branch_sample_type", attr->branch_sample_type,
		branch_bits, ARRAY_SIZE(branch_bits));
	print_hex(out, "sample_regs_user", attr->sample_regs_user);
	print_number(out, "sample_stack_user", attr->sample_stack_user);
	print_number(out, "clockid", attr->use_clockid ? attr->clockid : 0);
	print_hex(out, "sample_regs_intr", attr->sample_regs_intr);
	print_number(out, "aux_watermark", attr->aux_watermark);
	print_number(out, "sample_max_stack", attr->sample_max_stack);
	print_number(out, "aux_sample_size", attr->aux_sample_size);
#ifdef HAVE_STRUCT_PERF_EVENT_ATTR_SIG_DATA
	print_hex(out, "sig_data", attr->sig_data);
#endif
}
