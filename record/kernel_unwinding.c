/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/kernel_unwinding.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/cli.h"
#include "common/util/log.h"
#include "record/bpf/bpf_start.h"

/*
 * The limit of the mean time per stack, in microseconds: the program runs with
 * interrupts off.
 */
#define LIMIT_VARIABLE "DWELL_BPF_LIMIT"
#define LIMIT_DEFAULT_US 100u
#define LIMIT_MAX_US 1000000u
/* Bytes of a stack copy beside a call chain in one record. */
#define COPY_WITH_CHAIN (48u << 10)
/* The mean of fewer stacks says little. */
#define WATCHED_MIN 50u

static bool is_requested(const struct options *options)
{
	return options->has_callchains && options->callgraph.in_kernel;
}

/* --call-graph dwarf,SIZE and --keep-stacks mean copies. */
bool kernel_unwinding_is_preferred(const struct options *options)
{
	const struct callgraph *graph = &options->callgraph;

	return is_requested(options) ||
		(options->has_callchains && !options->keeps_stacks &&
			!graph->copy_size &&
			(graph->kind == CALLGRAPH_DWARF ||
				graph->kind == CALLGRAPH_AUTO));
}

/* Returns why the recording needs copies, or NULL. */
static struct error *refuse_recording(
	const struct options *options, const struct selection *selection)
{
	if (getenv(KERNEL_UNWINDING_OFF))
		return error_new(
			"the environment variable " KERNEL_UNWINDING_OFF
			" is set");
	if (options->is_overwritten)
		return error_new("--overwrite keeps samples in the ring "
				 "buffers, where stacks cannot be joined with "
				 "them");
	if (selection->kept_registers)
		return error_new("--user-regs needs the registers of each "
				 "sample, and BPF sends them only with a copy");
	array_each(&selection->events, selected)
		if (chain_is_joined(&selected->attr) || selected->is_wait)
			return NULL;
	return error_new("BPF cannot unwind samples of the event %s",
		selection->events.at[0].name);
}

void kernel_unwinding_choose(const struct options *options,
	struct selection *selection, struct bpf_unwind **bpf)
{
	struct caller_caps caller;
	struct error *err;

	if (!kernel_unwinding_is_preferred(options))
		return;
	err = refuse_recording(options, selection);
	if (!err && !*bpf) {
		caller_caps_read("", &caller);
		err = bpf_start(&caller, false, bpf);
	}
	if (err && is_requested(options))
		log_note("stacks are copied, not unwound in the kernel: %s",
			err->text);
	selection->unwinds_in_kernel = !err;
	if (err)
		selection->copy_reason = xstrdup(err->text);
	error_free(err);
	if (selection->unwinds_in_kernel && options->keeps_stacks) {
		/*
		 * Limit stack copies, so that a record also has room for the
		 * call chain.
		 */
		array_each(&selection->events, selected)
			selected->attr.sample_stack_user =
				MIN(selected->attr.sample_stack_user,
					COPY_WITH_CHAIN);
	}
}

static struct error *connect_ring(
	struct bpf_unwind *bpf, const struct event_fds *opened, size_t ring)
{
	uint32_t cpu = opened->target->online.list.at[ring];
	int owner = opened->samples[ring].owner;
	int errnum = owner < 0 ? 0
			       : bpf_unwind_open_output(bpf, cpu, owner,
					 &opened->sideband_attr);

	return errnum
		? error_errno(errnum,
			  "cannot open the event for stacks on CPU %u", cpu)
		: NULL;
}

struct error *kernel_unwinding_connect(
	struct bpf_unwind *bpf, const struct event_fds *opened)
{
	struct error *err = NULL;
	size_t i;

	for (i = 0; bpf && i < opened->n_rings && !err; i++)
		err = connect_ring(bpf, opened, i);
	return err;
}

struct error *kernel_unwinding_connect_cpu(
	struct bpf_unwind *bpf, const struct event_fds *opened, uint32_t cpu)
{
	size_t i;

	for (i = 0; bpf && i < opened->n_rings; i++)
		if (opened->target->online.list.at[i] == cpu)
			return connect_ring(bpf, opened, i);
	return NULL;
}

void kernel_unwinding_watch(
	struct bpf_unwind *bpf, struct kernel_unwinding_watch *watch)
{
	struct chain_counts counts;
	uint64_t stacks, ns;

	if (!bpf || watch->is_slow)
		return;
	if (!watch->has_limit) {
		const char *text = getenv(LIMIT_VARIABLE);
		uint64_t us = LIMIT_DEFAULT_US;
		struct error *err = NULL;

		if (text && *text)
			err = cli_number(
				text, LIMIT_VARIABLE, 0, LIMIT_MAX_US, &us);
		if (err) {
			log_note("%s; the limit is %u", err->text,
				LIMIT_DEFAULT_US);
			error_free(err);
			us = LIMIT_DEFAULT_US;
		}
		watch->limit_ns = us * 1000;
	}
	watch->has_limit = true;
	bpf_unwind_counts(bpf, &counts);
	stacks = counts.stacks - watch->stacks;
	ns = counts.ns - watch->ns;
	watch->stacks = counts.stacks;
	watch->ns = counts.ns;
	if (stacks < WATCHED_MIN || ns / stacks <= watch->limit_ns)
		return;
	watch->is_slow = true;
	bpf_unwind_set_mode(bpf, CHAIN_COPY_ALL);
	log_note("the BPF program takes %" PRIu64
		 " us per stack on this machine; from now on it only copies "
		 "stacks, and the recorder unwinds them",
		ns / stacks / 1000);
}

/* Returns the samples of EVENT that were written, lost, or left out by a filter. */
static uint64_t count_taken(const struct recorded_counts *counts,
	const struct losses *losses, uint32_t event)
{
	struct recorded_count count = recorded_counts_sum(counts, event);

	return count.samples + count.dropped + count.left_out +
		losses_of(losses, event).kernel;
}

/*
 * Reports samples that the kernel left out before the program ran, because another
 * BPF program or bpf(2) ran on the CPU (bpf_prog_active): with a fixed period, the
 * counter tells their number. unsampled_time.h reports the time of clocks.
 */
static void report_suppressed(
	const struct event_fds *opened, const struct recording_stages *stages)
{
	const struct recorded_counts *counts = intake_counts(stages->intake);
	const struct selection *selection = opened->selection;
	uint32_t i;

	for (i = 0; i < selection->events.n; i++) {
		const struct selection_event *event = &selection->events.at[i];
		uint64_t period = event->attr.sample_period, n_fds, expected;
		uint64_t taken = count_taken(counts, stages->losses, i);
		bool is_clock = event->attr.type == PERF_TYPE_SOFTWARE &&
			event->attr.config <= PERF_COUNT_SW_TASK_CLOCK;

		if (!chain_is_joined(&event->attr) || is_clock ||
			event->attr.read_format & PERF_FORMAT_GROUP)
			continue;
		if (event->attr.freq || !period) {
			log_verbose("%s: whether the kernel left out samples "
				    "while another BPF program ran is not "
				    "known, because the period is not fixed",
				event->name);
			continue;
		}
		struct event_counter counter;
		uint64_t sum = 0;

		n_fds = 0;
		array_each(&opened->fds, fd)
			if (fd->event == i && event_fds_read(fd, &counter)) {
				sum += counter.value;
				++n_fds;
			}
		expected = sum / period;
		/* The counter of each thread can end within a period. */
		taken += period > 1 ? n_fds + counts->forks : 0;
		if (expected > taken)
			log_note("%s: the kernel left out %" PRIu64
				 " samples while another BPF program or bpf(2) "
				 "ran on the CPU",
				event->name, expected - taken);
	}
}

void kernel_unwinding_report(const struct bpf_unwind *bpf,
	const struct event_fds *opened, const struct recording_stages *stages)
{
	static const char *const ends[] = { [CHAIN_ROOT] = "are complete",
		[CHAIN_NO_TABLE] = "came before the rules of their file",
		[CHAIN_NO_RULE] = "end in code without unwinding rules",
		[CHAIN_NO_CODE] = "lead to no code",
		[CHAIN_DAMAGED] = "are damaged",
		[CHAIN_REGISTER] = "lack a register",
		[CHAIN_LIMIT] = "are too long",
		[CHAIN_COMPLEX] = "need a rule that only the recorder knows",
		[CHAIN_UNREADABLE] = "are not in memory" };
	const struct selection *selection = opened->selection;
	struct chain_counts counts;
	uint64_t taken, joined = 0; /* samples of events that BPF unwinds */
	uint32_t i;

	if (!bpf || !stages->intake || !stages->losses)
		return;
	bpf_unwind_counts(bpf, &counts);
	taken = intake_kernel_stacks(stages->intake);
	for (i = 0; i < selection->events.n; i++)
		if (chain_is_joined(&selection->events.at[i].attr))
			joined += count_taken(intake_counts(stages->intake),
				stages->losses, i);
	log_verbose("the BPF program ran for %llu samples; %" PRIu64
		    " samples were written, lost, or left out by a filter",
		counts.runs, joined);
	if (counts.stacks)
		log_verbose("the BPF program took %llu ns per stack",
			counts.ns / counts.stacks);
	if (counts.linked)
		log_verbose(
			"it took %llu ns more per stack of an interpreter's "
			"process, and found %llu frames",
			counts.linked_ns / MAX(counts.linked_stacks, 1ull),
			counts.linked);
	if (counts.linked_cut)
		log_note("%llu stack%s had more than %u functions of an "
			 "interpreter: the outermost are missing",
			counts.linked_cut, plural(counts.linked_cut),
			CHAIN_LINKED_MAX);
	if (counts.linked_damaged)
		log_verbose("in %llu stack%s, a function of an interpreter led "
			    "to no other one: the outermost are missing",
			counts.linked_damaged, plural(counts.linked_damaged));
	report_suppressed(opened, stages);
	if (counts.stacks > taken)
		log_note("%llu stacks were lost because a ring buffer was "
			 "full; their samples have only kernel functions. "
			 "For larger ring buffers: -m",
			counts.stacks - taken);
	log_verbose("%llu stacks were unwound in the kernel; the recorder "
		    "unwinds the incomplete ones",
		counts.stacks);
	for (i = 0; i < CHAIN_ENDS; i++)
		if (counts.ends[i])
			log_verbose("in the kernel: %llu stacks %s",
				counts.ends[i], ends[i]);
}
