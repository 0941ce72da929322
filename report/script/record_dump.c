/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/record_dump.h"

#include <inttypes.h>

#include "common/file/feature.h"
#include "common/perf/abi.h"
#include "common/perf/attr.h"
#include "common/perf/record.h"
#include "common/perf/sample.h"
#include "common/unwind/registers.h"
#include "common/util/escape.h"
#include "common/util/strbuf.h"
#include "report/script/record_text.h"
#include "report/util/data_source.h"
#include "report/util/output.h"

/*
 * Encodings of a CPU map (PERF_CPU_MAP__*): a bit mask, and a range. 0 and
 * unknown values are read as a list of CPUs.
 */
#define MAP_MASK 1
#define MAP_RANGE 2

/* Size of a perf_event_attr whose .size is 0 (PERF_ATTR_SIZE_VER0). */
#define OLD_ATTR_SIZE 64u

/*
 * Takes SIZE bytes from B and appends them as a string, which ends at the first
 * NUL or after SIZE bytes.
 */
static void put_fixed_text(struct bytes *b, size_t size, struct strbuf *out)
{
	const char *at = bytes_take(b, size);
	_cleanup_free_ char *text = at ? xstrndup(at, size) : NULL;

	escape_text(out, text ? text : "");
}

static void dump_attr_record(struct bytes *b, struct strbuf *out)
{
	struct perf_event_attr attr;
	struct bytes head = *b;
	uint32_t size;

	bytes_u32(&head);
	size = bytes_u32(&head);
	if (!head.ok || !attr_read(b, size ? size : OLD_ATTR_SIZE, &attr))
		return;
	strbuf_putc(out, ' ');
	attr_print(&attr, out);
	strbuf_puts(out, " ids:");
	while (bytes_left(b) >= 8)
		strbuf_printf(out, " %" PRIu64, bytes_u64(b));
}

static void put_build_id_record(const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	int32_t pid = (int32_t)bytes_u32(&b);
	struct build_id id = { .size = BUILD_ID_MAX };
	const uint8_t *stored = bytes_take(&b, 24);
	char text[BUILD_ID_TEXT];

	if (!stored)
		return;
	memcpy(id.bytes, stored, BUILD_ID_MAX);
	if (record->misc & MISC_BUILD_ID_SIZE)
		id.size = MIN(stored[BUILD_ID_MAX], (uint8_t)BUILD_ID_MAX);
	strbuf_printf(out, " pid: %d <%s> ", pid, build_id_text(&id, text));
	put_fixed_text(&b, bytes_left(&b), out);
}

static void dump_id_index_record(struct bytes *b, struct strbuf *out)
{
	uint64_t n = bytes_u64(b), i;

	if (n > bytes_left(b) / 32)
		return;
	strbuf_printf(out, " nr: %" PRIu64, n);
	for (i = 0; i < n; i++) {
		uint64_t id = bytes_u64(b), index = bytes_u64(b);
		uint64_t cpu = bytes_u64(b), tid = bytes_u64(b);

		strbuf_printf(out,
			" ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64
			"  tid: %" PRId64,
			id, index, (int64_t)cpu, (int64_t)tid);
	}
}

static void put_auxtrace_error_record(struct bytes *b, struct strbuf *out)
{
	uint32_t type = bytes_u32(b), code = bytes_u32(b), cpu = bytes_u32(b);
	uint32_t pid = bytes_u32(b), tid = bytes_u32(b), format = bytes_u32(b);
	uint64_t ip = bytes_u64(b), time = 0;

	/* Format 0 of RECORD_AUXTRACE_ERROR has no time. */
	if (format)
		time = bytes_u64(b);
	if (!b->ok)
		return;
	strbuf_printf(out,
		" type %u time %" PRIu64 " cpu %d pid %d tid %d ip %#" PRIx64
		" code %u: ",
		type, time, (int32_t)cpu, (int32_t)pid, (int32_t)tid, ip, code);
	put_fixed_text(b, MIN(bytes_left(b), (size_t)64), out);
}

static void put_cpu_mask(struct bytes *b, struct strbuf *out)
{
	uint16_t words = bytes_u16(b), size = bytes_u16(b), i;
	unsigned bit, bits = size == 8 ? 64 : 32;
	const char *separator = " ";

	if (size == 8)
		bytes_u32(b); /* padding */
	for (i = 0; i < words && b->ok; i++) {
		uint64_t word = size == 8 ? bytes_u64(b) : bytes_u32(b);

		for (bit = 0; bit < bits; bit++) {
			if (!(word >> bit & 1))
				continue;
			strbuf_printf(out, "%s%u", separator, i * bits + bit);
			separator = ",";
		}
	}
}

/*
 * Appends a CPU map as ": 0,1": struct perf_record_cpu_map_data of
 * tools/lib/perf/include/perf/event.h, which is a list, a bit mask or a range
 * of CPUs.
 */
static void put_cpu_map(struct bytes *b, struct strbuf *out)
{
	uint16_t kind = bytes_u16(b), n, i;
	const char *separator = " ";

	strbuf_putc(out, ':');
	if (kind == MAP_MASK) {
		put_cpu_mask(b, out);
		return;
	}
	if (kind == MAP_RANGE) {
		bytes_u16(b); /* skip the fields any_cpu and __pad */
		n = bytes_u16(b);
		strbuf_printf(out, " %u-%u", n, bytes_u16(b));
		return;
	}
	n = bytes_u16(b);
	for (i = 0; i < n && bytes_left(b) >= 2; i++) {
		strbuf_printf(out, "%s%d", separator, (int16_t)bytes_u16(b));
		separator = ",";
	}
}

static void put_thread_map_record(struct bytes *b, struct strbuf *out)
{
	uint64_t n = bytes_u64(b), i;

	if (n > bytes_left(b) / 24)
		return;
	strbuf_printf(out, " nr: %" PRIu64, n);
	for (i = 0; i < n; i++) {
		strbuf_printf(
			out, " thread: %" PRId64 " ", (int64_t)bytes_u64(b));
		put_fixed_text(b, 16, out);
	}
}

static void put_stat_config_record(struct bytes *b, struct strbuf *out)
{
	static const char *const tags[] = { "aggr_mode", "interval", "scale",
		"aggr_level" };
	uint64_t n = bytes_u64(b), i;

	for (i = 0; i < n && bytes_left(b) >= 16; i++) {
		uint64_t tag = bytes_u64(b), value = bytes_u64(b);

		if (tag < ARRAY_SIZE(tags))
			strbuf_printf(out, " %s %" PRIu64, tags[tag], value);
		else
			strbuf_printf(out, " %" PRIu64 " %" PRIu64, tag, value);
	}
}

static void put_stat_record(struct bytes *b, struct strbuf *out)
{
	uint64_t id = bytes_u64(b);
	uint32_t cpu = bytes_u32(b), thread = bytes_u32(b);
	uint64_t value = bytes_u64(b), enabled = bytes_u64(b);
	uint64_t running = bytes_u64(b);

	if (b->ok)
		strbuf_printf(out,
			" id %" PRIu64 ", cpu %d, thread %d: value %" PRIu64
			", enabled %" PRIu64 ", running %" PRIu64,
			id, (int32_t)cpu, (int32_t)thread, value, enabled,
			running);
}

static void put_event_update_record(struct bytes *b, struct strbuf *out)
{
	uint64_t kind = bytes_u64(b), id = bytes_u64(b);

	if (!b->ok)
		return;
	strbuf_printf(out, " id: %" PRIu64, id);
	switch (kind) {
	case EVENT_UPDATE_UNIT:
	case EVENT_UPDATE_NAME:
		strbuf_puts(
			out, kind == EVENT_UPDATE_UNIT ? " unit: " : " name: ");
		put_fixed_text(b, bytes_left(b), out);
		break;
	case EVENT_UPDATE_SCALE: {
		uint64_t bits = bytes_u64(b);
		double scale;

		memcpy(&scale, &bits, sizeof(scale));
		strbuf_printf(out, " scale: %g", scale);
		break;
	}
	case EVENT_UPDATE_CPUS:
		strbuf_puts(out, " cpus");
		put_cpu_map(b, out);
		break;
	default: strbuf_printf(out, " type: %" PRIu64, kind);
	}
}

static void put_time_conv_record(struct bytes *b, struct strbuf *out)
{
	uint64_t shift = bytes_u64(b), mult = bytes_u64(b);
	uint64_t zero = bytes_u64(b);

	if (b->ok)
		strbuf_printf(out,
			" shift %" PRIu64 ", mult %" PRIu64 ", zero %" PRIu64,
			shift, mult, zero);
	/* Linux 5.9 added two fields to RECORD_TIME_CONV. */
	if (bytes_left(b) >= 16) {
		uint64_t cycles = bytes_u64(b), mask = bytes_u64(b);

		strbuf_printf(out, ", cycles %" PRIu64 ", mask %#" PRIx64,
			cycles, mask);
	}
}

static void put_bpf_metadata_record(struct bytes *b, struct strbuf *out)
{
	uint64_t n, i;

	strbuf_puts(out, " prog ");
	put_fixed_text(b, MIN(bytes_left(b), (size_t)512), out);
	n = bytes_u64(b);
	for (i = 0; i < n && bytes_left(b) >= 64 + 256; i++) {
		strbuf_puts(out, i ? ", " : ": ");
		put_fixed_text(b, 64, out);
		strbuf_puts(out, " = ");
		put_fixed_text(b, 256, out);
	}
}

static void put_schedstat_record(
	uint32_t type, struct bytes *b, struct strbuf *out)
{
	uint64_t timestamp = bytes_u64(b);
	uint32_t cpu = bytes_u32(b);
	uint16_t version = bytes_u16(b), domain = bytes_u16(b);

	if (!b->ok)
		return;
	strbuf_printf(out, " time %" PRIu64 ", cpu %u, version %u", timestamp,
		cpu, version);
	if (type == RECORD_SCHEDSTAT_DOMAIN)
		strbuf_printf(out, ", domain %u", domain);
	strbuf_putc(out, ':');
	while (bytes_left(b) >= 4)
		strbuf_printf(out, " %u", bytes_u32(b));
}

/*
 * Appends the fields of RECORD, a record that perf's tools write
 * (tools/lib/perf/include/perf/event.h), to OUT, in one line. Appends nothing
 * if the record type has no fields, and nothing or only the first fields if
 * RECORD is too short.
 */
static void dump_tool(const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);

	switch (record->type) {
	case RECORD_HEADER_ATTR: dump_attr_record(&b, out); break;
	case RECORD_HEADER_EVENT_TYPE: {
		strbuf_printf(out, " id: %" PRIu64 " name: ", bytes_u64(&b));
		put_fixed_text(&b, bytes_left(&b), out);
		break;
	}
	case RECORD_HEADER_TRACING_DATA:
		strbuf_printf(out, " size: %u", bytes_u32(&b));
		break;
	case RECORD_HEADER_BUILD_ID: put_build_id_record(record, out); break;
	case RECORD_ID_INDEX: dump_id_index_record(&b, out); break;
	case RECORD_AUXTRACE_INFO: {
		strbuf_printf(out, " type: %u", bytes_u32(&b));
		bytes_u32(&b);
		strbuf_puts(out, " priv:");
		while (bytes_left(&b) >= 8)
			strbuf_printf(out, " %#" PRIx64, bytes_u64(&b));
		break;
	}
	case RECORD_AUXTRACE: {
		uint64_t size = bytes_u64(&b), offset = bytes_u64(&b);
		uint64_t reference = bytes_u64(&b);
		uint32_t index = bytes_u32(&b), tid = bytes_u32(&b),
			 cpu = bytes_u32(&b);

		if (b.ok)
			strbuf_printf(out,
				" size: %#" PRIx64 "  offset: %#" PRIx64
				"  ref: %#" PRIx64
				"  idx: %u  tid: %d  cpu: %d",
				size, offset, reference, index, (int32_t)tid,
				(int32_t)cpu);
		break;
	}
	case RECORD_AUXTRACE_ERROR: put_auxtrace_error_record(&b, out); break;
	case RECORD_THREAD_MAP: put_thread_map_record(&b, out); break;
	case RECORD_CPU_MAP: put_cpu_map(&b, out); break;
	case RECORD_STAT_CONFIG: put_stat_config_record(&b, out); break;
	case RECORD_STAT: put_stat_record(&b, out); break;
	case RECORD_STAT_ROUND: {
		uint64_t type = bytes_u64(&b), time = bytes_u64(&b);

		if (b.ok)
			strbuf_printf(out, " time %" PRIu64 ", type %s", time,
				type ? "FINAL" : "INTERVAL");
		break;
	}
	case RECORD_EVENT_UPDATE: put_event_update_record(&b, out); break;
	case RECORD_TIME_CONV: put_time_conv_record(&b, out); break;
	case RECORD_HEADER_FEATURE: {
		uint64_t bit = bytes_u64(&b);
		const char *name =
			bit < FEATURE_BITS ? feature_name((unsigned)bit) : NULL;

		strbuf_printf(out, " %s", name ? name : "unknown");
		break;
	}
	case RECORD_BPF_METADATA: put_bpf_metadata_record(&b, out); break;
	case RECORD_SCHEDSTAT_CPU:
	case RECORD_SCHEDSTAT_DOMAIN:
		put_schedstat_record(record->type, &b, out);
		break;
	default: break;
	}
}

/* --- samples -------------------------------------------------------------- */

static void put_sample_bytes(
	const char *name, const uint8_t *at, uint64_t n, struct strbuf *out)
{
	uint64_t i;

	strbuf_printf(out, " %s: nr:%" PRIu64 " ", name, n);
	for (i = 0; at && i < n; i++)
		strbuf_printf(out, "%02x", at[i]);
}

static void put_sample_branches(const struct event *event,
	const struct sample *sample, struct strbuf *out)
{
	uint64_t i;

	strbuf_printf(out, " branches: nr:%" PRIu64, sample->n_branches);
	if (event->attr.branch_sample_type & ABI_BRANCH_HW_INDEX)
		strbuf_printf(out, " hw_idx: %" PRId64,
			(int64_t)sample->branch_index);
	for (i = 0; sample->branches && i < sample->n_branches; i++) {
		struct bytes b = bytes_of(sample->branches + 24 * i, 24, false);
		uint64_t from = bytes_u64(&b), to = bytes_u64(&b);

		strbuf_printf(out, " %#" PRIx64 "/%#" PRIx64 "/%#" PRIx64, from,
			to, bytes_u64(&b));
		if (sample->branch_counters) {
			b = bytes_of(sample->branch_counters + 8 * i, 8, false);
			strbuf_printf(out, "/%#" PRIx64, bytes_u64(&b));
		}
	}
}

struct register_set {
	const char *name;
	uint64_t mask, abi;
	const uint8_t *values;
};

static void put_register_set(const struct registers *registers,
	const struct register_set *set, struct strbuf *out)
{
	const uint8_t *at = set->values;
	unsigned bit;

	strbuf_printf(out, " %s: abi:%" PRIu64, set->name, set->abi);
	for (bit = 0; at && bit < 64; bit++) {
		const char *name = registers_name(registers, bit);
		struct bytes b = bytes_of(at, 8, false);

		if (!(set->mask >> bit & 1))
			continue;
		strbuf_printf(out, " %s:%#" PRIx64, name ? name : "unknown",
			bytes_u64(&b));
		at += 8;
	}
}

static void put_sample_addresses(
	uint64_t type, const struct sample *sample, struct strbuf *out)
{
	if (type & PERF_SAMPLE_PHYS_ADDR)
		strbuf_printf(out, " phys_addr: %#" PRIx64, sample->phys_addr);
	if (type & ABI_SAMPLE_CGROUP)
		strbuf_printf(out, " cgroup: %" PRIu64, sample->cgroup);
	if (type & ABI_SAMPLE_DATA_PAGE_SIZE)
		strbuf_printf(out, " data_page_size: %" PRIu64,
			sample->data_page_size);
	if (type & ABI_SAMPLE_CODE_PAGE_SIZE)
		strbuf_printf(out, " code_page_size: %" PRIu64,
			sample->code_page_size);
	if (type & ABI_SAMPLE_AUX)
		put_sample_bytes("aux", sample->aux, sample->aux_size, out);
}

/* Appends all fields of SAMPLE, a sample of EVENT, to OUT. */
static void put_sample_fields(const struct event *event,
	const struct registers *registers, const struct record *record,
	const struct sample *sample, struct strbuf *out)
{
	uint64_t type = event->attr.sample_type;

	strbuf_printf(out,
		"(IP, 0x%x): %d/%d: 0x%" PRIx64 " period: %" PRIu64
		" addr: 0x%" PRIx64 " event: ",
		record->misc, (int32_t)sample->pid, (int32_t)sample->tid,
		sample->ip, sample->period, sample->addr);
	escape_text(out, event->name);
	if (type & PERF_SAMPLE_STREAM_ID)
		strbuf_printf(out, " stream_id: %" PRIu64, sample->stream_id);
	if (type & PERF_SAMPLE_READ) {
		strbuf_puts(out, " read:");
		record_text_counts(&sample->counts, out);
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t i;

		strbuf_printf(out, " chain: nr:%" PRIu64, sample->n_chain);
		for (i = 0; i < sample->n_chain; i++)
			strbuf_printf(out, " %016" PRIx64,
				sample_chain_entry(sample, i));
	}
	if (type & PERF_SAMPLE_RAW)
		put_sample_bytes("raw", sample->raw, sample->raw_size, out);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_sample_branches(event, sample, out);
	if (type & PERF_SAMPLE_REGS_USER)
		put_register_set(registers,
			&(struct register_set){ "user regs",
				event->attr.sample_regs_user,
				sample->regs_user_abi, sample->regs_user },
			out);
	if (type & PERF_SAMPLE_STACK_USER)
		put_sample_bytes(
			"ustack", sample->stack, sample->stack_size, out);
	if (type & PERF_SAMPLE_WEIGHT)
		strbuf_printf(out, " weight: %" PRIu64, sample->weight);
	if (type & ABI_SAMPLE_WEIGHT_STRUCT)
		strbuf_printf(out, " weight: %u,%u,%u",
			(uint32_t)sample->weight,
			(uint16_t)(sample->weight >> 32),
			(uint16_t)(sample->weight >> 48));
	if (type & PERF_SAMPLE_DATA_SRC) {
		strbuf_printf(
			out, " data_src: %#" PRIx64 " ", sample->data_src);
		data_source_print(sample->data_src, out);
	}
	if (type & PERF_SAMPLE_TRANSACTION)
		strbuf_printf(
			out, " transaction: %#" PRIx64, sample->transaction);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_register_set(registers,
			&(struct register_set){ "intr regs",
				event->attr.sample_regs_intr,
				sample->regs_intr_abi, sample->regs_intr },
			out);
	put_sample_addresses(type, sample, out);
}

/*
 * Appends the CPU and time if recorded, and the POSITION, size and type of
 * RECORD: "3 12599 0x368 [0x30]: PERF_RECORD_COMM".
 */
static void put_record_head(const struct record *record, uint64_t position,
	const struct sample_id *id, struct strbuf *out)
{
	if (id->cpu != UINT32_MAX)
		strbuf_printf(out, "%u ", id->cpu);
	if (id->time)
		strbuf_printf(out, "%" PRIu64 " ", id->time);
	strbuf_printf(out, "0x%" PRIx64 " [0x%x]: PERF_RECORD_%s", position,
		record->size, record_name(record->type));
	if (string_is(record_name(record->type), "UNKNOWN"))
		strbuf_printf(out, "(%u)", record->type);
}

static void put_one_record(struct reader *reader, const struct record *record,
	uint64_t position, struct strbuf *out)
{
	/* Records of a tool belong to no event, and there can be none. */
	bool has_event = record->type == RECORD_SAMPLE ||
		record_is_sideband(record->type);
	size_t event = has_event ? reader_event_of(reader, record) : 0;
	const struct sample_layout *layout =
		has_event ? reader_layout(reader, event) : NULL;
	const char *arch = reader_features(reader)->arch;
	struct registers registers = registers_of(arch ? arch : "");
	struct sample_id id = { .cpu = UINT32_MAX };
	struct sample sample;

	if (record->type == RECORD_SAMPLE) {
		bool is_read = sample_read(layout, record, &sample);

		if (is_read) {
			id.time = sample.time;
			id.cpu = sample.cpu;
		}
		put_record_head(record, position, &id, out);
		if (is_read)
			put_sample_fields(reader_event(reader, event),
				&registers, record, &sample, out);
		else
			strbuf_puts(out, " too short");
	} else if (has_event) {
		sample_id_read(layout, record, &id);
		put_record_head(record, position, &id, out);
		record_text(record, layout, out);
	} else {
		put_record_head(record, position, &id, out);
		dump_tool(record, out);
	}
	strbuf_putc(out, '\n');
}

struct error *record_dump(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct error *err = NULL;
	struct record record;
	struct reader_chunk chunk;
	size_t at;

	while (!err && reader_next(reader, BLOCK_MIXED, &chunk) == 0) {
		for (at = 0; record_at(
			     chunk.data + at, chunk.size - at, false, &record);
			at += record.size)
			if (reader_n_events(reader) ||
				record.type >= RECORD_USER_FIRST)
				put_one_record(reader, &record,
					chunk.position + at, &out);
		err = output_text(&out);
		strbuf_clear(&out);
	}
	return err;
}
