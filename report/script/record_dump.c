/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/record_dump.h"

#include <inttypes.h>

#include "report/script/dump_sample.h"
#include "report/script/dump_tool.h"
#include "report/script/record_text.h"
#include "report/util/output.h"

/* "3 12599 0x368 [0x30]: PERF_RECORD_COMM", CPU and time where it has them. */
static void put_head(const struct record *record, uint64_t position,
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

static void put_sample(struct reader *reader, const struct record *record,
	uint64_t position, struct strbuf *out)
{
	size_t event = reader_event_of(reader, record);
	const char *arch = reader_features(reader)->arch;
	struct registers registers = registers_of(arch ? arch : "");
	struct sample_id id = { .cpu = UINT32_MAX };
	struct sample sample;

	if (!sample_read(reader_layout(reader, event), record, &sample)) {
		put_head(record, position, &id, out);
		strbuf_puts(out, " too short");
		return;
	}
	id.time = sample.time;
	id.cpu = sample.cpu;
	put_head(record, position, &id, out);
	dump_sample(reader_event(reader, event), &registers, record, &sample,
		out);
}

static void dump_record(struct reader *reader, const struct record *record,
	uint64_t position, struct strbuf *out)
{
	struct sample_id id = { .cpu = UINT32_MAX };

	if (record->type == RECORD_SAMPLE) {
		put_sample(reader, record, position, out);
	} else if (record_is_sideband(record->type)) {
		const struct sample_layout *layout = reader_layout(
			reader, reader_event_of(reader, record));

		sample_id_read(layout, record, &id);
		put_head(record, position, &id, out);
		record_text(record, layout, out);
	} else {
		put_head(record, position, &id, out);
		dump_tool(record, out);
	}
	strbuf_putc(out, '\n');
}

struct error *dump_records(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct error *err = NULL;
	struct chunk chunk;

	while (!err && reader_next(reader, BLOCK_MIXED, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		while (record_at(chunk.data + at, chunk.size - at, false,
			&record)) {
			if (reader_n_events(reader) ||
				record.type >= RECORD_USER_FIRST)
				dump_record(reader, &record,
					chunk.position + at, &out);
			at += record.size;
		}
		err = output_text(&out);
		strbuf_clear(&out);
	}
	return err;
}
