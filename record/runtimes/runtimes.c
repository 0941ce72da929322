/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/runtimes.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/runtimes/cpython/cpython.h"
#include "record/runtimes/hotspot/hotspot.h"
#include "record/runtimes/interface/module_symbols.h"
#include "record/runtimes/interface/probe_rule.h"
#include "record/runtimes/luajit/luajit.h"
#include "record/runtimes/perl/perl.h"
#include "record/runtimes/php/php.h"
#include "record/runtimes/ruby/ruby.h"
#include "record/runtimes/v8/v8.h"
#include "record/synth/mapped_file.h"
#include "record/sys/clocks.h"
#include "record/sys/tasks.h"

/*
 * Limit of processes whose state is kept. When it is reached, runtimes_settle() frees
 * the states that were not used for the longest time.
 */
#define PROCESSES_MAX 128u
/* Number of states that are freed at once. */
#define PROCESSES_FREED 16u
/* Limit of processes whose reason is reported. */
#define REFUSED_REPORTED 3u
/*
 * A process whose samples have no frames of its interpreter is described again after this
 * time, because the kernel can have dropped the description.
 */
#define AGAIN_NS NSEC_PER_SEC
/*
 * The memory that is kept of a process is freed when the process has ended and had no
 * sample for this time: samples are unwound later than they are taken. The end is looked
 * for once in ENDED_CHECK_NS.
 */
#define ENDED_NS (10 * NSEC_PER_SEC)
#define ENDED_CHECK_NS NSEC_PER_SEC
/* Timeout for opening the file of a runtime. */
#define OPEN_FILE_MS 3000u

static const struct runtime_ops *const runtime_table[RUNTIMES] = {
	[RUNTIME_JAVA] = &hotspot_runtime,
	[RUNTIME_NODE] = &v8_runtime,
	[RUNTIME_PYTHON] = &cpython_runtime,
	[RUNTIME_PHP] = &php_runtime,
	[RUNTIME_RUBY] = &ruby_runtime,
	[RUNTIME_PERL] = &perl_runtime,
	[RUNTIME_LUAJIT] = &luajit_runtime,
};

/* A runtime in a process. */
struct runtime_process {
	uint32_t pid, program;
	unsigned number;
	uint64_t used;	      /* number of the batch that used it last */
	uint64_t used_at;     /* clock_now_ns() of the end of that batch */
	pthread_mutex_t lock; /* guards the following members */
	struct probe_rule rule;
	struct process_memory *memory; /* owned; NULL: not read */
	void *data;	  /* state of the runtime; NULL: not ready */
	uint64_t settled; /* clock_now_ns() of the last .settle */
	/* clocks_now() of the first and the last description by runtimes_name() */
	uint64_t described, described_again;
	bool is_stale; /* kept pages can be of an earlier batch */
};

struct runtimes {
	unsigned enabled;
	struct runtime_functions *functions;
	struct timed_worker *worker;
	pthread_mutex_t lock; /* guards .processes and .worker */
	ARRAY(struct runtime_process *) processes;
	uint64_t batch;
	uint64_t
		checked; /* clock_now_ns() of the last search for ended processes */
	uint64_t read_at;  /* atomic; see runtimes_interpreters_read_at() */
	uint64_t restarts; /* atomic; see runtimes_restarts() */
	struct runtimes_counts counts[RUNTIMES]; /* atomic */
};

struct runtimes *runtimes_create(unsigned enabled)
{
	struct runtimes *runtimes = xcalloc(1, sizeof(*runtimes));

	runtimes->enabled = enabled;
	runtimes->functions = runtime_functions_create();
	runtimes->worker = timed_worker_create(OPEN_FILE_MS);
	pthread_mutex_init(&runtimes->lock, NULL);
	return runtimes;
}

static void free_runtime_process(struct runtime_process *process)
{
	if (process->data)
		runtime_table[process->number]->destroy(process->data);
	process_memory_destroy(process->memory);
	pthread_mutex_destroy(&process->lock);
	free(process);
}

void runtimes_destroy(struct runtimes *runtimes)
{
	if (!runtimes)
		return;
	array_each(&runtimes->processes, process)
		free_runtime_process(*process);
	array_free(&runtimes->processes);
	runtime_functions_destroy(runtimes->functions);
	timed_worker_destroy(runtimes->worker);
	pthread_mutex_destroy(&runtimes->lock);
	free(runtimes);
}

/* --- names ---------------------------------------------------------------- */

bool runtimes_parse(const char *names, unsigned *ret)
{
	_cleanup_free_ char *copy = xstrdup(names);
	char *rest = copy, *name;

	*ret = 0;
	if (string_is(names, "auto"))
		*ret = RUNTIMES_ALL;
	if (string_is(names, "auto") || string_is(names, "none"))
		return true;
	while ((name = strsep(&rest, ","))) {
		unsigned i = 0;

		while (i < RUNTIMES && !string_is(runtime_table[i]->name, name))
			i++;
		if (i == RUNTIMES)
			return false;
		*ret |= 1u << i;
	}
	return true;
}

COMPLETER(runtimes_complete)
{
	unsigned i;

	completion_skip(completion, ",");
	completion_offer(completion, "auto", NULL);
	completion_offer(completion, "none", NULL);
	for (i = 0; i < RUNTIMES; i++)
		completion_offer(completion, runtime_table[i]->name, NULL);
}

void runtimes_list(struct strbuf *out)
{
	unsigned i;

	for (i = 0; i < RUNTIMES; i++)
		strbuf_printf(
			out, "%s%s", i ? ", " : "", runtime_table[i]->name);
}

bool runtimes_reserved_mapping(const struct runtimes *runtimes,
	const struct record_mmap *map, struct record_mmap *ret,
	struct runtime_traits *traits_ret)
{
	unsigned i;

	for (i = 0; i < RUNTIMES; i++)
		if (runtimes->enabled >> i & 1 &&
			runtime_dso_has_file(i, map->path))
			break;
	if (i == RUNTIMES)
		return false;
	*ret = (struct record_mmap){
		.pid = map->pid,
		.tid = map->tid,
		.start = RUNTIME_BASE(i),
		.size = RUNTIME_RANGE_SIZE,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.path = runtime_dso_path(i),
	};
	*traits_ret = (struct runtime_traits){
		.compiles = !runtime_table[i]->interpreter,
		.reads_lines = runtime_table[i]->interpreter &&
			runtime_table[i]->interpreter->reads_lines,
	};
	return true;
}

const char *runtimes_name_of(unsigned number)
{
	return runtime_table[number]->name;
}

/* --- the state of a process ---------------------------------------------------- */

/*
 * Returns the state of the runtime NUMBER in the process TASK. A new state is added.
 * Returns NULL if there are PROCESSES_MAX states.
 */
static struct runtime_process *find_runtime_process(struct runtimes *runtimes,
	unsigned number, const struct runtime_task *task)
{
	struct runtime_process *process;

	array_each(&runtimes->processes, at) {
		process = *at;
		if (process->pid == task->pid &&
			process->program == task->program &&
			process->number == number)
			return process;
	}
	if (runtimes->processes.n >= PROCESSES_MAX)
		return NULL;
	process = xcalloc(1, sizeof(*process));
	process->pid = task->pid;
	process->program = task->program;
	process->number = number;
	pthread_mutex_init(&process->lock, NULL);
	*array_push(&runtimes->processes) = process;
	return process;
}

/*
 * Probes the file of the mapping LINE. If the result is RUNTIME_READY, *RET is the state of
 * the runtime.
 */
static struct probe_result probe_module(struct runtimes *runtimes,
	struct runtime_process *process, const struct task_mapping *line,
	void **ret)
{
	const struct runtime_ops *ops = runtime_table[process->number];
	struct runtime_module module = { process->pid, line->path, NULL, 0 };
	const struct record_mmap map = {
		.pid = process->pid,
		.start = line->start,
		.size = line->end - line->start,
		.path = line->path,
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
	};
	struct probe_result result = { RUNTIME_REFUSED };
	uint64_t n_calls = process_memory_calls(process->memory);
	struct elf_kind kind;
	int fd;

	pthread_mutex_lock(&runtimes->lock);
	fd = mapped_open_in_time(runtimes->worker, &map);
	pthread_mutex_unlock(&runtimes->lock);
	if (fd >= 0)
		error_free(elf_file_open(fd, line->path, &module.file));
	if (!module.file) {
		/* The process changes its mappings while it starts. */
		result.reason = "the file of the runtime cannot be opened";
		result.can_change = true;
		return result;
	}
	module.bias = line->start - elf_file_address(module.file, line->offset);
	/*
	 * dwell reads the structures of all runtimes in their layout on
	 * x86-64.
	 */
	kind = elf_file_kind(module.file);
	if (kind.machine != EM_X86_64 || kind.class != ELFCLASS64)
		result.reason = "dwell reads this runtime on x86-64 only";
	else if (ops->probe)
		result.state = ops->probe(
			&module, process->memory, ret, &result.reason);
	else
		result.state = module_symbols_probe(&module, ops->prefixes,
			ops->n_prefixes, ops->probe_symbols, process->memory,
			ret, &result.reason);
	result.can_change = process_memory_calls(process->memory) != n_calls;
	elf_file_close(module.file);
	return result;
}

/*
 * Probes the mapped files of PROCESS that can contain the runtime, until a file
 * contains it: a program can have the name of the runtime, and link to the library of
 * the runtime. TEXT is the content of /proc/PID/maps; it is changed. If the result is
 * RUNTIME_READY, *RET is the state of the runtime.
 */
static struct probe_result probe_modules(struct runtimes *runtimes,
	struct runtime_process *process, char *text, void **ret)
{
	struct probe_result result = { RUNTIME_STARTING }, found;
	struct task_mapping line;
	uint64_t last_inode = 0;

	while (task_mapping_next(&text, &line)) {
		if (line.rights[2] != 'x' || line.inode == last_inode ||
			!runtime_dso_has_file(process->number, line.path))
			continue;
		last_inode = line.inode;
		found = probe_module(runtimes, process, &line, ret);
		if (found.state == RUNTIME_READY ||
			found.state == RUNTIME_STARTING)
			return found;
		if (found.state == RUNTIME_REFUSED)
			result = found;
	}
	return result;
}

/* Returns whether the interpreter of PROCESS has the same description in the state DATA. */
static bool is_same_interpreter(
	const struct runtime_process *process, const void *data)
{
	const struct interpreter *new = data, *old = process->data;

	return old && !memcmp(&old->list, &new->list, sizeof(old->list));
}

/* Keeps DATA, the state of the runtime in PROCESS, in place of the current state. */
static void replace_data(
	struct runtimes *runtimes, struct runtime_process *process, void *data)
{
	if (process->data) {
		runtime_table[process->number]->destroy(process->data);
		/* BPF gets the new description, and names are read again. */
		process->described = 0;
		__atomic_add_fetch(&runtimes->restarts, 1, __ATOMIC_RELAXED);
	}
	process->data = data;
}

/* Keeps the RESULT of a probe of PROCESS. DATA is the state of a runtime that is ready. */
static void keep_result(struct runtimes *runtimes,
	struct runtime_process *process, struct probe_result *result,
	void *data)
{
	const struct runtime_ops *ops = runtime_table[process->number];
	const char *blocked = process_memory_blocked(process->memory);

	if (result->state != RUNTIME_READY && blocked) {
		*result = (struct probe_result){ RUNTIME_REFUSED, blocked };
	} else if (result->state == RUNTIME_READY) {
		/* Compilers are ready after all that their probe reads. */
		result->can_change &= ops->interpreter != NULL;
		result->is_same = is_same_interpreter(process, data);
		if (result->is_same)
			ops->destroy(data);
		else
			replace_data(runtimes, process, data);
	}
	/* The state that was found before remains. */
	if (process->data)
		result->state = RUNTIME_READY;
}

static void probe_process(
	struct runtimes *runtimes, struct runtime_process *process)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct probe_result result;
	bool can_read;
	void *data = NULL;

	if (!process->memory)
		process->memory = process_memory_create(process->pid);
	/* The memory has changed since the last probe. */
	process_memory_forget(process->memory);
	process_memory_allow_calls(process->memory);
	can_read = task_mappings_read((pid_t)process->pid, &text);
	if (can_read)
		result = probe_modules(runtimes, process, text.at, &data);
	/* The process can end during the probe. */
	if (!can_read ||
		(result.state == RUNTIME_REFUSED &&
			process_memory_is_gone(process->memory))) {
		probe_rule_end(&process->rule,
			"the process has ended, or this user may not read its "
			"mappings");
	} else {
		keep_result(runtimes, process, &result, data);
		probe_rule_add(&process->rule, &result,
			(struct probe_times){ clock_now_ns(),
				task_cpu_time((pid_t)process->pid) });
	}
	if (process->rule.is_final && !process->data) {
		process_memory_destroy(process->memory);
		process->memory = NULL;
	}
}

static bool is_runtime_ready(
	struct runtimes *runtimes, struct runtime_process *process)
{
	/* A final rule needs no clock: this is called for each frame. */
	if (!process->rule.is_final &&
		probe_rule_is_due(&process->rule, clock_now_ns()) &&
		probe_rule_has_run(
			&process->rule, task_cpu_time((pid_t)process->pid)))
		probe_process(runtimes, process);
	return process->data;
}

/* The stack of a frame. */
struct watched_stack {
	const struct runtime_frame *frame;
	bool is_missing; /* a word could not be loaded */
};

static bool load_watched(void *stack, uint64_t address, uint64_t *word_ret)
{
	struct watched_stack *watched = stack;

	if (runtime_load(watched->frame, address, word_ret))
		return true;
	watched->is_missing = true;
	return false;
}

static void count_frame(
	struct runtimes *runtimes, unsigned number, bool is_plausible)
{
	struct runtimes_counts *counts = &runtimes->counts[number];

	__atomic_add_fetch(is_plausible ? &counts->read : &counts->rejected, 1,
		__ATOMIC_RELAXED);
}

static enum runtime_result step_in_process(struct runtimes *runtimes,
	struct runtime_process *process, const struct runtime_frame *frame,
	struct runtime_step *ret)
{
	const struct runtime_ops *ops = runtime_table[process->number];
	struct watched_stack watched = { .frame = frame };
	struct runtime_frame own = *frame;
	enum runtime_result result;

	if (!is_runtime_ready(runtimes, process))
		return RUNTIME_FOREIGN;
	own.load = load_watched;
	own.stack = &watched;
	result = ops->step(
		process->data, process->memory, runtimes->functions, &own, ret);
	if (result == RUNTIME_REJECTED && !watched.is_missing &&
		process->is_stale) {
		/* Kept values can be of an earlier batch: step again. */
		process->is_stale = false;
		process_memory_forget(process->memory);
		ops->settle(process->data);
		ret->n = 0;
		result = ops->step(process->data, process->memory,
			runtimes->functions, &own, ret);
	}
	/* A frame with a missing word is not counted: its stack is truncated. */
	if (result == RUNTIME_STEPPED)
		count_frame(runtimes, process->number, true);
	else if (result == RUNTIME_REJECTED && !watched.is_missing)
		count_frame(runtimes, process->number, false);
	return result;
}

static struct runtime_process *use_runtime_process(struct runtimes *runtimes,
	unsigned number, const struct runtime_task *task)
{
	struct runtime_process *process;

	pthread_mutex_lock(&runtimes->lock);
	process = find_runtime_process(runtimes, number, task);
	if (process)
		process->used = runtimes->batch;
	pthread_mutex_unlock(&runtimes->lock);
	return process;
}

enum runtime_result runtimes_step(struct runtimes *runtimes, unsigned number,
	const struct runtime_task *task, const struct runtime_frame *frame,
	struct runtime_step *ret)
{
	struct runtime_process *process;
	enum runtime_result result;

	process = use_runtime_process(runtimes, number, task);
	if (!process)
		return RUNTIME_FOREIGN;
	pthread_mutex_lock(&process->lock);
	ret->n = 0;
	result = step_in_process(runtimes, process, frame, ret);
	pthread_mutex_unlock(&process->lock);
	return result;
}

/* Names FRAME by the interpreter in PROCESS. Returns false if it is not plausible. */
static bool name_frame(struct runtimes *runtimes,
	struct runtime_process *process, const struct chain_linked *frame,
	struct interpreter_frame *ret)
{
	const struct interpreter_ops *ops =
		runtime_table[process->number]->interpreter;
	bool is_plausible = ops->name(process->data, process->memory,
		runtimes->functions, frame, ret);

	count_frame(runtimes, process->number, is_plausible);
	return is_plausible;
}

/* Names the frames of LIST by PROCESS, whose runtime is ready. */
static void name_frames(struct runtimes *runtimes,
	struct runtime_process *process, const struct runtimes_list *list,
	struct interpreter_frame *ret,
	struct runtimes_interpreter *interpreter_ret)
{
	const struct interpreter_ops *ops =
		runtime_table[process->number]->interpreter;
	size_t i;

	*interpreter_ret = (struct runtimes_interpreter){
		.description = *(const struct interpreter *)process->data,
		.is_new = !process->described ||
			(!list->n &&
				clocks_now() >
					process->described_again + AGAIN_NS),
	};
	if (interpreter_ret->is_new)
		process->described_again = clocks_now();
	if (!process->described)
		process->described = process->described_again;
	interpreter_ret->is_live = !list->n && list->tid && ops->read &&
		(!list->is_sent || list->time < process->described);
	if (interpreter_ret->is_live) {
		struct chain_linked frames[CHAIN_LINKED_MAX];

		interpreter_ret->n = ops->read(
			process->data, process->memory, list->tid, frames);
		for (i = 0; i < interpreter_ret->n; i++)
			name_frame(runtimes, process, &frames[i], &ret[i]);
	} else {
		/*
		 * BPF has sent the list. If no frame is plausible, the
		 * interpreter was starting, and the sent words are not a list
		 * of frames.
		 */
		struct chain_linked frame;
		bool is_list = false;

		for (i = 0; i < list->n; i++) {
			memcpy(&frame, list->frames + i * sizeof(frame),
				sizeof(frame));
			is_list |=
				name_frame(runtimes, process, &frame, &ret[i]);
		}
		interpreter_ret->n = is_list ? list->n : 0;
	}
}

static uint64_t count_calls(const struct runtime_process *process)
{
	return process->memory ? process_memory_calls(process->memory) : 0;
}

uint64_t runtimes_interpreters_read_at(const struct runtimes *runtimes)
{
	return __atomic_load_n(&runtimes->read_at, __ATOMIC_RELAXED);
}

uint64_t runtimes_restarts(const struct runtimes *runtimes)
{
	return __atomic_load_n(&runtimes->restarts, __ATOMIC_RELAXED);
}

bool runtimes_name(struct runtimes *runtimes, unsigned number,
	const struct runtime_task *task, const struct runtimes_list *list,
	struct interpreter_frame *ret,
	struct runtimes_interpreter *interpreter_ret)
{
	struct runtime_process *process =
		use_runtime_process(runtimes, number, task);
	uint64_t n_calls;
	bool is_ready;

	if (!process)
		return false;
	pthread_mutex_lock(&process->lock);
	n_calls = count_calls(process);
	is_ready = is_runtime_ready(runtimes, process);
	if (is_ready)
		name_frames(runtimes, process, list, ret, interpreter_ret);
	/* The memory of the process was read. */
	if (count_calls(process) != n_calls)
		__atomic_store_n(
			&runtimes->read_at, clock_now_ns(), __ATOMIC_RELAXED);
	pthread_mutex_unlock(&process->lock);
	return is_ready;
}

static bool has_process_ended(const struct runtime_process *process)
{
	return kill((pid_t)process->pid, 0) < 0 && errno == ESRCH;
}

/* Frees the state PROCESS, an element of runtimes->processes. */
static void remove_runtime_process(
	struct runtimes *runtimes, struct runtime_process **process)
{
	free_runtime_process(*process);
	*process = runtimes->processes.at[--runtimes->processes.n];
}

static struct runtime_process **find_oldest(struct runtimes *runtimes)
{
	struct runtime_process **oldest = runtimes->processes.at;

	array_each(&runtimes->processes, at)
		if ((*at)->used < (*oldest)->used)
			oldest = at;
	return oldest;
}

static void limit_runtime_processes(struct runtimes *runtimes)
{
	unsigned left =
		runtimes->processes.n == PROCESSES_MAX ? PROCESSES_FREED : 0;

	for (; left > 0; left--) {
		struct runtime_process **oldest = find_oldest(runtimes);

		/* The names of a process that runs must be read again. */
		if (!has_process_ended(*oldest))
			__atomic_add_fetch(
				&runtimes->restarts, 1, __ATOMIC_RELAXED);
		remove_runtime_process(runtimes, oldest);
	}
}

/*
 * Frees the memory that is kept of processes that have ended. The state of a process whose
 * runtime was not found remains, for runtimes_report().
 */
static void forget_ended_processes(struct runtimes *runtimes, uint64_t now)
{
	size_t i = runtimes->processes.n;

	if (now - runtimes->checked < ENDED_CHECK_NS)
		return;
	runtimes->checked = now;
	while (i-- > 0) {
		struct runtime_process **at = &runtimes->processes.at[i];

		if (!(*at)->memory || now - (*at)->used_at < ENDED_NS ||
			!has_process_ended(*at))
			continue;
		if ((*at)->data)
			remove_runtime_process(runtimes, at);
		else
			process_memory_destroy(take_pointer((*at)->memory));
	}
}

void runtimes_settle(struct runtimes *runtimes)
{
	uint64_t now = clock_now_ns();

	array_each(&runtimes->processes, at) {
		const struct runtime_ops *ops = runtime_table[(*at)->number];

		if ((*at)->used == runtimes->batch)
			(*at)->used_at = now;
		if ((*at)->data) {
			process_memory_allow_calls((*at)->memory);
			(*at)->is_stale = true;
			if (now - (*at)->settled >=
				ops->settle_ms * NSEC_PER_MSEC) {
				(*at)->settled = now;
				(*at)->is_stale = false;
				process_memory_settle((*at)->memory);
				if (ops->settle)
					ops->settle((*at)->data);
			}
		}
	}
	limit_runtime_processes(runtimes);
	forget_ended_processes(runtimes, now);
	runtimes->batch++;
}

void runtimes_restart(struct runtimes *runtimes)
{
	array_each(&runtimes->processes, at)
		free_runtime_process(*at);
	runtimes->processes.n = 0;
	__atomic_add_fetch(&runtimes->restarts, 1, __ATOMIC_RELAXED);
}

/* --- results ---------------------------------------------------------------- */

struct runtime_functions *runtimes_functions(const struct runtimes *runtimes)
{
	return runtimes->functions;
}

struct runtimes_counts runtimes_counts(
	const struct runtimes *runtimes, unsigned number)
{
	const struct runtimes_counts *counts = &runtimes->counts[number];

	return (struct runtimes_counts){
		__atomic_load_n(&counts->read, __ATOMIC_RELAXED),
		__atomic_load_n(&counts->rejected, __ATOMIC_RELAXED),
	};
}

void runtimes_report(const struct runtimes *runtimes)
{
	struct runtimes_counts counts;
	unsigned n_refused = 0, i;

	array_each(&runtimes->processes, at) {
		const struct runtime_process *process = *at;

		if (!process->rule.n_probes || process->data)
			continue;
		if (n_refused++ < REFUSED_REPORTED)
			log_note("functions of %s in process %" PRIu32
				 " have no names: %s",
				runtime_table[process->number]->name,
				process->pid,
				probe_rule_reason(&process->rule));
	}
	if (n_refused > REFUSED_REPORTED)
		log_note("functions of language runtimes have no names in %u "
			 "more processes",
			n_refused - REFUSED_REPORTED);
	for (i = 0; i < RUNTIMES; i++) {
		counts = runtimes_counts(runtimes, i);
		if (counts.read || counts.rejected)
			log_verbose("%s: %" PRIu64 " frames were read, %" PRIu64
				    " were not plausible",
				runtime_table[i]->name, counts.read,
				counts.rejected);
	}
}
