/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_jit.h"

#include "report/pack/pack_functions.h"

static bool has_section(struct reader *reader, const char *name)
{
	size_t i;

	for (i = 0; i < reader_n_sections(reader); i++)
		if (string_is(reader_section_at(reader, i)->name, name))
			return true;
	return false;
}

/*
 * Returns whether names are packed. Names that were packed before are packed
 * again, because all packed sections are rebuilt.
 */
static bool needs_jit_names(const struct input *input)
{
	array_each(&input->survey.dumps.list, dump)
		if (dump->has_names)
			return true;
	return has_section(input->reader, SECTION_PACKED_JIT) ||
		!has_section(input->reader, SECTION_JIT);
}

static struct jit_process *intern_jit_process(
	struct jit_section *jit, uint32_t pid)
{
	struct jit_process *process = jit_section_find(jit, pid);

	if (process)
		return process;
	process = array_push(&jit->processes);
	process->pid = pid;
	return process;
}

static void add_jit_names_by_address(
	const struct pack_functions *functions, struct jit_process *process)
{
	array_each(&functions->at, function) {
		const struct symbol *symbol = function->symbol;
		const struct jit_symbol named = { .start = symbol->start,
			.size = symbol->end - symbol->start };

		jit_process_add(process, &named, function->name);
	}
}

static bool has_function_at(
	const struct pack_functions *functions, uint64_t place)
{
	size_t i =
		array_count_before(&functions->at, x, x->symbol->start < place);

	return i < functions->at.n &&
		functions->at.at[i].symbol->start == place;
}

/* Adds the symbols of KNOWN that have a time and are in FUNCTIONS. */
static void add_jit_names_by_time(const struct pack_functions *functions,
	const struct jit_process *known, struct jit_process *process)
{
	array_each(&known->symbols, symbol)
		if (symbol->since && has_function_at(functions, symbol->place))
			jit_process_add(process, symbol,
				jit_symbol_name(known, symbol));
}

static void add_dso_jit_names(const struct pack_hit *hits, size_t n,
	const struct input *input, struct symbols *symbols,
	struct jit_section *jit)
{
	const struct dso *dso = maps_dso(input->survey.maps, hits->dso);
	struct pack_functions functions = { 0 };
	uint32_t pid = dso->pid;
	bool is_timed = survey_is_timed_jit(dso->path, &pid);
	const struct jit_process *known =
		jit_section_find(&input->survey.jit, pid);

	if (dso->is_data || (!is_timed && !maps_is_anonymous(dso->path)))
		return;
	symbols_load(symbols, hits->dso, hits[n - 1].place);
	pack_functions_find(hits, n, symbols, &functions);
	if (!functions.at.n)
		return;
	if (!is_timed)
		add_jit_names_by_address(
			&functions, intern_jit_process(jit, pid));
	else if (known)
		add_jit_names_by_time(
			&functions, known, intern_jit_process(jit, pid));
	pack_functions_deinit(&functions);
}

void pack_jit_put(const struct pack_hits *hits, const struct input *input,
	struct symbols *symbols, struct strbuf *out)
{
	struct jit_section jit = { 0 };
	size_t i, n;

	if (!needs_jit_names(input))
		return;
	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		add_dso_jit_names(&hits->at.at[i], n, input, symbols, &jit);
	}
	if (jit.processes.n)
		jit_section_write(&jit, out);
	jit_section_deinit(&jit);
}
