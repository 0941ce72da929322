/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/runtime_pace.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/hash.h"

/* While code is new, or the recorder must read processes for each stack. */
#define NEW_CODE_LIMIT_NS (5 * NSEC_PER_MSEC)
/* While no code is new. New code is found when the ring buffer is read. */
#define KNOWN_CODE_LIMIT_NS (20 * NSEC_PER_MSEC)
/*
 * Code is new for this time after a new process, its first sample after the
 * same time without samples, and a new function in a sample.
 */
#define NEW_CODE_NS (250 * NSEC_PER_MSEC)
/*
 * Code is new for this time after the recorder has read a process, and after a
 * new instruction of a known function: the recorder reads its line. The time is
 * enough to flush the block of the sample.
 */
#define NEW_LINE_NS (25 * NSEC_PER_MSEC)
/* Powers of two. */
#define PROCESSES_MAX 1024u
#define SETS_MAX 4096u
#define WAYS 4u

struct runtime_pace {
	const struct runtimes *runtimes;
	bool has_bpf, has_process, has_compiler;
	/*
	 * Processes with a runtime, by the lowest bits of the PID. A process
	 * replaces another one with the same bits.
	 */
	struct paced_process {
		uint32_t pid; /* 0: none */
		/* changes with each exec, so that the code of the process is
		 * new */
		uint32_t generation;
		bool reads_lines; /* see runtimes_reserved_mapping() */
		uint64_t sampled; /* time of the last sample; 0: none */
	} processes[PROCESSES_MAX];
	/*
	 * Hashes of the code in samples, in sets by their lowest bits. The
	 * newest hash of a set is the first one.
	 */
	uint64_t code[SETS_MAX][WAYS];
	uint64_t restarts; /* runtimes_restarts() */
	uint64_t now;
	uint64_t changed; /* when code was new last */
	uint64_t
		line_changed; /* when an instruction of known code was new last */
};

struct runtime_pace *runtime_pace_create(
	const struct runtimes *runtimes, bool has_bpf)
{
	struct runtime_pace *pace = xcalloc(1, sizeof(*pace));

	pace->runtimes = runtimes;
	pace->has_bpf = has_bpf;
	return pace;
}

void runtime_pace_destroy(struct runtime_pace *pace)
{
	free(pace);
}

void runtime_pace_begin_round(struct runtime_pace *pace, uint64_t now)
{
	uint64_t restarts = runtimes_restarts(pace->runtimes);

	pace->now = now;
	if (restarts == pace->restarts)
		return;
	/* The names of some processes must be read again. */
	pace->restarts = restarts;
	memset(pace->code, 0, sizeof(pace->code));
	pace->changed = now;
}

static struct paced_process *slot_of(struct runtime_pace *pace, uint32_t pid)
{
	return &pace->processes[pid % PROCESSES_MAX];
}

void runtime_pace_add_process(struct runtime_pace *pace, uint32_t pid,
	const struct runtime_traits *traits)
{
	struct paced_process *process = slot_of(pace, pid);

	pace->has_process = true;
	pace->has_compiler |= traits->compiles;
	*process = (struct paced_process){ pid, process->generation + 1,
		traits->reads_lines, 0 };
	pace->changed = pace->now;
}

void runtime_pace_add_fork(
	struct runtime_pace *pace, uint32_t parent, uint32_t child)
{
	const struct paced_process *process = slot_of(pace, parent);
	const struct runtime_traits traits = {
		.reads_lines = process->reads_lines,
	};

	if (process->pid == parent)
		runtime_pace_add_process(pace, child, &traits);
}

void runtime_pace_add_sample(struct runtime_pace *pace, uint32_t pid)
{
	struct paced_process *process = slot_of(pace, pid);

	if (process->pid != pid || !pid)
		return;
	if (pace->now - process->sampled >= NEW_CODE_NS)
		pace->changed = pace->now;
	process->sampled = pace->now;
}

/* Returns whether HASH is new, and adds it. */
static bool add_code(struct runtime_pace *pace, uint64_t hash)
{
	uint64_t *set = pace->code[hash % SETS_MAX];
	size_t i;

	for (i = 0; i < WAYS; i++)
		if (set[i] == hash)
			return false;
	memmove(set + 1, set, (WAYS - 1) * sizeof(*set));
	set[0] = hash;
	return true;
}

void runtime_pace_add_stack(
	struct runtime_pace *pace, const struct chain_output *output)
{
	const struct paced_process *process = slot_of(pace, output->pid);
	bool is_process = process->pid == output->pid;
	uint64_t owner = is_process
		? (uint64_t)process->generation << 32 | output->pid
		: output->pid;
	bool reads_lines = !is_process || process->reads_lines;
	const uint8_t *frames;
	struct chain_linked frame;
	size_t n, i;

	frames = chain_output_linked(output, &n);
	for (i = 0; i < n; i++) {
		uint64_t hash;

		memcpy(&frame, frames + i * sizeof(frame), sizeof(frame));
		hash = hash_words(frame.code, frame.cookie);
		hash = hash_words(hash ^ owner, 0);
		if (add_code(pace, hash))
			pace->changed = pace->now;
		if (reads_lines &&
			add_code(pace, hash_words(hash, frame.where)))
			pace->line_changed = pace->now;
	}
}

struct runtime_limits runtime_pace_limits(const struct runtime_pace *pace)
{
	uint64_t line_changed = MAX(pace->line_changed,
		runtimes_interpreters_read_at(pace->runtimes));

	if (!pace->has_process)
		return (struct runtime_limits){ UINT64_MAX, UINT64_MAX };
	if (pace->has_bpf && !pace->has_compiler &&
		pace->now >= pace->changed + NEW_CODE_NS &&
		pace->now >= line_changed + NEW_LINE_NS)
		return (struct runtime_limits){ KNOWN_CODE_LIMIT_NS,
			UINT64_MAX };
	return (struct runtime_limits){ NEW_CODE_LIMIT_NS, NEW_CODE_LIMIT_NS };
}
