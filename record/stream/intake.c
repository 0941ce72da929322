/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/intake.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/bpf/bpf_unwind.h"
#include "record/queue/deferred.h"
#include "record/queue/queue.h"
#include "record/stream/sample_filter.h"
#include "record/stream/stack_intake.h"

/* For this time after a deep stack, other deep stacks are likely. */
#define URGENT_NS (50 * NSEC_PER_MSEC)

/* The properties of an event that are needed for each record of the event. */
struct intake_event {
	uint64_t id;
	struct sample_layout layout;
	/* With BPF: the layout of samples in the ring buffer. */
	struct sample_layout kernel_layout;
	uint64_t registers; /* sample_regs_user */
	bool is_wide, follows, is_waking;
	bool is_wait;	/* measured by BPF, of threads of the target only */
	bool is_joined; /* BPF unwinds the samples, if it is used */
};

struct intake {
	const struct event_fds *opened;
	struct queue_fill blocks;
	struct intake_event *events; /* array of n_events; the sideband event is
					the last element */
	struct recorded_counts counts_at_switch;
	uint32_t n_events, sideband;
	struct recorded_counts counts;
	uint32_t own_pid;
	bool excludes_self;
	uint64_t last_id; /* last argument and result of event_fds_event() */
	uint32_t last_event;
	void (*on_fork)(void *data, const struct record_task *fork);
	void *fork_data;
	struct sample_filter *filter;
	struct inherited_tasks *tasks;
	struct sample_filter_wakeups
		*wakeups;	      /* owned; NULL: wakeups are not sampled */
	struct file_tracker *tracker; /* may be NULL */
	const struct runtimes *runtimes; /* may be NULL */
	struct runtime_pace *pace;	 /* owned; NULL without .runtimes */
	bool has_runtime; /* a record of a reserved mapping was added */
	struct stack_intake stacks;
	struct bpf_unwind *bpf;	   /* borrowed; NULL: no BPF */
	struct chain_join *join;   /* owned; NULL without BPF */
	struct wait_join *waits;   /* owned; NULL: BPF measures no waits */
	struct deferred *deferred; /* NULL: call chains are not deferred */
};

static void init_intake_event(struct intake_event *event, uint64_t id,
	const struct perf_event_attr *attr, const struct selection *selection)
{
	struct perf_event_attr kernel =
		chain_kernel_attr(attr, selection->keeps_stacks);

	event->id = id;
	sample_layout_init(&event->layout, attr);
	sample_layout_init(&event->kernel_layout, &kernel);
	event->registers = attr->sample_regs_user;
	event->is_joined =
		selection->unwinds_in_kernel && chain_is_joined(attr);
}

static void take_completed_sample(
	void *data, const struct perf_event_header *sample);
static void take_sample_record(
	struct intake *intake, const struct perf_event_header *header);

struct intake *intake_create(const struct intake_setup *setup)
{
	const struct event_fds *opened = setup->opened;
	const struct selection *selection = opened->selection;
	struct intake *intake = xcalloc(1, sizeof(*intake));
	uint32_t i;

	intake->opened = opened;
	intake->blocks.queue = setup->queue;
	intake->filter = setup->filter;
	intake->tasks = setup->target_tasks;
	intake->tracker = setup->tracker;
	intake->runtimes = setup->runtimes;
	intake->bpf = setup->bpf;
	intake->excludes_self = setup->excludes_self;
	stack_intake_init(&intake->stacks, &intake->blocks, &intake->counts);
	intake->stacks.reader = setup->reader;
	intake->stacks.keeps_stacks = selection->keeps_stacks;
	intake->own_pid = (uint32_t)getpid();
	intake->sideband = (uint32_t)selection->events.n;
	intake->n_events = intake->sideband + 1;
	uint32_t last = 0;

	array_each(&opened->target->online.list, cpu)
		last = MAX(last, *cpu);
	recorded_counts_init(&intake->counts, intake->n_events, last);
	intake->events = xcalloc(intake->n_events, sizeof(*intake->events));
	for (i = 0; i < intake->sideband; i++) {
		const struct selection_event *selected =
			&selection->events.at[i];

		init_intake_event(&intake->events[i], selected->id,
			&selected->attr, selection);
		intake->events[i].is_wide = selected->is_wide;
		intake->events[i].follows = selected->follows;
		intake->events[i].is_waking = selected->woken_at;
		intake->events[i].is_wait = selected->is_wait;
		if (selected->woken_at)
			intake->wakeups = sample_filter_wakeups_create(
				selected->woken_at);
	}
	init_intake_event(&intake->events[i], opened->sideband_id,
		&opened->sideband_attr, selection);
	if (deferred_is_on(&opened->sideband_attr))
		intake->deferred = deferred_create(
			opened->n_rings, take_completed_sample, intake);
	if (setup->runtimes)
		intake->pace = runtime_pace_create(setup->runtimes, setup->bpf);
	if (!setup->bpf)
		return intake;
	intake->join = chain_join_create();
	array_each(&opened->fds, fd)
		if (fd->event < selection->events.n && !intake->waits &&
			selection->events.at[fd->event].is_wait)
			intake->waits = wait_join_create(
				&selection->events.at[fd->event].attr, fd->id);
	return intake;
}

void intake_destroy(struct intake *intake)
{
	if (!intake)
		return;
	queue_fill_discard(&intake->blocks);
	recorded_counts_deinit(&intake->counts);
	deferred_destroy(intake->deferred);
	chain_join_destroy(intake->join);
	wait_join_destroy(intake->waits);
	sample_filter_wakeups_destroy(intake->wakeups);
	runtime_pace_destroy(intake->pace);
	free(intake->events);
	recorded_counts_deinit(&intake->counts_at_switch);
	free(intake);
}

bool intake_is_urgent(const struct intake *intake)
{
	return intake->stacks.reader &&
		intake->blocks.until - intake->stacks.last_deep < URGENT_NS;
}

const struct runtime_pace *intake_pace(const struct intake *intake)
{
	return intake->pace;
}

struct wait_join_counts intake_waits(const struct intake *intake)
{
	return intake->waits ? wait_join_counts(intake->waits)
			     : (struct wait_join_counts){ 0 };
}

uint64_t intake_kernel_stacks(const struct intake *intake)
{
	return intake->join ? chain_join_stacks(intake->join) : 0;
}

/* Takes the samples of waits of earlier rounds. */
static void take_late_waits(struct intake *intake, bool is_end)
{
	const struct perf_event_header *sample;

	while (intake->waits &&
		(sample = wait_join_next(intake->waits, is_end)) != NULL)
		take_sample_record(intake, sample);
}

void intake_begin_round(struct intake *intake, uint64_t until)
{
	intake->blocks.until = until;
	if (intake->pace)
		runtime_pace_begin_round(intake->pace, clock_now_ns());
	if (!intake->waits)
		return;
	wait_join_begin_round(intake->waits);
	take_late_waits(intake, false);
}

void intake_end_sideband(struct intake *intake)
{
	if (intake->tasks)
		inherited_tasks_advance(intake->tasks, intake->blocks.until);
}

void intake_flush(struct intake *intake)
{
	queue_fill_flush(&intake->blocks);
}

bool intake_try_flush(struct intake *intake)
{
	if (!queue_is_empty(intake->blocks.queue))
		return false;
	queue_fill_flush(&intake->blocks);
	return true;
}

void intake_switch_file(struct intake *intake)
{
	queue_fill_flush(&intake->blocks);
	recorded_counts_copy(&intake->counts_at_switch, &intake->counts);
	queue_fill_end_file(&intake->blocks);
}

const struct recorded_counts *intake_counts_at_switch(
	const struct intake *intake)
{
	return &intake->counts_at_switch;
}

static uint8_t *put_sideband_record(
	struct intake *intake, const void *record, size_t size, uint64_t time)
{
	file_tracker_add_record(intake->tracker, record);
	return queue_fill_put_sideband(&intake->blocks, record, size, time);
}

/*
 * If RECORD maps the file of a language runtime, appends a record of the reserved
 * mapping of the runtime. The process, the time and the CPU are those of RECORD.
 */
static void put_reserved_mapping(
	struct intake *intake, const struct record *record, uint64_t time)
{
	const struct intake_event *event = &intake->events[intake->sideband];
	size_t trailer = event->layout.trailer_size;
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_mmap map, reserved;
	struct runtime_traits traits;
	uint8_t *copy;

	if (!intake->runtimes || !record_read_mmap(record, &map) ||
		!(map.prot & PROT_EXEC) ||
		!runtimes_reserved_mapping(
			intake->runtimes, &map, &reserved, &traits))
		return;
	record_write_mmap2(&out, MISC_USER, &reserved,
		record->data + record->size - trailer, trailer);
	copy = queue_fill_put_sideband(&intake->blocks, out.at, out.n, time);
	memcpy(copy + out.n - event->layout.trailer_id, &event->id, 8);
	intake->has_runtime = true;
	runtime_pace_add_process(intake->pace, map.pid, &traits);
}

static uint64_t load_u64(const void *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t load_u32(const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t find_event_index(struct intake *intake, uint64_t id)
{
	if (unlikely(id != intake->last_id || !id)) {
		intake->last_id = id;
		intake->last_event = event_fds_event(intake->opened, id);
	}
	return intake->last_event;
}

static void take_sideband_record(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	struct record record = { header->type, header->misc, header->size, raw,
		false };
	const struct sample_layout *layout =
		&intake->events[intake->sideband].layout;
	size_t end = header->size, inner = record_id_offset(header->type);
	struct record_task fork;
	uint64_t time;
	uint32_t event;
	uint8_t *copy;

	if (end < RECORD_HEADER_SIZE + layout->trailer_size)
		return;
	/*
	 * The sample_id at the end of a record has the same layout for all
	 * events.
	 */
	event = find_event_index(
		intake, load_u64(raw + end - layout->trailer_id));
	time = load_u64(raw + end - layout->trailer_time);
	copy = put_sideband_record(intake, raw, end, time);
	memcpy(copy + end - layout->trailer_id, &intake->events[event].id, 8);
	if (inner)
		memcpy(copy + inner, &intake->events[event].id, 8);
	put_reserved_mapping(intake, &record, time);
	recorded_counts_add_losses(&intake->counts, event, layout, &record);
	if (intake->filter)
		sample_filter_add_record(intake->filter, &record, time);
	if (intake->tasks)
		inherited_tasks_add_record(intake->tasks, &record, time);
	/*
	 * SWITCH records are of threads of the target; SWITCH_CPU_WIDE records
	 * are of all processes.
	 */
	if (intake->wakeups &&
		(header->type == RECORD_SWITCH ||
			(header->type == RECORD_SWITCH_CPU_WIDE &&
				!intake->filter && !intake->tasks)))
		sample_filter_wakeups_add(intake->wakeups,
			load_u32(raw + end - layout->trailer_size + 4));
	/* The runtime of a process ends with an exec and with the process. */
	struct record_comm comm;
	struct record_task task;

	if (intake->bpf && intake->has_runtime) {
		if (record.type == RECORD_COMM &&
			record_read_comm(&record, &comm) && comm.is_exec)
			bpf_unwind_forget_runtime(intake->bpf, comm.pid);
		if (record.type == RECORD_EXIT &&
			record_read_task(&record, &task) &&
			task.pid == task.tid)
			bpf_unwind_forget_runtime(intake->bpf, task.pid);
	}
	if (header->type != RECORD_FORK || !record_read_task(&record, &fork))
		return;
	if (intake->on_fork)
		intake->on_fork(intake->fork_data, &fork);
	if (!intake->has_runtime || fork.pid == fork.ppid)
		return;
	runtime_pace_add_fork(intake->pace, fork.ppid, fork.pid);
	if (intake->bpf)
		bpf_unwind_inherit_runtime(intake->bpf, fork.ppid, fork.pid);
}

static bool is_sample_kept(struct intake *intake, const uint8_t *raw,
	const struct intake_event *event)
{
	const struct sample_layout *layout = &event->layout;
	const struct inherited_task task = {
		.pid = load_u32(raw + layout->tid),
		.tid = load_u32(raw + layout->tid + 4),
		.time = load_u64(raw + layout->time),
	};

	if (event->is_waking)
		return sample_filter_wakeups_accepts(intake->wakeups, layout,
			(const struct perf_event_header *)raw);
	if (intake->tasks && event->is_wide && !event->is_wait &&
		!inherited_tasks_has(intake->tasks, &task, event->follows))
		return false;
	if (intake->filter &&
		!sample_filter_accepts(
			intake->filter, task.pid, task.tid, task.time))
		return false;
	if (intake->wakeups)
		sample_filter_wakeups_add(intake->wakeups, task.tid);
	return true;
}

static void take_sample_record(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	uint32_t index = 0;
	const struct intake_event *event;
	const struct sample_layout *layout;
	struct recorded_count *count;
	uint64_t time;
	uint8_t *copy;
	bool is_own;

	if (intake->n_events > 2)
		index = find_event_index(
			intake, load_u64(raw + RECORD_HEADER_SIZE));
	event = &intake->events[index];
	layout = &event->layout;
	/* The CPU is the last field that samples of every event have. */
	if (unlikely(header->size < layout->cpu + 8u))
		return;
	count = recorded_counts_at(
		&intake->counts, index, load_u32(raw + layout->cpu));
	is_own = load_u32(raw + layout->tid) == intake->own_pid;
	if (unlikely(is_own && intake->excludes_self) ||
		((intake->filter || intake->tasks || intake->wakeups) &&
			!is_sample_kept(intake, raw, event))) {
		recorded_count_add(&count->left_out, 1);
		return;
	}
	if (intake->has_runtime)
		runtime_pace_add_sample(
			intake->pace, load_u32(raw + layout->tid));
	time = load_u64(raw + layout->time);
	copy = stack_intake_put(&intake->stacks, layout, header, time);
	if (unlikely(!copy)) {
		recorded_count_add(&count->dropped, 1);
		return;
	}
	memcpy(copy + layout->id, &event->id, 8);
	recorded_count_add(&intake->counts.own, is_own);
	recorded_count_add(&count->samples, 1);
}

static void take_completed_sample(
	void *data, const struct perf_event_header *sample)
{
	take_sample_record(data, sample);
}

/*
 * Passes samples and call chains to deferred.h. Returns true if the record was
 * taken, so that it is not handled further.
 */
static bool take_deferred_record(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	const struct intake_event *event = &intake->events[0];

	if (header->type == RECORD_CALLCHAIN_DEFERRED) {
		event = &intake->events[intake->sideband];
		deferred_take_chain(intake->deferred, &event->layout, header);
		return true;
	}
	if (header->type != RECORD_SAMPLE)
		return false;
	if (intake->n_events > 2)
		event = &intake->events[find_event_index(
			intake, load_u64(raw + RECORD_HEADER_SIZE))];
	return deferred_take_sample(intake->deferred, &event->layout, header);
}

/*
 * Takes a record of the BPF program, or returns the sample HEADER with the
 * stack of the records before. Returns NULL if no sample is left to take.
 */
static const struct perf_event_header *join_with_stack(
	struct intake *intake, const struct perf_event_header *header)
{
	uint64_t id = load_u64((const uint8_t *)header + RECORD_HEADER_SIZE);
	const struct perf_event_header *joined;
	const struct intake_event *event;
	uint32_t index;

	if (bpf_unwind_is_output(intake->bpf, id)) {
		/* Take a record of the BPF programs. */
		const struct perf_event_header *sample = NULL;
		struct chain_unknown unknown;
		struct chain_output output;

		if (!chain_output_read(header, &output))
			return NULL;
		if (chain_output_unknown(&output, &unknown))
			bpf_unwind_note_unknown(intake->bpf, &unknown);
		if (intake->has_runtime)
			runtime_pace_add_stack(intake->pace, &output);
		if (!intake->waits ||
			!wait_join_take(intake->waits, &output, &sample))
			chain_join_hold(intake->join, &output);
		return sample;
	}
	index = intake->n_events > 2 ? find_event_index(intake, id) : 0;
	event = &intake->events[index];
	if (!event->is_joined)
		return header;
	joined = chain_join_sample(
		intake->join, &event->kernel_layout, event->registers, header);
	if (!joined && header->size >= event->kernel_layout.cpu + 8u)
		recorded_count_add(&recorded_counts_at(&intake->counts, index,
					   load_u32((const uint8_t *)header +
						   event->kernel_layout.cpu))
					    ->dropped,
			1);
	return joined;
}

void intake_take(struct intake *intake, const struct perf_event_header *header)
{
	if (intake->bpf && header->type == RECORD_SAMPLE) {
		header = join_with_stack(intake, header);
		if (!header)
			return;
	}
	if (unlikely(intake->deferred) && take_deferred_record(intake, header))
		return;
	if (header->type == RECORD_SAMPLE)
		take_sample_record(intake, header);
	else
		take_sideband_record(intake, header);
}

void intake_end_waits(struct intake *intake)
{
	take_late_waits(intake, true);
}

void intake_end(struct intake *intake)
{
	if (intake->deferred) {
		deferred_finish(intake->deferred);
		log_verbose(
			"%" PRIu64
			" samples have no user space part of their call chain",
			deferred_unjoined(intake->deferred));
	}
	intake_flush(intake);
}

void intake_take_synthesized(
	struct intake *intake, const struct strbuf *records)
{
	const struct sample_layout *layout =
		&intake->events[intake->sideband].layout;
	const uint8_t *data = (const uint8_t *)records->at;
	struct record record;
	struct sample_id id;
	size_t at = 0;

	/* DATA is NULL if there are no records. */
	while (at < records->n &&
		record_at(data + at, records->n - at, false, &record)) {
		at += record.size;
		if (record.type == RECORD_SAMPLE) {
			intake_take(intake, (const void *)record.data);
			continue;
		}
		sample_id_read(layout, &record, &id);
		if (intake->filter)
			sample_filter_add_record(
				intake->filter, &record, id.time);
		put_sideband_record(intake, record.data, record.size, id.time);
		put_reserved_mapping(intake, &record, id.time);
	}
}

bool intake_has_room(const struct intake *intake)
{
	return queue_fill_percent(intake->blocks.queue) < 50;
}

void intake_on_fork(struct intake *intake,
	void (*on_fork)(void *data, const struct record_task *fork), void *data)
{
	intake->on_fork = on_fork;
	intake->fork_data = data;
}

const struct recorded_counts *intake_counts(const struct intake *intake)
{
	return &intake->counts;
}

uint64_t intake_raw_bytes(const struct intake *intake)
{
	return intake->blocks.raw_bytes;
}
