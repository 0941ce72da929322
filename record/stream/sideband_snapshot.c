/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/sideband_snapshot.h"

#include "common/util/alloc.h"
#include "record/synth/sideband_state.h"

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

/* Code or, by MISC, data. */
static void add_map(struct state *state, uint32_t pid,
	const struct mapping *mapping, const struct dso *dso, uint16_t misc)
{
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
		.prot = mapping->prot,
		.flags = mapping->flags,
		.path = dso->path,
	};

	record_write_mmap2(state->out, misc, &map, trailer, size);
}

static void add_code(void *data, uint32_t pid, const struct mapping *mapping)
{
	struct state *state = data;

	add_map(state, pid, mapping,
		maps_dso(hits_maps(state->hits), mapping->dso), MISC_USER);
}

static void add_data(void *data, uint32_t pid, const struct mapping *mapping)
{
	struct state *state = data;

	add_map(state, pid, mapping,
		maps_dso(hits_replay(state->hits)->told.data, mapping->dso),
		MISC_USER | MISC_MMAP_DATA);
}

static void pass_over_comm(
	void *data, uint32_t pid, uint32_t tid, const char *name)
{
	(void)data, (void)pid, (void)tid, (void)name;
}

static void pass_over_end(void *data, uint32_t pid, uint32_t tid, uint64_t time)
{
	(void)data, (void)pid, (void)tid, (void)time;
}

static void add_namespaces(
	struct state *state, const struct told_thread *thread)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	const struct sample_id id = { .pid = thread->pid, .tid = thread->tid };
	size_t size = make_trailer(state, id, trailer);

	strbuf_put(&payload, thread->payload, thread->size);
	strbuf_put(&payload, trailer, size);
	record_write(
		state->out, RECORD_NAMESPACES, 0, payload.at, payload.n);
}

static void add_told(struct state *state, uint64_t since)
{
	const struct told *told = &hits_replay(state->hits)->told;
	const struct maps_visitor visitor = { pass_over_comm, pass_over_end,
		add_data, state };

	if (told->data)
		maps_visit(told->data, since, &visitor);
	array_each (&told->threads, thread)
		if (!thread->ended || thread->ended >= since)
			add_namespaces(state, thread);
}

void state_write(const struct hits *hits, struct strbuf *out)
{
	struct state state = { hits, out };
	const struct maps_visitor visitor = { add_comm, add_end, add_code,
		&state };
	const struct replay *replay = hits_replay(hits);
	uint64_t until = replay->until;
	uint64_t since = until > TEAR_DOWN_NS ? until - TEAR_DOWN_NS : 0;

	strbuf_put(out, replay->common.at, replay->common.n);
	add_told(&state, since);
	maps_visit(replay->maps, since, &visitor);
	strbuf_put(out, replay->waiting.at, replay->waiting.n);
}
