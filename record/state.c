/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/state.h"

#include <sys/mman.h>

#include "common/alloc.h"

/* So long after its EXIT a task may still be sampled. */
#define TEAR_DOWN_NS (2 * NSEC_PER_SEC)

struct state {
	const struct hits *hits;
	struct strbuf *out;
};

static size_t make_trailer(const struct state *state, struct sample_id id,
	uint8_t trailer[SAMPLE_ID_SIZE_MAX])
{
	const struct hits_event *event = hits_sideband(state->hits);

	id.id = event->id;
	sample_id_write(&event->layout, &id, trailer);
	return event->layout.trailer_size;
}

static void add_comm(void *data, uint32_t pid, uint32_t tid, const char *name)
{
	struct state *state = data;
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	const struct sample_id id = { .pid = pid, .tid = tid };
	size_t size = make_trailer(state, id, trailer);
	struct record_comm comm = { .pid = pid, .tid = tid, .comm = name };

	record_write_comm(state->out, &comm, trailer, size);
}

/* Or it would live for ever, and go into every file from now on. */
static void add_end(void *data, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct state *state = data;
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	const struct sample_id id = { .pid = pid, .tid = tid, .time = time };
	size_t size = make_trailer(state, id, trailer);
	const struct record_task task = { .pid = pid, .tid = tid, .time = time };

	record_write_task(state->out, RECORD_EXIT, &task, trailer, size);
}

/* How it was mapped isn't known any more: as code mostly is. */
static void add_mapping(
	void *data, uint32_t pid, const struct mapping *mapping)
{
	struct state *state = data;
	const struct dso *dso = maps_dso(hits_maps(state->hits), mapping->dso);
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	const struct sample_id id = { .pid = pid, .tid = pid };
	size_t size = make_trailer(state, id, trailer);
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
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.path = dso->path,
	};

	record_write_mmap2(state->out, MISC_USER, &map, trailer, size);
}

void state_write(const struct hits *hits, struct strbuf *out)
{
	struct state state = { hits, out };
	const struct maps_visitor visitor = { add_comm, add_end, add_mapping,
		&state };
	uint64_t until = hits_until(hits);
	const struct strbuf *common = hits_common(hits);
	const struct strbuf *waiting = hits_waiting(hits);

	strbuf_put(out, common->at, common->n);
	maps_visit(hits_maps(hits),
		until > TEAR_DOWN_NS ? until - TEAR_DOWN_NS : 0, &visitor);
	strbuf_put(out, waiting->at, waiting->n);
}
