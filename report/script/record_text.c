/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/record_text.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "common/perf/userchain.h"
#include "common/util/escape.h"

/*
 * Names of namespaces, in the order of NET_NS_INDEX to CGROUP_NS_INDEX in
 * linux/perf_event.h.
 */
static const char *const namespace_names[] = { "net", "uts", "ipc", "pid",
	"user", "mnt", "cgroup" };

/* Appends "Old bytes: 90 90", 16 bytes per line. */
static void put_poked_code(
	const char *which, const uint8_t *at, size_t n, struct strbuf *out)
{
	size_t i;

	for (i = 0; at && i < n; i++) {
		if (i % 16 == 0)
			strbuf_printf(out, "\n            %s bytes:", which);
		strbuf_printf(out, " %02x", at[i]);
	}
}

static void put_mmap_record(const struct record *record, struct strbuf *out)
{
	char id[BUILD_ID_TEXT];
	struct record_mmap map;

	if (!record_read_mmap(record, &map))
		return;
	strbuf_printf(out, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64,
		(int32_t)map.pid, (int32_t)map.tid, map.start, map.size,
		map.offset);
	if (record->type == RECORD_MMAP) {
		strbuf_printf(out, "]: %c ", map.is_data ? 'r' : 'x');
		escape_text(out, map.path);
		return;
	}
	if (map.build_id.size)
		strbuf_printf(out, " <%s>", build_id_text(&map.build_id, id));
	else
		strbuf_printf(out, " %02x:%02x %" PRIu64 " %" PRIu64, map.major,
			map.minor, map.inode, map.generation);
	strbuf_printf(out, "]: %c%c%c%c ", map.prot & PROT_READ ? 'r' : '-',
		map.prot & PROT_WRITE ? 'w' : '-',
		map.prot & PROT_EXEC ? 'x' : '-',
		map.flags & MAP_SHARED ? 's' : 'p');
	escape_text(out, map.path);
}

static void put_comm_record(const struct record *record, struct strbuf *out)
{
	struct record_comm comm;

	if (!record_read_comm(record, &comm))
		return;
	strbuf_puts(out, comm.is_exec ? " exec: " : ": ");
	escape_text(out, comm.comm);
	strbuf_printf(out, ":%d/%d", (int32_t)comm.pid, (int32_t)comm.tid);
}

void record_text_counts(const struct sample_counts *counts, struct strbuf *out)
{
	uint64_t i;

	if (counts->enabled || counts->running)
		strbuf_printf(out, " enabled: %" PRIu64 " running: %" PRIu64,
			counts->enabled, counts->running);
	for (i = 0; i < counts->n; i++) {
		struct sample_count count = sample_count_at(counts, i);

		strbuf_printf(out, " value: %" PRIu64, count.value);
		if (counts->has_id)
			strbuf_printf(out, " id: %" PRIu64, count.id);
		if (counts->has_lost)
			strbuf_printf(out, " lost: %" PRIu64, count.lost);
	}
}

static void put_read_record(const struct record *record,
	const struct sample_layout *layout, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	uint32_t pid = bytes_u32(&b), tid = bytes_u32(&b);
	struct sample_counts counts;

	if (!sample_read_counts(layout, &b, &counts))
		return;
	strbuf_printf(out, " %d/%d:", (int32_t)pid, (int32_t)tid);
	record_text_counts(&counts, out);
}

static void put_aux_record(const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	uint64_t offset = bytes_u64(&b), size = bytes_u64(&b);
	uint64_t flags = bytes_u64(&b);

	if (b.ok)
		strbuf_printf(out,
			" offset: %#" PRIx64 " size: %#" PRIx64
			" flags: %#" PRIx64 " [%s%s%s%s]",
			offset, size, flags,
			flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
			flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
			flags & PERF_AUX_FLAG_PARTIAL ? "P" : "",
			flags & PERF_AUX_FLAG_COLLISION ? "C" : "");
}

static void put_switch_record(const struct record *record, struct strbuf *out)
{
	bool is_out = record->misc & MISC_SWITCH_OUT;
	struct bytes b = record_payload(record);
	uint32_t pid, tid;

	if (!is_out)
		strbuf_puts(out, " IN         ");
	else if (record->misc & MISC_SWITCH_OUT_PREEMPT)
		strbuf_puts(out, " OUT preempt");
	else
		strbuf_puts(out, " OUT        ");
	if (record->type == RECORD_SWITCH)
		return;
	pid = bytes_u32(&b);
	tid = bytes_u32(&b);
	if (b.ok)
		strbuf_printf(out, "  %s pid/tid: %5d/%-5d",
			is_out ? "next" : "prev", (int32_t)pid, (int32_t)tid);
}

static void put_namespaces_record(
	const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	uint32_t pid = bytes_u32(&b), tid = bytes_u32(&b);
	uint64_t n = bytes_u64(&b), i;

	if (!b.ok || n > bytes_left(&b) / 16)
		return;
	strbuf_printf(out, " %d/%d - nr_namespaces: %u\n\t\t[", (int32_t)pid,
		(int32_t)tid, (unsigned)n);
	for (i = 0; i < n; i++) {
		uint64_t dev = bytes_u64(&b), inode = bytes_u64(&b);

		/* Print four namespaces per line. */
		if (i && i % 4 == 0)
			strbuf_puts(out, "\n\t\t ");
		strbuf_printf(out, "%u/%s: %" PRIu64 "/%#" PRIx64 "%s",
			(unsigned)i,
			i < ARRAY_SIZE(namespace_names) ? namespace_names[i]
							: "unknown",
			dev, inode, i + 1 < n ? ", " : "");
	}
	strbuf_putc(out, ']');
}

static void put_ksymbol_record(const struct record *record, struct strbuf *out)
{
	struct record_ksymbol symbol;

	if (!record_read_ksymbol(record, &symbol))
		return;
	strbuf_printf(out, " addr %" PRIx64 " len %u type %u flags 0x%x name ",
		symbol.start, symbol.size, symbol.type, symbol.flags);
	escape_text(out, symbol.name);
}

static void put_bpf_record(const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	uint16_t type = bytes_u16(&b), flags = bytes_u16(&b);
	uint32_t id = bytes_u32(&b);

	if (b.ok)
		strbuf_printf(
			out, " type %u, flags %u, id %u", type, flags, id);
}

static void put_cgroup_record(const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	uint64_t id = bytes_u64(&b);

	if (!b.ok)
		return;
	strbuf_printf(out, " cgroup: %" PRIu64 " ", id);
	const char *text = bytes_text(&b, bytes_left(&b));

	if (b.ok)
		escape_text(out, text);
}

static void put_text_poke_record(
	const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	uint64_t address = bytes_u64(&b);
	uint16_t old = bytes_u16(&b), new = bytes_u16(&b);
	const uint8_t *was = bytes_take(&b, old), *is = bytes_take(&b, new);

	if (!b.ok)
		return;
	strbuf_printf(
		out, " %" PRIx64 "  old len %u new len %u", address, old, new);
	put_poked_code("Old", was, old, out);
	put_poked_code("New", is, new, out);
}

static void put_hardware_id_record(
	const struct record *record, struct strbuf *out)
{
	struct bytes b = record_payload(record);
	uint64_t id = bytes_u64(&b);

	if (b.ok)
		strbuf_printf(out, " hw_id: %#" PRIx64, id);
}

static void put_deferred_chain_record(
	const struct record *record, struct strbuf *out)
{
	struct userchain chain;
	uint64_t i;

	if (!userchain_read(record, &chain))
		return;
	strbuf_printf(out, " cookie: %#" PRIx64 " chain: nr:%" PRIu64,
		chain.cookie, chain.n);
	for (i = 0; i < chain.n; i++) {
		struct bytes b = bytes_of(chain.entries + 8 * i, 8, false);

		strbuf_printf(out, " %016" PRIx64, bytes_u64(&b));
	}
}

void record_text(const struct record *record,
	const struct sample_layout *layout, struct strbuf *out)
{
	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2: put_mmap_record(record, out); break;
	case RECORD_COMM: put_comm_record(record, out); break;
	case RECORD_FORK:
	case RECORD_EXIT: {
		struct record_task task;

		if (record_read_task(record, &task))
			strbuf_printf(out, "(%d:%d):(%d:%d)", (int32_t)task.pid,
				(int32_t)task.tid, (int32_t)task.ppid,
				(int32_t)task.ptid);
		break;
	}
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES: {
		struct record_lost lost;

		if (record_read_lost(record, &lost))
			strbuf_printf(out, " lost %" PRIu64, lost.lost);
		break;
	}
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE: {
		struct bytes b = record_payload(record);
		uint64_t time = bytes_u64(&b), id = bytes_u64(&b);
		uint64_t stream_id = bytes_u64(&b);

		if (b.ok)
			strbuf_printf(out,
				" time: %" PRIu64 " id: %" PRIu64
				" stream_id: %" PRIu64,
				time, id, stream_id);
		break;
	}
	case RECORD_READ: put_read_record(record, layout, out); break;
	case RECORD_AUX: put_aux_record(record, out); break;
	case RECORD_ITRACE_START: {
		struct bytes b = record_payload(record);
		uint32_t pid = bytes_u32(&b), tid = bytes_u32(&b);

		if (b.ok)
			strbuf_printf(out, " pid: %d tid: %d", (int32_t)pid,
				(int32_t)tid);
		break;
	}
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE: put_switch_record(record, out); break;
	case RECORD_NAMESPACES: put_namespaces_record(record, out); break;
	case RECORD_KSYMBOL: put_ksymbol_record(record, out); break;
	case RECORD_BPF_EVENT: put_bpf_record(record, out); break;
	case RECORD_CGROUP: put_cgroup_record(record, out); break;
	case RECORD_TEXT_POKE: put_text_poke_record(record, out); break;
	case RECORD_AUX_OUTPUT_HW_ID:
		put_hardware_id_record(record, out);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		put_deferred_chain_record(record, out);
		break;
	default: break;
	}
}
