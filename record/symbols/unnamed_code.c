/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/unnamed_code.h"

#include "common/util/address_ranges.h"
#include "common/util/escape.h"
#include "common/util/strbuf.h"
#include "record/symbols/known_runtimes.h"

/*
 * Share of the samples of a process, in percent, above which the process is
 * reported.
 */
#define UNNAMED_PERCENT 5u
#define PROCESSES_SHOWN 3u

static int compare_address_pid(const void *a, const void *b)
{
	const struct code_samples_address *left = a, *right = b;

	if (left->pid != right->pid)
		return COMPARE(left->pid, right->pid);
	return COMPARE(left->address, right->address);
}

/* Numbers of samples of a process in JIT code, at counted addresses. */
struct jit_names {
	uint64_t named, unnamed;
};

/*
 * Returns the numbers of samples in JIT code with and without names. The result
 * is an array with the indexes of COUNTS->processes, owned by the caller.
 */
static struct jit_names *count_jit_names(
	const struct code_samples *counts, const struct jit_section *jit)
{
	struct jit_names *names =
		xcalloc(counts->processes.n + 1, sizeof(*names));
	struct address_ranges named = { 0 };
	ARRAY(struct code_samples_address) sorted = { 0 };
	const struct code_samples_address *before = NULL;
	size_t i;

	array_each(&counts->addresses, address)
		*array_push(&sorted) = *address;
	array_sort(&sorted, compare_address_pid);
	array_each(&sorted, address) {
		struct jit_names *of_process =
			&names[code_samples_process(counts, address->program) -
				counts->processes.at];

		if (!before || before->pid != address->pid) {
			const struct jit_process *process =
				jit_section_find(jit, address->pid);

			address_ranges_free(&named);
			for (i = 0; process && i < process->symbols.n; i++) {
				const struct jit_symbol *symbol =
					&process->symbols.at[i];

				if (symbol->size &&
					symbol->size <=
						UINT64_MAX - symbol->start)
					*array_push(&named.ranges) =
						(struct address_range){
							.start = symbol->start,
							.end = symbol->start +
								symbol->size,
						};
			}
			address_ranges_flatten(&named);
		}
		before = address;
		i = array_count_before(
			&named.ranges, range, range->end <= address->address);
		if (i < named.ranges.n &&
			named.ranges.at[i].start <= address->address)
			of_process->named += address->samples;
		else
			of_process->unnamed += address->samples;
	}
	address_ranges_free(&named);
	array_free(&sorted);
	return names;
}

/*
 * Returns the number of samples of PROCESS in an interpreter without the functions that
 * it runs. Returns 0 if more samples have these functions: the others are then the start
 * and the end of the interpreter. Also returns 0 if the process has call chains and JIT
 * code with names: the call chains then contain the functions (python -X perf).
 */
static uint64_t unnamed_interpreter_samples(
	const struct code_samples_process *process,
	const struct jit_section *jit)
{
	const struct jit_process *names;

	if (process->named > process->interpreted)
		return 0;
	if (!process->interpreted || !process->has_chains)
		return process->interpreted;
	names = jit_section_find(jit, process->jit_pid);
	return names && names->symbols.n ? 0 : process->interpreted;
}

/* A process, and its samples in code without names. */
struct unnamed_process {
	const struct code_samples_process *process;
	uint64_t samples;    /* number of these samples */
	bool is_interpreted; /* .samples are in an interpreter */
	bool has_names;	     /* other JIT code of the process has names */
	bool reads_runtimes; /* dwell reads the structures of runtimes */
};

static int compare_unnamed_processes(const void *a, const void *b)
{
	const struct unnamed_process *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->process->program, right->process->program);
}

/* Appends the reason why JIT code of UNNAMED has no names, and a remedy. */
static void put_jit_reason(const struct unnamed_process *unnamed,
	const struct maps *maps, struct strbuf *out)
{
	const struct known_runtime *runtime;
	const char *path;

	if (unnamed->process->replaced != CODE_NO_DSO) {
		strbuf_puts(out,
			"it is in memory without a file, in the place of code "
			"of ");
		escape_text(
			out, maps_dso(maps, unnamed->process->replaced)->path);
		strbuf_puts(out,
			". dwell names it if it is a copy of that code and "
			"the program runs when dwell compares them");
		return;
	}
	if (unnamed->has_names) {
		strbuf_puts(out,
			"the perf map or jitdump of the process does not "
			"contain it");
		return;
	}
	if (unnamed->process->compiler == CODE_NO_DSO) {
		strbuf_puts(out,
			"it is in memory without a file. dwell names it if "
			"the program writes a perf map or a jitdump");
		return;
	}
	path = maps_dso(maps, unnamed->process->compiler)->path;
	runtime = known_runtime_find(path, KNOWN_RUNTIME_COMPILES);
	known_runtime_put_name(runtime, path, out);
	strbuf_puts(out, " compiles it at run time. ");
	known_runtime_put_remedy(runtime, path, unnamed->reads_runtimes, out);
}

void unnamed_code_find(struct unnamed_code *unnamed,
	const struct code_samples *counts, const struct maps *maps,
	const struct jit_section *jit, bool reads_runtimes)
{
	_cleanup_free_ struct jit_names *names = count_jit_names(counts, jit);
	ARRAY(struct unnamed_process) found = { 0 };
	size_t i;

	for (i = 0; i < counts->processes.n; i++) {
		uint64_t counted = names[i].named + names[i].unnamed;
		/*
		 * For samples whose addresses were not counted, assume the same
		 * share as for the others.
		 */
		uint64_t compiled = counted
			? (uint64_t)((double)counts->processes.at[i].jit *
				  (double)names[i].unnamed / (double)counted)
			: 0;
		uint64_t interpreted = unnamed_interpreter_samples(
			&counts->processes.at[i], jit);
		struct unnamed_process judged = (struct unnamed_process){
			&counts->processes.at[i], MAX(compiled, interpreted),
			interpreted > compiled, names[i].named > 0, false
		};

		judged.reads_runtimes = reads_runtimes;
		if (judged.samples >= CODE_SAMPLES_LEAST &&
			judged.samples * 100 >
				judged.process->samples * UNNAMED_PERCENT)
			*array_push(&found) = judged;
	}
	array_sort(&found, compare_unnamed_processes);
	for (i = 0; i < found.n && i < PROCESSES_SHOWN; i++) {
		const struct code_samples_process *process =
			found.at[i].process;
		struct strbuf text = { 0 };
		strbuf_printf(&text, "%.0f %% of the samples of ",
			100.0 * (double)found.at[i].samples /
				(double)process->samples);
		escape_text(&text,
			process->comm ? maps_comm(maps, process->comm)
				      : "a process");
		strbuf_printf(&text, " (PID %u) are in ", process->pid);
		if (found.at[i].is_interpreted) {
			strbuf_puts(&text, "the interpreter of ");
			const char *path =
				maps_dso(maps, found.at[i].process->interpreter)
					->path;
			const struct known_runtime *runtime =
				known_runtime_find(
					path, KNOWN_RUNTIME_INTERPRETS);
			known_runtime_put_name(runtime, path, &text);
			strbuf_puts(&text,
				": the functions that it runs have no names. ");
			known_runtime_put_remedy(runtime, path,
				found.at[i].reads_runtimes, &text);
		} else {
			strbuf_puts(&text, "code without names: ");
			put_jit_reason(&found.at[i], maps, &text);
		}
		*array_push(&unnamed->sentences) = text.at;
	}
	array_free(&found);
}

void unnamed_code_deinit(struct unnamed_code *unnamed)
{
	array_each(&unnamed->sentences, sentence)
		free(*sentence);
	array_free(&unnamed->sentences);
}
