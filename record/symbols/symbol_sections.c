/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/symbol_sections.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>

#include "common/elf/elf.h"
#include "common/elf/symtab.h"
#include "common/file/line_builder.h"
#include "common/file/packed_dsos.h"
#include "common/file/section.h"
#include "common/file/symbols_section.h"
#include "common/maps/maps.h"
#include "common/util/log.h"
#include "record/runtimes/runtimes.h"
#include "record/symbols/file_names.h"
#include "record/symbols/jitnames.h"
#include "record/symbols/pinned_files.h"
#include "record/symbols/sampled_code.h"
#include "record/sys/sysfile.h"

/* --- functions of language runtimes -------------------------------------- */

/*
 * Writes the names of the sampled functions of language runtimes for the section
 * "symbols" of a recording (doc/format.md).
 */

/*
 * Adds the functions at the N places SAMPLED to TABLE, and calls symtab_finish(). The
 * places are in the reserved mapping of the runtime NUMBER, in ascending order.
 */
static void add_runtime_symbols(const struct runtimes *runtimes,
	unsigned number, const struct hit *sampled, size_t n,
	struct symtab *table)
{
	struct runtime_function function;
	uint64_t next = 0;
	uint32_t line;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t start =
			sampled[i].place & ~(RUNTIME_FUNCTION_SIZE - 1);

		if (start < next ||
			!runtime_functions_find(runtimes_functions(runtimes),
				number, start, &function, &line))
			continue;
		next = start + RUNTIME_FUNCTION_SIZE;
		symtab_add(table, start, next, 0, function.name);
	}
	symtab_finish(table);
}

/* -------------------------------------------------------------------------- */

/* Size for about 120,000 files. Readers can reject larger sections. */
#define BUILD_IDS_SIZE_MAX MIB(16)
#define KERNEL_MAPPED "[kernel.kallsyms]_text"
#define KERNEL_NAME "[kernel.kallsyms]"
#define KERNEL_NOTES "/sys/kernel/notes"
#define MODULE_NOTES "/sys/module/%.*s/notes/.note.gnu.build-id"

static bool is_kernel_dso(const struct dso *dso)
{
	return dso->pid == MAPS_KERNEL_PID &&
		string_is(dso->path, KERNEL_MAPPED);
}

static const char *embedded_path(const struct dso *dso)
{
	return is_kernel_dso(dso) ? KERNEL_NAME : dso->path;
}

static struct build_id read_notes_build_id(const char *path)
{
	_cleanup_strbuf_ struct strbuf notes = { 0 };
	struct build_id id = { 0 };

	if (sysfile_slurp(AT_FDCWD, path, &notes) && notes.n)
		elf_notes_build_id((const uint8_t *)notes.at, notes.n, &id);
	return id;
}

static struct build_id embedded_build_id(const struct dso *dso)
{
	_cleanup_free_ char *path = NULL;

	if (is_kernel_dso(dso))
		return read_notes_build_id(KERNEL_NOTES);
	/* The build ID of a kernel module such as "[ext4]" is in sysfs. */
	if (dso->pid != MAPS_KERNEL_PID || dso->path[0] != '[' ||
		string_is(dso->path, KERNEL_MAPPED))
		return dso->build_id;
	path = xasprintf(
		MODULE_NOTES, (int)strlen(dso->path) - 2, dso->path + 1);
	return read_notes_build_id(path);
}

/* The number of a sampled DSO in the maps, and its number of samples. */
struct dso_samples {
	uint32_t dso;
	uint64_t samples;
};

static int compare_dso_samples(const void *a, const void *b)
{
	const struct dso_samples *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->dso, right->dso);
}

void symbol_sections_build_ids(
	struct sampled_code *sampled, struct features *closing)
{
	const struct maps *maps = sampled_code_maps(sampled);
	ARRAY(struct dso_samples) hottest = { 0 };
	size_t n, i, size = 0;
	const struct hit *all = sampled_code_sorted(sampled, &n);

	for (i = 0; i < n; i++)
		if (!i || all[i].dso != all[i - 1].dso)
			*array_push(
				&hottest) = (struct dso_samples){ all[i].dso,
				sampled_code_samples(sampled, all[i].dso) };
	array_sort(&hottest, compare_dso_samples);
	array_each(&hottest, hot) {
		const struct dso *dso = maps_dso(maps, hot->dso);
		struct build_id id = embedded_build_id(dso);
		bool is_host_wide = dso->pid == MAPS_KERNEL_PID;

		/*
		 * The size of the entry that write_build_ids() writes for DSO.
		 */
		size += 36 + ALIGN_UP(strlen(embedded_path(dso)) + 1, 64);
		if (size > BUILD_IDS_SIZE_MAX)
			break;
		if (id.size)
			*array_push(&closing->build_ids) =
				(struct feature_build_id){
					.pid = UINT32_MAX,
					.cpumode = is_host_wide ? MISC_KERNEL
								: MISC_USER,
					.id = id,
					.path = xstrdup(embedded_path(dso)),
				};
	}
	array_free(&hottest);
}

/*
 * Copies the symbols of TABLE that contain one of the N addresses in SAMPLED,
 * or the byte before such an address: a return address can be the first address
 * of the next function. Omits addresses that a symbol of BETTER contains, which may be
 * NULL.
 */
static void copy_sampled_symbols(const struct symtab *table,
	const struct symtab *better, const struct hit *sampled, size_t n,
	struct symtab *ret)
{
	const struct symbol *last = NULL;
	size_t i;
	int back;

	for (i = 0; i < n; i++) {
		for (back = 1; back >= 0; back--) {
			uint64_t place = sampled[i].place - (uint64_t)back;
			const struct symbol *symbol = symtab_find(table, place);

			if (!symbol || (last && symbol <= last) ||
				(better && symtab_find(better, place)))
				continue;
			symtab_add(ret, symbol->start, symbol->end,
				symbol->binding, symtab_name(table, symbol));
			const char *name;
			uint32_t other;
			for (other = 0; (name = symtab_other_name(
						 table, symbol, other));
				other++)
				symtab_add_other(ret, symbol->start, name);
			last = symbol;
		}
	}
	symtab_finish(ret);
}

/* Returns the runtime of DSO, a reserved mapping, or RUNTIMES. */
static unsigned runtime_of(
	const struct symbol_sections *embed, const struct dso *dso)
{
	return embed->runtimes ? runtime_dso_find(dso->path) : RUNTIMES;
}

/*
 * Adds the symbols of one DSO to the struct symbols_section DATA. SAMPLED has
 * the N sampled addresses in that DSO.
 */
static void embed_dso(const struct symbol_sections *embed, void *data,
	const struct hit *sampled, size_t n)
{
	const struct dso *dso =
		maps_dso(sampled_code_maps(embed->sampled), sampled->dso);
	struct symbols_section *section = data;
	struct symbols_dso new = { 0 };
	struct symtab own = { 0 };
	const struct symtab *table = NULL;
	struct build_id id;

	if (dso->pid == MAPS_KERNEL_PID) {
		if (is_kernel_dso(dso))
			table = &embed->kallsyms->kernel;
		array_each(&embed->kallsyms->modules, module)
			if (!table && string_is(module->name, dso->path))
				table = &module->symbols;
	} else if (runtime_of(embed, dso) < RUNTIMES) {
		add_runtime_symbols(embed->runtimes, runtime_of(embed, dso),
			sampled, n, &own);
		table = &own;
	} else {
		const struct file_names_request request = {
			.dso = dso,
			.pinned = pinned_files_find(embed->pins, dso),
			.started = embed->started,
			.sampled = sampled,
			.n_sampled = n,
		};
		struct file_names names = { 0 };
		file_names_read(embed->worker, embed->owners, &request, &names);
		if (names.is_dynsym_only)
			new.flags |= SYMBOLS_DSO_DYNSYM_ONLY;
		copy_sampled_symbols(
			&names.symbols, NULL, sampled, n, &new.symbols);
		copy_sampled_symbols(&names.guesses, &names.symbols, sampled, n,
			&new.guesses);
		file_names_add_bytes(&names,
			symtab_size(&new.symbols) + symtab_size(&new.guesses),
			embed->owners);
		file_names_deinit(&names);
	}
	if (table)
		copy_sampled_symbols(table, NULL, sampled, n, &new.symbols);
	symtab_deinit(&own);
	if (!new.symbols.symbols.n && !new.guesses.symbols.n) {
		symtab_deinit(&new.symbols);
		symtab_deinit(&new.guesses);
		return;
	}
	new.path = xstrdup(embedded_path(dso));
	id = embedded_build_id(dso);
	symbols_dso_identify(dso, &id, &new);
	*array_push(&section->dsos) = new;
}

/* Calls EACH for each DSO, with the N sampled addresses in that DSO. */
static void for_each_sampled_dso(const struct symbol_sections *embed,
	void *data,
	void (*each)(const struct symbol_sections *embed, void *data,
		const struct hit *sampled, size_t n))
{
	size_t n, i, first = 0;
	const struct hit *all = sampled_code_sorted(embed->sampled, &n);

	for (i = 1; i <= n; i++) {
		if (i < n && all[i].dso == all[first].dso)
			continue;
		each(embed, data, all + first, i - first);
		first = i;
	}
}

void symbol_sections_symbols(
	const struct symbol_sections *embed, struct strbuf *out)
{
	struct symbols_section section = { 0 };

	for_each_sampled_dso(embed, &section, embed_dso);
	file_owners_report(embed->owners);
	symbols_section_write(&section, out);
	symbols_section_deinit(&section);
}

static void embed_jit_dso(const struct symbol_sections *embed, void *data,
	const struct hit *sampled, size_t n)
{
	const struct dso *dso =
		maps_dso(sampled_code_maps(embed->sampled), sampled->dso);
	struct jit_section *jit = data;
	struct jit_process *process;
	const struct jitnames_request request = {
		.files = jits_find(embed->jits, dso->pid),
		.sampled = sampled,
		.n_sampled = n,
		.clock = embed->clock,
	};
	struct jitnames_flaws flaws;
	bool is_first;

	if (dso->pid == MAPS_KERNEL_PID || !maps_is_anonymous(dso->path))
		return;
	process = jit_section_find(jit, dso->pid);
	is_first = !process;
	if (is_first) {
		process = array_push(&jit->processes);
		process->pid = dso->pid;
	}
	flaws = jitnames_read(embed->worker, &request, process);
	if (is_first) {
		if (flaws.is_perfmap_foreign)
			jit_file_report_ignored(
				dso->pid, "perf map", JIT_FILE_FOREIGN);
		if (flaws.is_dump_foreign)
			jit_file_report_ignored(
				dso->pid, "jitdump", JIT_FILE_FOREIGN);
		if (flaws.has_long_line)
			log_note(
				"perf map of process %u: ignored a line that is too "
				"long",
				dso->pid);
		/*
		 * While the process runs, it may be writing the header or the
		 * last record.
		 */
		bool is_running =
			kill((pid_t)dso->pid, 0) == 0 || errno != ESRCH;
		_cleanup_strbuf_ struct strbuf text = { 0 };
		_cleanup_free_ char *link =
			xasprintf("/proc/self/fd/%d", request.files.dump);
		char path[PATH_MAX];
		ssize_t length = readlink(link, path, sizeof(path) - 1);
		if (flaws.dump.ending != JITDUMP_WHOLE &&
			(!is_running || flaws.dump.ending == JITDUMP_DAMAGED)) {
			path[length > 0 ? length : 0] = '\0';
			jitdump_end_put(&flaws.dump, &text);
			log_note("jitdump of process %u%s%s: %s", dso->pid,
				length > 0 ? ", " : "", path, text.at);
		}
	}
}

void symbol_sections_jit(
	const struct symbol_sections *embed, struct strbuf *out)
{
	struct jit_section jit = { 0 };

	for_each_sampled_dso(embed, &jit, embed_jit_dso);
	sampled_code_find_unnamed(
		embed->sampled, &jit, embed->runtimes != NULL);
	jit_section_write(&jit, out);
	jit_section_deinit(&jit);
}

/* The entries of the section "lines". */
struct embedded_lines {
	uint32_t n;
	struct strbuf entries;
};

static void embed_dso_lines(const struct symbol_sections *embed, void *data,
	const struct hit *sampled, size_t n)
{
	const struct dso *dso =
		maps_dso(sampled_code_maps(embed->sampled), sampled->dso);
	unsigned runtime = runtime_of(embed, dso);
	struct embedded_lines *lines = data;

	if (runtime == RUNTIMES)
		return;
	const struct build_id no_id = { 0 };
	struct line_builder builder;
	struct runtime_function function;
	struct line_unit *unit;
	uint32_t line;
	size_t i;
	line_builder_init(&builder, 0);
	for (i = 0; i < n; i++)
		if (runtime_functions_find(runtimes_functions(embed->runtimes),
			    runtime, sampled[i].place, &function, &line) &&
			line && *function.file) {
			/* Two addresses stand for each line. */
			uint64_t start = sampled[i].place & ~UINT64_C(1);
			line_builder_row(&builder, start,
				line_builder_text(&builder, function.file),
				line);
			line_builder_row(&builder, start + 2, LINE_NONE, 0);
		}
	unit = line_builder_finish(&builder);
	packed_dsos_put(
		dso, &no_id, unit, line_unit_size(unit), &lines->entries);
	free(unit);
	line_builder_deinit(&builder);
	lines->n++;
}

void symbol_sections_lines(
	const struct symbol_sections *embed, struct strbuf *out)
{
	struct embedded_lines lines = { 0 };

	for_each_sampled_dso(embed, &lines, embed_dso_lines);
	if (lines.n) {
		packed_dsos_begin(lines.n, out);
		strbuf_put(out, lines.entries.at, lines.entries.n);
	}
	strbuf_free(&lines.entries);
}
