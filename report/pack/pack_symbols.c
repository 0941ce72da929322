/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_symbols.h"

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "report/pack/pack_hits.h"

/* --- symbols ------------------------------------------------------------- */

/*
 * Returns whether the symbols of FUNCTIONS are packed. JIT symbols, and symbols
 * that the recorder wrote, are not packed.
 */
static bool are_new_symbols(struct symbols *symbols, uint32_t dso,
	const struct symbols_source_dso *view,
	const struct pack_functions *functions)
{
	if (view->source == SYMBOLS_JIT)
		return false;
	if (view->source != SYMBOLS_RECORDED)
		return !view->is_doubtful;
	if (view->is_packed)
		return true;
	array_each(&functions->at, function)
		if (!symbols_has_recorded(
			    symbols, dso, function->symbol->start))
			return true;
	return false;
}

static void add_dso_symbols(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct files *files,
	struct symbols_section *bundle)
{
	const struct symbols_source_dso *view =
		symbols_load(symbols, hits->dso, hits[n - 1].place);
	const struct build_id id = files_build_id(files, hits->dso);
	struct pack_functions functions = { 0 };
	struct symbols_dso *new;

	pack_functions_find(hits, n, symbols, &functions);
	if (functions.at.n &&
		are_new_symbols(symbols, hits->dso, view, &functions)) {
		new = array_push(&bundle->dsos);
		/* Add the functions, and the other names of their symbols. */
		array_each(&functions.at, function) {
			const struct symbol *symbol = function->symbol;
			const char *other;
			size_t i;

			symtab_add(function->is_guess ? &new->guesses
						      : &new->symbols,
				symbol->start, symbol->end, symbol->binding,
				function->name);
			for (i = 0; !function->is_guess &&
				(other = symbols_other_name(
					 symbols, hits->dso, symbol->start, i));
				i++)
				symtab_add_other(
					&new->symbols, symbol->start, other);
		}
		symtab_finish(&new->symbols);
		symtab_finish(&new->guesses);
		symbols_dso_identify(files_dso(files, hits->dso), &id, new);
		if (view->source == SYMBOLS_DYNSYM ||
			view->source == SYMBOLS_NONE || view->is_partial)
			new->flags |= SYMBOLS_DSO_DYNSYM_ONLY;
		new->path = xstrdup(view->is_kernel ? view->name : view->path);
	}
	pack_functions_deinit(&functions);
}

void pack_symbols_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	struct symbols_section bundle = { 0 };
	size_t i, n;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		add_dso_symbols(&hits->at.at[i], n, symbols, files, &bundle);
	}
	if (bundle.dsos.n)
		symbols_section_write(&bundle, out);
	symbols_section_deinit(&bundle);
}

/* --- names of JIT code --------------------------------------------------- */

static bool has_section(struct reader *reader, const char *name)
{
	size_t i;

	for (i = 0; i < reader_n_sections(reader); i++)
		if (string_is(reader_section_at(reader, i)->name, name))
			return true;
	return false;
}

/*
 * Returns whether names of JIT code are packed. Names from an earlier `dwell
 * pack` are packed again, because all packed sections are rebuilt.
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

static bool has_function_at(
	const struct pack_functions *functions, uint64_t place)
{
	size_t i =
		array_count_before(&functions->at, x, x->symbol->start < place);

	return i < functions->at.n &&
		functions->at.at[i].symbol->start == place;
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
	if (!is_timed) {
		struct jit_process *process = intern_jit_process(jit, pid);

		array_each(&functions.at, function) {
			const struct symbol *symbol = function->symbol;
			const struct jit_symbol named = { .start =
								  symbol->start,
				.size = symbol->end - symbol->start };

			jit_process_add(process, &named, function->name);
		}
	} else if (known) {
		/*
		 * Add the symbols that have a load time and are in functions.
		 */
		struct jit_process *process = intern_jit_process(jit, pid);

		array_each(&known->symbols, symbol)
			if (symbol->since &&
				has_function_at(&functions, symbol->place))
				jit_process_add(process, symbol,
					jit_symbol_name(known, symbol));
	}
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
