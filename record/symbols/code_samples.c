/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/code_samples.h"

#include "record/runtimes/interface/runtime_functions.h"
#include "record/symbols/known_runtimes.h"

/* Limits of the tables, which need about 300 KiB and 2 MiB. */
#define PROCESSES_MAX 4096u
#define ADDRESSES_MAX 65536u

enum dso_kind {
	DSO_UNKNOWN, /* not yet determined */
	DSO_OTHER,
	DSO_JIT, /* memory without a file, or a memory file with JIT code */
	DSO_INTERPRETER,
};

struct code_samples_process *code_samples_process(
	const struct code_samples *counts, uint32_t program)
{
	hash_each_match(&counts->by_program, hash_words(program, 0), i)
		if (counts->processes.at[i].program == program)
			return &counts->processes.at[i];
	return NULL;
}

static int compare_process_samples(const void *a, const void *b)
{
	const struct code_samples_process *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->program, right->program);
}

static uint64_t hash_jit_address(const struct code_samples_address *address)
{
	return hash_words(address->address, address->program);
}

static struct code_samples_process *add_counted_process(
	struct code_samples *counts, const struct maps *maps,
	const struct sample *sample, uint32_t program)
{
	struct code_samples_process *process;

	if (counts->processes.n == PROCESSES_MAX) {
		/* Drop the half that has the fewest samples. */
		array_sort(&counts->processes, compare_process_samples);
		counts->processes.n /= 2;
		uint32_t n = 0;

		hash_free(&counts->by_program);
		array_each(&counts->processes, kept)
			hash_insert(&counts->by_program,
				hash_words(kept->program, 0), n++);
		/* Drop the JIT addresses of processes that are not in the table. */
		n = 0;
		hash_free(&counts->by_address);
		array_each(&counts->addresses, address) {
			if (!code_samples_process(counts, address->program))
				continue;
			hash_insert(&counts->by_address,
				hash_jit_address(address), n);
			counts->addresses.at[n++] = *address;
		}
		counts->addresses.n = n;
	}
	hash_insert(&counts->by_program, hash_words(program, 0),
		(uint32_t)counts->processes.n);
	process = array_push(&counts->processes);
	*process = (struct code_samples_process){
		.pid = sample->pid,
		.program = program,
		.comm = maps_context(
			maps, sample->pid, sample->pid, sample->time)
				.comm,
		.compiler = CODE_NO_DSO,
		.replaced = CODE_NO_DSO,
		.interpreter = CODE_NO_DSO,
		.jit_pid = sample->pid,
	};
	return process;
}

static enum dso_kind find_dso_kind(const char *path)
{
	/*
	 * .NET since version 7, and asmjit, of which Erlang uses a copy, map a
	 * memory file with JIT code twice: as code and as data. Other memory
	 * files can contain programs.
	 */
	if (maps_is_anonymous(path) ||
		string_starts(path, "/memfd:doublemapper") ||
		string_starts(path, "/memfd:vmem"))
		return DSO_JIT;
	return known_runtime_find(path, KNOWN_RUNTIME_INTERPRETS)
		? DSO_INTERPRETER
		: DSO_OTHER;
}

/*
 * The segments of a file are mapped at addresses that differ from their offsets by
 * nearly the same number; linkers add some pages between segments.
 */
#define FILE_SHIFT_MAX MIB(16)

/* Files mapped in the space of a process with JIT code. */
struct file_search {
	const struct maps *maps;
	uint64_t address;  /* of JIT code */
	uint32_t compiler; /* DSO of a runtime with KNOWN_RUNTIME_COMPILES, or
				  CODE_NO_DSO */
	uint32_t below, above; /* DSOs of the nearest files, or CODE_NO_DSO */
	uint64_t below_end, above_start;
	/* addresses of the files' first bytes, by these mappings */
	uint64_t below_base, above_base;
};

static void look_at_file(
	void *data, uint32_t pid _unused_, const struct mapping *mapping)
{
	struct file_search *search = data;
	const char *path = maps_dso(search->maps, mapping->dso)->path;

	if (search->compiler == CODE_NO_DSO &&
		known_runtime_find(path, KNOWN_RUNTIME_COMPILES))
		search->compiler = mapping->dso;
	if (path[0] != '/' || find_dso_kind(path) == DSO_JIT)
		return;
	if (mapping->end <= search->address &&
		mapping->end >= search->below_end) {
		search->below_end = mapping->end;
		search->below_base = mapping->start - mapping->offset;
		search->below = mapping->dso;
	}
	if (mapping->start > search->address &&
		mapping->start < search->above_start) {
		search->above_start = mapping->start;
		search->above_base = mapping->start - mapping->offset;
		search->above = mapping->dso;
	}
}

/* Counts SAMPLE, which is in JIT code of PROCESS. */
static void count_jit_sample(struct code_samples *counts,
	const struct maps *maps, const struct sample *sample,
	struct code_samples_process *process, uint32_t dso)
{
	const struct dso *memory = maps_dso(maps, dso);

	/* After a fork, the DSO of memory without a file is that of the parent. */
	process->jit_pid =
		maps_is_anonymous(memory->path) ? memory->pid : sample->pid;
	const struct code_samples_address *new =
		&(struct code_samples_address){ .address = sample->ip,
			.program = process->program,
			.pid = process->jit_pid };
	uint64_t hash = hash_jit_address(new);
	struct code_samples_address *address;
	hash_each_match(&counts->by_address, hash, i) {
		address = &counts->addresses.at[i];
		if (address->address != new->address ||
			address->program != new->program)
			continue;
		address->samples++;
		return;
	}
	if (counts->addresses.n == ADDRESSES_MAX)
		return;
	hash_insert(&counts->by_address, hash, (uint32_t)counts->addresses.n);
	address = array_push(&counts->addresses);
	*address = *new;
	address->samples = 1;
}

/* Returns whether the call chain has a function of a language runtime. */
static bool has_named_function(const struct sample *sample)
{
	uint64_t i;

	for (i = 0; i < sample->n_chain; i++)
		if (runtime_has_address(sample_chain_entry(sample, i)))
			return true;
	return false;
}

void code_samples_add(struct code_samples *counts, const struct maps *maps,
	const struct sample *sample, uint32_t user, uint32_t dso)
{
	uint32_t program = maps_program(maps, user);
	struct code_samples_process *process;

	/* A process without records has no mapping. */
	if (!program)
		return;
	process = code_samples_process(counts, program);
	if (!process)
		process = add_counted_process(counts, maps, sample, program);
	process->samples++;
	process->has_chains |= sample->n_chain > 0;
	if (sample->cpumode != MISC_USER || dso == CODE_NO_DSO)
		return;
	while (counts->dso_kinds.n <= dso)
		array_push(&counts->dso_kinds);
	if (counts->dso_kinds.at[dso] == DSO_UNKNOWN)
		counts->dso_kinds.at[dso] =
			(uint8_t)find_dso_kind(maps_dso(maps, dso)->path);
	switch ((enum dso_kind)counts->dso_kinds.at[dso]) {
	case DSO_UNKNOWN:
	case DSO_OTHER: break;
	case DSO_JIT:
		/*
		 * Find the origins now: if the process ends, its mappings can
		 * be forgotten before the recording ends.
		 */
		if (++process->jit == CODE_SAMPLES_LEAST) {
			struct file_search search = { .maps = maps,
				.address = sample->ip,
				.compiler = CODE_NO_DSO,
				.below = CODE_NO_DSO,
				.above = CODE_NO_DSO,
				.above_start = UINT64_MAX };
			const struct maps_visitor visitor = {
				.mapping = look_at_file, .data = &search
			};
			maps_visit_space(maps, user, &visitor);
			process->compiler = search.compiler;
			/*
			 * Code that is made at run time is not between the
			 * segments of one file: this code replaced code of the
			 * file. The file must be mapped once: V8 maps a part of
			 * its own file again, beside its JIT code.
			 */
			if (search.below == search.above &&
				search.above_base - search.below_base +
						FILE_SHIFT_MAX <=
					2 * FILE_SHIFT_MAX)
				process->replaced = search.below;
		}
		count_jit_sample(counts, maps, sample, process, dso);
		break;
	case DSO_INTERPRETER:
		if (has_named_function(sample)) {
			process->named++;
			break;
		}
		process->interpreted++;
		process->interpreter = dso;
		break;
	}
}

void code_samples_deinit(struct code_samples *counts)
{
	array_free(&counts->processes);
	array_free(&counts->addresses);
	array_free(&counts->dso_kinds);
	hash_free(&counts->by_program);
	hash_free(&counts->by_address);
}
