/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/dump.h"

#include <inttypes.h>

#include "common/escape.h"
#include "report/output.h"

static void dump_mmap(const struct record *record, struct strbuf *out)
{
	char id[BUILD_ID_TEXT];
	struct record_mmap map;

	if (!record_read_mmap(record, &map))
		return;
	strbuf_printf(out,
		" %d/%d: [0x%" PRIx64 "(0x%" PRIx64 ") @ 0x%" PRIx64,
		(int32_t)map.pid, (int32_t)map.tid, map.start, map.size,
		map.offset);
	if (map.build_id.size)
		strbuf_printf(out, " <%s>", build_id_text(&map.build_id, id));
	else
		strbuf_printf(out, " %02x:%02x %" PRIu64 " %" PRIu64,
			map.major, map.minor, map.inode, map.generation);
	strbuf_puts(out, "]: ");
	escape_text(out, map.path);
}

static void dump_comm(const struct record *record, struct strbuf *out)
{
	struct record_comm comm;

	if (!record_read_comm(record, &comm))
		return;
	strbuf_puts(out, comm.is_exec ? " exec: " : ": ");
	escape_text(out, comm.comm);
	strbuf_printf(out, ":%d/%d", (int32_t)comm.pid, (int32_t)comm.tid);
}

static void dump_task(const struct record *record, struct strbuf *out)
{
	struct record_task task;

	if (record_read_task(record, &task))
		strbuf_printf(out, "(%d:%d):(%d:%d)", (int32_t)task.pid,
			(int32_t)task.tid, (int32_t)task.ppid,
			(int32_t)task.ptid);
}

static void dump_lost(const struct record *record, struct strbuf *out)
{
	struct record_lost lost;

	if (record_read_lost(record, &lost))
		strbuf_printf(out, " id: %" PRIu64 " lost: %" PRIu64, lost.id,
			lost.lost);
}

static void dump_ksymbol(const struct record *record, struct strbuf *out)
{
	struct record_ksymbol symbol;

	if (!record_read_ksymbol(record, &symbol))
		return;
	strbuf_printf(out,
		" addr 0x%" PRIx64 " len %u type %u flags 0x%x name ",
		symbol.start, symbol.size, symbol.type, symbol.flags);
	escape_text(out, symbol.name);
}

static void dump_sample(struct reader *reader, const struct record *record,
	struct strbuf *out)
{
	size_t event = reader_event_of(reader, record);
	struct sample sample;
	uint64_t i;

	if (!sample_read(reader_layout(reader, event), record, &sample))
		return;
	strbuf_printf(out,
		"(IP, 0x%x): %d/%d: 0x%" PRIx64 " period: %" PRIu64
		" addr: 0x%" PRIx64 " event: ",
		record->misc, (int32_t)sample.pid, (int32_t)sample.tid,
		sample.ip, sample.period, sample.addr);
	escape_text(out, reader_event(reader, event)->name);
	if (!sample.chain)
		return;
	strbuf_printf(out, " chain: nr:%" PRIu64, sample.n_chain);
	for (i = 0; i < sample.n_chain; i++)
		strbuf_printf(
			out, " %016" PRIx64, sample_chain_entry(&sample, i));
}

/* Records with something to tell beside their name and size. */
static void dump_payload(struct reader *reader, const struct record *record,
	struct strbuf *out)
{
	struct bytes b = record_payload(record);

	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2: dump_mmap(record, out); break;
	case RECORD_COMM: dump_comm(record, out); break;
	case RECORD_FORK:
	case RECORD_EXIT: dump_task(record, out); break;
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES: dump_lost(record, out); break;
	case RECORD_KSYMBOL: dump_ksymbol(record, out); break;
	case RECORD_SAMPLE: dump_sample(reader, record, out); break;
	case RECORD_HEADER_FEATURE: {
		uint64_t bit = bytes_u64(&b);
		const char *name = bit < FEATURE_BITS
			? feature_name((unsigned)bit)
			: NULL;

		strbuf_printf(out, " %s", name ? name : "unknown");
		break;
	}
	default: break;
	}
}

static void dump_record(struct reader *reader, const struct record *record,
	uint64_t position, struct strbuf *out)
{
	struct sample_id id = { .cpu = UINT32_MAX };

	if (record->type == RECORD_SAMPLE) {
		struct sample sample;

		if (sample_read(reader_layout(reader,
					reader_event_of(reader, record)),
			    record, &sample)) {
			id.time = sample.time;
			id.cpu = sample.cpu;
		}
	} else if (record_is_sideband(record->type) &&
		reader_n_events(reader)) {
		sample_id_read(reader_layout(reader,
				       reader_event_of(reader, record)),
			record, &id);
	}
	if (id.cpu != UINT32_MAX)
		strbuf_printf(out, "%u ", id.cpu);
	if (id.time)
		strbuf_printf(out, "%" PRIu64 " ", id.time);
	strbuf_printf(out, "0x%" PRIx64 " [0x%x]: PERF_RECORD_%s", position,
		record->size, record_name(record->type));
	if (record->type >= RECORD_END)
		strbuf_printf(out, "(%u)", record->type);
	dump_payload(reader, record, out);
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
