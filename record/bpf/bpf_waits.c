/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/bpf/bpf_waits.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/random.h>

#include "record/bpf/bpf_unwind_private.h"

/*
 * The programs, and their tracepoints. Targets are added when the first is attached, so
 * that no child of a target is missed.
 */
static const struct wait_program {
	const char *name, *tracepoint;
} programs[] = {
	{ "wait_fork", "sched_process_fork" },
	{ "wait_exit", "sched_process_exit" },
	{ "wait_waking", "sched_waking" },
	{ "wait_switch", "sched_switch" },
};

static struct error *attach_program(
	struct bpf_unwind *bpf, const struct wait_program *program)
{
	struct bpf_link *link = bpf_program__attach_raw_tracepoint(
		bpf_object__find_program_by_name(bpf->object, program->name),
		program->tracepoint);

	if (!link)
		return error_hint(
			error_errno(errno,
				"cannot attach a BPF program to the tracepoint "
				"%s",
				program->tracepoint),
			"without --min-block, each wait is recorded");
	*array_push(&bpf->links) = link;
	return NULL;
}

static struct error *add_targets(
	const struct bpf_unwind *bpf, const struct bpf_waits_config *config)
{
	int map = bpf_unwind_map(bpf, "wait_targets");
	uint32_t one = 1;
	size_t i;

	for (i = 0; i < config->n_targets; i++)
		if (bpf_map_update_elem(
			    map, &config->targets[i], &one, BPF_ANY) < 0)
			return error_hint(
				error_errno(errno,
					"cannot measure waits of %zu processes "
					"or threads",
					config->n_targets),
				"without --min-block, each wait is recorded");
	return NULL;
}

struct error *bpf_waits_start(
	struct bpf_unwind *bpf, const struct bpf_waits_config *config)
{
	struct chain_settings *settings = &bpf->settings;
	struct error *err = NULL;
	uint64_t seed;
	size_t i;

	settings->own_pid = (uint32_t)getpid();
	settings->scope = config->scope;
	settings->inherits = config->inherits;
	settings->least_ns = config->least_ns;
	settings->wait_mode = config->mode;
	settings->switch_start = config->switch_start;
	settings->switch_size = config->switch_size;
	settings->seed = getrandom(&seed, sizeof(seed), 0) == sizeof(seed)
		? seed
		: hash_seed;
	bpf_unwind_set(bpf);
	err = attach_program(bpf, &programs[0]);
	if (!err)
		err = add_targets(bpf, config);
	for (i = 1; i < ARRAY_SIZE(programs) && !err; i++)
		err = attach_program(bpf, &programs[i]);
	return err;
}

/* Appends WAIT as a record of the BPF programs. */
static void put_wait(const struct bpf_unwind *bpf,
	const struct chain_wait *wait, struct strbuf *records)
{
	const uint32_t size = ALIGN_UP(sizeof(*wait) + 4, 8) - 4;
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.size = (uint16_t)(sizeof(header) + 20 + size),
	};

	strbuf_put(records, &header, sizeof(header));
	strbuf_put_u64(records, bpf->outputs.at[0].id);
	strbuf_put_u32(records, wait->key.pid);
	strbuf_put_u32(records, wait->key.tid);
	strbuf_put_u32(records, size);
	strbuf_put(records, wait, sizeof(*wait));
	strbuf_fill(records, 0, size - sizeof(*wait));
}

/* Moves the sums of the map NAME to RECORDS. */
static void move_sums(
	const struct bpf_unwind *bpf, const char *name, struct strbuf *records)
{
	int map = bpf_unwind_map(bpf, name);
	struct chain_wait wait = { .kind = CHAIN_WAIT, .is_sum = 1 };
	bool has_next = bpf_map_get_next_key(map, NULL, &wait.key) == 0;
	struct wait_key next = { 0 };

	while (has_next) {
		has_next = bpf_map_get_next_key(map, &wait.key, &next) == 0;
		if (bpf_map_lookup_elem(map, &wait.key, &wait.times) == 0 &&
			bpf_map_delete_elem(map, &wait.key) == 0)
			put_wait(bpf, &wait, records);
		wait.key = next;
	}
}

void bpf_waits_take_sums(struct bpf_unwind *bpf, struct strbuf *records)
{
	/*
	 * The programs have not filled this map since the last call, so that no sum
	 * changes while it is moved.
	 */
	move_sums(bpf, bpf->settings.epoch ? "wait_sums_0" : "wait_sums_1",
		records);
	bpf->settings.epoch = !bpf->settings.epoch;
	bpf_unwind_set(bpf);
}

void bpf_waits_stop(
	struct bpf_unwind *bpf, uint64_t end, struct strbuf *records)
{
	int map = bpf_unwind_map(bpf, "wait_threads");
	struct wait_thread thread;
	uint32_t tid, *last = NULL;

	bpf->settings.scope = WAIT_NOTHING;
	bpf_unwind_set(bpf);
	array_each(&bpf->links, link)
		bpf_link__destroy(*link);
	array_free(&bpf->links);
	move_sums(bpf, "wait_sums_0", records);
	move_sums(bpf, "wait_sums_1", records);
	while (bpf_map_get_next_key(map, last, &tid) == 0) {
		struct chain_wait wait = { .kind = CHAIN_WAIT, .is_open = 1 };

		last = &tid;
		if (bpf_map_lookup_elem(map, &tid, &thread) < 0 ||
			!thread.is_off || thread.out >= end)
			continue;
		wait.key = (struct wait_key){ thread.pid, tid, thread.stack };
		wait_set_times(&thread, end, thread.cpu, &wait.times);
		put_wait(bpf, &wait, records);
	}
}

void bpf_waits_counts(
	const struct bpf_unwind *bpf, struct bpf_waits_counts *ret)
{
	int fd = bpf_program__fd(
		bpf_object__find_program_by_name(bpf->object, "wait_switch"));
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	*ret = (struct bpf_waits_counts){ 0 };
	/* How often the kernel left the program out. */
	if (bpf_obj_get_info_by_fd(fd, &info, &size) == 0)
		ret->missed = info.recursion_misses;
	bpf_unwind_sum(bpf_unwind_map(bpf, "wait_counts"), &ret->counts,
		sizeof(ret->counts));
}
