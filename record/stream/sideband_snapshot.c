/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/sideband_snapshot.h"

#include "common/util/alloc.h"
#include "record/synth/sideband_state.h"

/* A task can still be sampled for this time after its EXIT record. */
#define TEAR_DOWN_NS (2 * NSEC_PER_SEC)

struct snapshot_writer {
	const struct sampled_code *sampled;
	struct strbuf *out;
};

static size_t make_snapshot_trailer(const struct snapshot_writer *writer,
	struct sample_id id, uint8_t trailer[SAMPLE_ID_SIZE_MAX])
{
	const struct sampled_event *event =
		sampled_code_sideband_event(writer->sampled);

	id.id = event->id;
	sample_id_write(&event->layout, &id, trailer);
	return event->layout.trailer_size;
}

static void write_comm(void *data, uint32_t pid, uint32_t tid, const char *name)
{
	struct snapshot_writer *writer = data;
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	const struct sample_id id = { .pid = pid, .tid = tid };
	size_t size = make_snapshot_trailer(writer, id, trailer);
	struct record_comm comm = { .pid = pid, .tid = tid, .comm = name };

	record_write_comm(writer->out, &comm, trailer, size);
}

/*
 * Writes an EXIT record. Without it, the task would be written to all later
 * files of --switch-output.
 */
static void write_exit(void *data, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct snapshot_writer *writer = data;
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	const struct sample_id id = { .pid = pid, .tid = tid, .time = time };
	size_t size = make_snapshot_trailer(writer, id, trailer);
	const struct record_task task = {
		.pid = pid, .tid = tid, .time = time
	};

	record_write_task(writer->out, RECORD_EXIT, &task, trailer, size);
}

/* Writes a mapping of code, or of data if MISC has MISC_MMAP_DATA. */
static void write_mapping(struct snapshot_writer *writer, uint32_t pid,
	const struct mapping *mapping, const struct dso *dso, uint16_t misc)
{
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	const struct sample_id id = { .pid = pid, .tid = pid };
	size_t size = make_snapshot_trailer(writer, id, trailer);
	struct record_mmap map = {
		.pid = pid,
		.tid = pid,
		.start = mapping->start,
		.size = mapping->end - mapping->start,
		.offset = mapping->offset,
		.major = dso->major,
		.minor = dso->minor,
		.inode = dso->inode,
		.generation = dso->generation,
		.build_id = dso->build_id,
		.prot = mapping->prot,
		.flags = mapping->flags,
		.path = dso->path,
	};

	record_write_mmap2(writer->out, misc, &map, trailer, size);
}

static void write_code_mapping(
	void *data, uint32_t pid, const struct mapping *mapping)
{
	struct snapshot_writer *writer = data;

	write_mapping(writer, pid, mapping,
		maps_dso(sampled_code_maps(writer->sampled), mapping->dso),
		MISC_USER);
}

static void write_data_mapping(
	void *data, uint32_t pid, const struct mapping *mapping)
{
	struct snapshot_writer *writer = data;

	write_mapping(writer, pid, mapping,
		maps_dso(sampled_code_sideband(writer->sampled)->state.data,
			mapping->dso),
		MISC_USER | MISC_MMAP_DATA);
}

static void write_namespaces_and_data(
	struct snapshot_writer *writer, uint64_t since)
{
	const struct sideband_state *state =
		&sampled_code_sideband(writer->sampled)->state;
	const struct maps_visitor visitor = { .mapping = write_data_mapping,
		.data = writer };

	if (state->data)
		maps_visit(state->data, since, &visitor);
	array_each(&state->threads, thread)
		if (!thread->ended || thread->ended >= since) {
			_cleanup_strbuf_ struct strbuf payload = { 0 };
			uint8_t trailer[SAMPLE_ID_SIZE_MAX];
			const struct sample_id id = { .pid = thread->pid,
				.tid = thread->tid };
			size_t size =
				make_snapshot_trailer(writer, id, trailer);

			strbuf_put(&payload, thread->payload, thread->size);
			strbuf_put(&payload, trailer, size);
			record_write(writer->out, RECORD_NAMESPACES, 0,
				payload.at, payload.n);
		}
}

void sideband_snapshot_write(
	const struct sampled_code *sampled, struct strbuf *out)
{
	struct snapshot_writer writer = { sampled, out };
	const struct maps_visitor visitor = { write_comm, write_exit,
		write_code_mapping, &writer };
	const struct sideband_order *sideband = sampled_code_sideband(sampled);
	uint64_t until = sideband->until;
	uint64_t since = until > TEAR_DOWN_NS ? until - TEAR_DOWN_NS : 0;

	strbuf_put(out, sideband->common.at, sideband->common.n);
	write_namespaces_and_data(&writer, since);
	maps_visit(sideband->maps, since, &visitor);
	strbuf_put(out, sideband->waiting.at, sideband->waiting.n);
}
