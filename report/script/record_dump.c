/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/record_dump.h"

#include <inttypes.h>

#include "common/perf/abi.h"
#include "common/perf/attr.h"
#include "common/perf/sample.h"
#include "common/unwind/registers.h"
#include "common/util/escape.h"
#include "report/script/dump_tool.h"
#include "report/script/record_text.h"
#include "report/util/data_source.h"
#include "report/util/output.h"

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

static void put_sample_record(struct reader *reader,
	const struct record *record, uint64_t position, struct strbuf *out)
{
	size_t event = reader_event_of(reader, record);
	const char *arch = reader_features(reader)->arch;
	struct registers registers = registers_of(arch ? arch : "");
	struct sample_id id = { .cpu = UINT32_MAX };
	struct sample sample;

	if (!sample_read(reader_layout(reader, event), record, &sample)) {
		put_record_head(record, position, &id, out);
		strbuf_puts(out, " too short");
		return;
	}
	id.time = sample.time;
	id.cpu = sample.cpu;
	put_record_head(record, position, &id, out);
	put_sample_fields(
		reader_event(reader, event), &registers, record, &sample, out);
}

struct error *dump_records(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct error *err = NULL;
	struct chunk chunk;

	while (!err && reader_next(reader, BLOCK_MIXED, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		while (record_at(
			chunk.data + at, chunk.size - at, false, &record)) {
			if (reader_n_events(reader) ||
				record.type >= RECORD_USER_FIRST) {
				uint64_t position = chunk.position + at;
				struct sample_id id = { .cpu = UINT32_MAX };

				if (record.type == RECORD_SAMPLE) {
					put_sample_record(reader, &record,
						position, &out);
				} else if (record_is_sideband(record.type)) {
					const struct sample_layout *layout =
						reader_layout(reader,
							reader_event_of(reader,
								&record));

					sample_id_read(layout, &record, &id);
					put_record_head(
						&record, position, &id, &out);
					record_text(&record, layout, &out);
				} else {
					put_record_head(
						&record, position, &id, &out);
					dump_tool(&record, &out);
				}
				strbuf_putc(&out, '\n');
			}
			at += record.size;
		}
		err = output_text(&out);
		strbuf_clear(&out);
	}
	return err;
}
