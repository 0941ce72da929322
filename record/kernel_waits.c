/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/kernel_waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/util/log.h"
#include "record/bpf/bpf_start.h"
#include "record/kernel_unwinding.h"
#include "record/sys/clocks.h"

/* The inode of the initial PID namespace (include/linux/proc_ns.h). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu
/* The function that switches tasks (kernel/sched/core.c). */
#define SWITCH_FUNCTION "__schedule"

/* Returns why OPTIONS or TARGET need a record of each wait, or NULL. */
static const char *find_obstacle(
	const struct options *options, const struct target *target)
{
	if (getenv(KERNEL_UNWINDING_OFF))
		return "the environment variable " KERNEL_UNWINDING_OFF
		       " is set";
	if (options->is_overwritten)
		return "--overwrite keeps samples in the ring buffers";
	if (options->keeps_stacks || options->sample_fields.registers_user)
		return "--keep-stacks and --user-regs need a sample of each "
		       "wait";
	if (options->target.cpus || options->target.has_cgroups)
		return "-C and -G need a sample of each wait";
	if (options->has_all_cgroups || options->sample_fields.registers_intr)
		return "--all-cgroups and -I need a sample of each wait";
	if (target->pids.list.n + target->tids.list.n > WAIT_TARGETS_MAX / 2)
		return "there are too many processes or threads";
	if (options->control || options->schedule.steps.n ||
		options->schedule.starts_off)
		return "-D and --control need a sample of each wait";
	if (clocks_chosen() != CLOCK_MONOTONIC)
		return "-k: BPF measures with CLOCK_MONOTONIC";
	if (options->callgraph.copy_size)
		return "--call-graph dwarf,SIZE copies the stack of each wait";
	struct stat status;
	if (stat("/proc/self/ns/pid", &status) == 0 &&
		status.st_ino != INITIAL_PID_NAMESPACE)
		return "dwell runs in a PID namespace, in which BPF knows "
		       "threads by other IDs";
	return NULL;
}

struct bpf_unwind *kernel_waits_choose(
	const struct options *options, const struct target *target)
{
	struct bpf_unwind *bpf = NULL;
	struct caller_caps caller;
	struct error *err = NULL;
	const char *obstacle;

	if (!options->least_ns)
		return NULL;
	obstacle = find_obstacle(options, target);
	if (obstacle)
		err = error_new("%s", obstacle);
	if (!err) {
		caller_caps_read("", &caller);
		err = bpf_start(&caller, true, &bpf);
	}
	if (err)
		log_note("--min-block: waits are recorded one by one, not "
			 "added up: %s",
			err->text);
	error_free(err);
	return bpf;
}

struct error *kernel_waits_start(struct bpf_unwind *bpf,
	const struct options *options, const struct target *target,
	const struct kallsyms *kallsyms)
{
	static const enum wait_scope scopes[] = {
		[TARGET_COMMAND] = WAIT_PROCESSES,
		[TARGET_PROCESSES] = WAIT_PROCESSES,
		[TARGET_THREADS] = WAIT_THREADS,
		[TARGET_SYSTEM] = WAIT_ALL,
	};
	bool inherits = !options->has_no_inherit && !options->is_per_thread;
	struct task_list threads = { 0 };
	const struct task_list *tasks =
		target->kind == TARGET_THREADS ? &target->tids : &target->pids;
	struct error *err;
	struct bpf_waits_config config = {
		.scope = scopes[target->kind],
		.targets = tasks->list.at,
		.n_targets = tasks->list.n,
		.inherits = inherits,
		.least_ns = options->least_ns,
		.mode = kernel_unwinding_is_preferred(options)
			? CHAIN_WALK
			: CHAIN_FRAME_POINTERS,
	};

	if (!bpf)
		return NULL;
	if (config.scope == WAIT_PROCESSES && !inherits) {
		/*
		 * Without children and new threads, measure the existing ones.
		 */
		array_each(&target->pids.list, pid)
			task_list_add_threads(&threads, *pid);
		config.scope = WAIT_THREADS;
		config.targets = threads.list.at;
		config.n_targets = threads.list.n;
	}
	/*
	 * Find the function that switches tasks: its callers are the first
	 * frames of waits.
	 */
	array_each(&kallsyms->kernel.symbols, symbol)
		if (string_is(symtab_name(&kallsyms->kernel, symbol),
			    SWITCH_FUNCTION)) {
			config.switch_start = symbol->start;
			config.switch_size = symbol->end - symbol->start;
		}
	if (!config.switch_size)
		log_note("the call chains of waits begin with functions of the "
			 "BPF program, because /proc/kallsyms has no symbol "
			 "%s",
			SWITCH_FUNCTION);
	err = bpf_waits_start(bpf, &config);
	task_list_free(&threads);
	return err;
}

void kernel_waits_collect(struct bpf_unwind *bpf, struct strbuf *records)
{
	if (bpf)
		bpf_waits_take_sums(bpf, records);
}

void kernel_waits_stop(struct bpf_unwind *bpf, struct strbuf *records)
{
	if (bpf)
		bpf_waits_stop(bpf, clocks_now(), records);
}

void kernel_waits_report(
	const struct bpf_unwind *bpf, const struct intake *intake)
{
	struct bpf_waits_counts counts;
	struct wait_join_counts joined;

	if (!bpf || !intake)
		return;
	bpf_waits_counts(bpf, &counts);
	joined = intake_waits(intake);
	log_verbose("%llu waits: %llu recorded alone, %llu in sums",
		counts.counts.waits, counts.counts.sent, counts.counts.added);
	if (counts.counts.no_thread)
		log_note(
			"%llu waits were not recorded: of more than %u threads",
			counts.counts.no_thread, WAIT_THREADS_MAX);
	if (counts.counts.no_target)
		log_note("the waits of %llu processes or threads were not "
			 "recorded: of more than %u",
			counts.counts.no_target, WAIT_TARGETS_MAX);
	if (counts.counts.no_room)
		log_note("%llu waits were not recorded, because a ring buffer "
			 "was full. For larger ring buffers: -m",
			counts.counts.no_room);
	if (joined.stackless)
		log_note("%" PRIu64 " of %" PRIu64
			 " samples of waits have no stack: for %llu stacks, a "
			 "ring buffer was full. For larger ring buffers: -m",
			joined.stackless, joined.samples,
			counts.counts.no_stack);
	if (counts.missed || counts.counts.unended)
		log_note("%llu waits were not measured, because the kernel did "
			 "not report the context switches that ended them",
			counts.missed + counts.counts.unended);
}
