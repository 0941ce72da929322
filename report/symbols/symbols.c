/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/symbols.h"

#include <elf.h>

#include "common/file/simpleperf.h"
#include "common/file/symbols_section.h"
#include "common/jit/perfmap.h"
#include "common/unwind/guessed_functions.h"
#include "common/util/address_ranges.h"
#include "common/util/alloc.h"
#include "report/survey/survey.h"
#include "report/symbols/dso_name.h"
#include "report/symbols/kernel_symbols.h"
#include "report/util/local_files.h"

/*
 * Limits of the symbols of one process's JIT code, for hostile files: number of
 * symbols, and bytes of names.
 */
#define SYMBOLS_MAX 4000000u
#define NAMES_MAX MIB(256)

/*
 * The symbols of one process's JIT code. Later symbols replace earlier ones at
 * the same addresses.
 */
struct jit_names {
	struct address_ranges parts;
	ARRAY(size_t)
	names; /* by .number of a range in .parts: offset of the
	                      * symbol's name in .texts */
	struct strbuf texts;
};

static void add_jit_name(struct jit_names *jit_names, uint64_t start,
	uint64_t end, const char *name)
{
	if (start == end || jit_names->names.n == SYMBOLS_MAX ||
		jit_names->texts.n > NAMES_MAX)
		return;
	*array_push(&jit_names->parts.ranges) =
		(struct address_range){ start, end, jit_names->names.n };
	*array_push(&jit_names->names) = jit_names->texts.n;
	strbuf_put(&jit_names->texts, name, strlen(name) + 1);
}

/*
 * Adds the symbols of PID's JIT code that are found by address alone, at any
 * time. Of overlapping symbols, the later one is used; symbols of the recording
 * or a jitdump replace those of the perf map.
 */
static void jit_symbols_add(const struct survey *survey, struct reader *reader,
	uint32_t pid, struct symtab *table)
{
	const struct jit_process *process = jit_section_find(&survey->jit, pid);
	const struct jitdumps_file *dump = jitdumps_find(&survey->dumps, pid);
	bool is_complete = process && !(dump && dump->has_names);
	struct jit_names jit_names = { 0 };

	/*
	 * The perf map is not needed if the recording has the symbols of all
	 * JIT code that samples hit.
	 */
	if (!is_complete && local_files_match_host(reader)) {
		_cleanup_free_ char *path = xasprintf("/tmp/perf-%u.map", pid);
		struct stat file;
		_cleanup_close_ int fd = local_file_open(path, &file);
		struct perfmap_entry entry;
		struct perfmap *map;

		if (fd >= 0) {
			map = perfmap_open(fd);
			while (perfmap_next(map, &entry))
				add_jit_name(&jit_names, entry.start,
					entry.start + entry.size, entry.name);
			if (perfmap_has_long_line(map))
				local_file_report(path,
					"ignored a line longer than 64 KiB");
			perfmap_close(map);
		}
	}
	if (process) {
		array_each(&process->symbols, symbol)
			if (!symbol->since)
				add_jit_name(&jit_names, symbol->start,
					symbol->start + symbol->size,
					jit_symbol_name(process, symbol));
	}
	address_ranges_flatten(&jit_names.parts);
	array_each(&jit_names.parts.ranges, part)
		symtab_add(table, part->start, part->end, STB_GLOBAL,
			jit_names.texts.at + jit_names.names.at[part->number]);
	address_ranges_free(&jit_names.parts);
	array_free(&jit_names.names);
	strbuf_free(&jit_names.texts);
}

/*
 * Adds the symbols of PID's JIT code at addresses that held different code at
 * different times. Such code is found by its place, an address range that no
 * other code uses.
 */
static void jit_symbols_add_timed(
	const struct survey *survey, uint32_t pid, struct symtab *table)
{
	const struct jit_process *process = jit_section_find(&survey->jit, pid);

	if (!process)
		return;
	array_each(&process->symbols, symbol)
		if (symbol->since)
			symtab_add(table, symbol->place,
				symbol->place + symbol->size, STB_GLOBAL,
				jit_symbol_name(process, symbol));
}

struct dso_symbols {
	struct symbols_source_dso view;
	struct dso_name name;
	bool is_loaded;
	bool tried_file;   /* the DSO's file was searched for symbols that are
	                    * not in the recording */
	struct symtab own; /* symbols of a file or of JIT code; else empty */
	/*
	 * the symbols that are used: .own, or those of the recording or the
	 * kernel; NULL: none
	 */
	const struct symtab *table;
	bool is_file; /* a program or library, also the vdso */
	/*
	 * If .is_file, the functions of code without symbols: those in the
	 * recording (NULL: none), and those of the DSO's file
	 */
	const struct symtab *recorded_guesses;
	bool tried_guesses; /* .guesses is set */
	struct symtab guesses;
};

struct symbols {
	struct reader *reader;
	const struct survey *survey;
	struct dso_symbols *dsos;      /* symbols of each DSO, by DSO number of
	                                * survey->maps */
	struct files *files;	       /* borrowed */
	struct symbols_section bundle; /* symbols in the recording; those added
	                                * by dwell pack are first */
	size_t n_packed;
	struct kernel_symbols kernel;
	bool is_other_reported; /* a message has reported another file */
	bool has_stacks; /* the recording has stack copies, whose unwinding
	                  * finds callers without recorded symbols */
};

static void add_symbols_section(struct symbols *symbols, const char *name)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };
	struct symbols_section bundle;

	if (!reader_section(
		    symbols->reader, name, SYMBOLS_SECTION_VERSION, &section) ||
		!symbols_section_read(
			bytes_of(section.at, section.n, false), &bundle))
		return;
	array_each(&bundle.dsos, dso)
		*array_push(&symbols->bundle.dsos) = *dso;
	array_free(&bundle.dsos);
}

struct symbols *symbols_create(
	struct reader *reader, const struct survey *survey, struct files *files)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));
	const struct feature_bytes *files2 =
		&reader_features(reader)->simpleperf_files;

	symbols->reader = reader;
	symbols->survey = survey;
	symbols->dsos =
		xcalloc(maps_n_dsos(survey->maps), sizeof(*symbols->dsos));
	symbols->files = files;
	symbols->kernel = (struct kernel_symbols){
		.reader = reader, .maps = survey->maps, .files = symbols->files
	};
	symbols->has_stacks = reader_has_stack_copies(reader);
	add_symbols_section(symbols, SECTION_PACKED);
	symbols->n_packed = symbols->bundle.dsos.n;
	add_symbols_section(symbols, SECTION_SYMBOLS);
	simpleperf_read_files(bytes_of(files2->at, files2->n, files2->swap),
		&symbols->bundle);
	symbols_section_index(&symbols->bundle);
	array_each(&symbols->bundle.dsos, dso)
		if (!symbols->kernel.recorded &&
			string_is(dso->path, "[kernel.kallsyms]"))
			symbols->kernel.recorded = &dso->symbols;
	return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
	uint32_t i;

	if (!symbols)
		return;
	for (i = 0; i < maps_n_dsos(symbols->survey->maps); i++) {
		dso_name_deinit(&symbols->dsos[i].name);
		symtab_deinit(&symbols->dsos[i].own);
		symtab_deinit(&symbols->dsos[i].guesses);
	}
	free(symbols->dsos);
	symbols_section_deinit(&symbols->bundle);
	kernel_symbols_deinit(&symbols->kernel);
	free(symbols);
}

static void use_bundled_symbols(const struct symbols *symbols,
	const struct symbols_dso *bundled, struct dso_symbols *dso_symbols)
{
	dso_symbols->table = &bundled->symbols;
	dso_symbols->view.source = SYMBOLS_RECORDED;
	dso_symbols->view.is_packed =
		bundled < symbols->bundle.dsos.at + symbols->n_packed;
	dso_symbols->view.is_partial = bundled->flags & SYMBOLS_DSO_DYNSYM_ONLY;
}

/*
 * Loads .symtab of the debug file of DSO NUMBER. FILE is the mapped file, or
 * NULL. Returns false if there are no symbols.
 */
static bool load_debug_symbols(
	struct symbols *symbols, uint32_t number, struct elf_file *file)
{
	struct elf_file *debug = files_open_debug(symbols->files, number);
	bool has_any = debug &&
		elf_file_symbols(debug, file ? file : debug, ELF_SYMTAB,
			&symbols->dsos[number].own);

	elf_file_close(debug);
	if (has_any)
		symbols->dsos[number].view.source = SYMBOLS_DEBUG;
	return has_any;
}

/*
 * Loads .symtab of FILE or else of its debug file. Returns false if neither has
 * a .symtab.
 */
static bool load_all_symbols(
	struct symbols *symbols, uint32_t number, struct elf_file *file)
{
	struct dso_symbols *dso_symbols = &symbols->dsos[number];

	dso_symbols->view.source = SYMBOLS_FILE;
	return elf_file_symbols(file, file, ELF_SYMTAB, &dso_symbols->own) ||
		load_debug_symbols(symbols, number, file);
}

/*
 * Adds the symbols of FILE that are not in .symtab, and those of PLT entries.
 * *IS_FULL says whether all symbols of FILE are loaded, before and after the
 * call.
 */
static void load_other_symbols(
	struct dso_symbols *dso_symbols, struct elf_file *file, bool *is_full)
{
	if (!*is_full)
		*is_full = elf_file_own_symbols(file, &dso_symbols->own);
	if (!*is_full)
		dso_symbols->view.source = SYMBOLS_DYNSYM;
	elf_file_plt(file, &dso_symbols->own);
}

/* Reports the first DSO whose path has another file than the recorded one. */
static void report_other_file(struct symbols *symbols, uint32_t number)
{
	struct files_status status = files_status(symbols->files, number);

	if (symbols->is_other_reported || !status.is_other)
		return;
	symbols->is_other_reported = true;
	local_file_report_other(maps_dso(symbols->survey->maps, number)->path,
		status.has_changed, "symbols");
}

static void load_user_symbols(struct symbols *symbols, uint32_t number,
	uint64_t end, struct dso_symbols *dso_symbols)
{
	const struct dso *dso = maps_dso(symbols->survey->maps, number);
	struct build_id id = files_build_id(symbols->files, number);
	/*
	 * The first symbols of the DSO in the bundle are those added by dwell
	 * pack.
	 */
	const struct symbols_dso *bundled =
		symbols_section_find(&symbols->bundle, dso, &id);
	enum buildid_trust trust = BUILDID_PROVEN;
	struct elf_file *file = NULL;
	bool is_full = false;

	dso_symbols->is_file = true;
	dso_symbols->recorded_guesses = bundled ? &bundled->guesses : NULL;
	/* The recording may have guessed functions of the DSO only. */
	if (bundled && !bundled->symbols.symbols.n)
		bundled = NULL;
	if (bundled && !(bundled->flags & SYMBOLS_DSO_DYNSYM_ONLY)) {
		use_bundled_symbols(symbols, bundled, dso_symbols);
		return;
	}
	if (!bundled || !maps_is_vdso(dso->path))
		file = files_open(symbols->files, number, end, &trust);
	/*
	 * A debug file is enough, and debuginfod servers are more likely to
	 * have the debug file than the mapped file.
	 */
	if (!file)
		is_full = load_debug_symbols(symbols, number, NULL);
	if (!file && !is_full && !bundled)
		file = files_fetch(symbols->files, number, end, &trust);
	if (file)
		is_full = load_all_symbols(symbols, number, file);
	/*
	 * The recording has the .dynsym symbols of sampled code, but not those
	 * of callers that unwinding finds.
	 */
	if (file &&
		(is_full || !bundled || symbols->has_stacks ||
			elf_file_debugdata(file)))
		load_other_symbols(dso_symbols, file, &is_full);
	elf_file_close(file);
	symtab_finish(&dso_symbols->own);
	if (dso_symbols->own.symbols.n && (is_full || !bundled)) {
		dso_symbols->table = &dso_symbols->own;
		dso_symbols->view.is_doubtful = trust == BUILDID_DOUBTFUL;
	} else if (bundled) {
		use_bundled_symbols(symbols, bundled, dso_symbols);
	} else {
		dso_symbols->view.source = SYMBOLS_NONE;
		report_other_file(symbols, number);
	}
}

static void load_kernel_symbols(struct symbols *symbols, uint32_t number,
	struct dso_symbols *dso_symbols)
{
	const struct symbols_dso *bundled = NULL;
	bool is_image;

	/*
	 * The first symbols of the DSO in the bundle are those added by dwell
	 * pack.
	 */
	array_each(&symbols->bundle.dsos, dso)
		if (!bundled && string_is(dso->path, dso_symbols->name.shown))
			bundled = dso;
	if (bundled) {
		use_bundled_symbols(symbols, bundled, dso_symbols);
		kernel_symbols_check_named(&symbols->kernel);
		return;
	}
	dso_symbols->table = kernel_symbols_find(
		&symbols->kernel, &dso_symbols->name, &is_image);
	dso_symbols->view.source =
		is_image ? SYMBOLS_VMLINUX : SYMBOLS_KALLSYMS;
	if (dso_symbols->table) {
		dso_symbols->view.found =
			kernel_symbols_path(&symbols->kernel, is_image);
		return;
	}
	const char *path = maps_dso(symbols->survey->maps, number)->path;

	if (path[0] == '[' || path[0] == '/') {
		dso_symbols->view.source = SYMBOLS_NONE;
		kernel_symbols_report_missing(&symbols->kernel);
		return;
	}
	/* A BPF program or trampoline: the mapping has the name of the symbol. */
	symtab_add(&dso_symbols->own, 0, UINT64_MAX, 1, path);
	symtab_finish(&dso_symbols->own);
	dso_symbols->table = &dso_symbols->own;
	dso_symbols->view.source = SYMBOLS_JIT;
}

const struct symbols_source_dso *symbols_load_none(
	struct symbols *symbols, uint32_t dso)
{
	struct dso_symbols *dso_symbols = &symbols->dsos[dso];
	const struct dso *recorded = maps_dso(symbols->survey->maps, dso);

	if (dso_symbols->view.name)
		return &dso_symbols->view;
	dso_name_find(recorded, &dso_symbols->name);
	dso_symbols->view.name = dso_symbols->name.shown;
	dso_symbols->view.path = dso_symbols->name.path;
	dso_symbols->view.is_kernel = recorded->pid == MAPS_KERNEL_PID;
	return &dso_symbols->view;
}

const struct symbols_source_dso *symbols_load(
	struct symbols *symbols, uint32_t dso, uint64_t end)
{
	struct dso_symbols *dso_symbols = &symbols->dsos[dso];
	const struct dso *recorded = maps_dso(symbols->survey->maps, dso);
	uint32_t pid;

	if (dso_symbols->is_loaded)
		return &dso_symbols->view;
	dso_symbols->is_loaded = true;
	symbols_load_none(symbols, dso);
	if (recorded->is_data)
		return &dso_symbols->view;
	if (dso_symbols->view.is_kernel)
		load_kernel_symbols(symbols, dso, dso_symbols);
	else if (maps_is_anonymous(recorded->path))
		jit_symbols_add(symbols->survey, symbols->reader, recorded->pid,
			&dso_symbols->own);
	else if (survey_is_timed_jit(recorded->path, &pid))
		jit_symbols_add_timed(symbols->survey, pid, &dso_symbols->own);
	else
		load_user_symbols(symbols, dso, end, dso_symbols);
	if (!dso_symbols->table && dso_symbols->own.symbols.n) {
		symtab_finish(&dso_symbols->own);
		dso_symbols->table = &dso_symbols->own;
		dso_symbols->view.source = SYMBOLS_JIT;
	}
	return &dso_symbols->view;
}

/*
 * Returns the symbols of DSO that are not in the recording: of the kernel, or
 * of the DSO's file if it is proven to be the recorded one. The recording has
 * only the symbols of functions that samples hit; callers that unwinding finds
 * need the others.
 */
static const struct symtab *find_full_table(
	struct symbols *symbols, uint32_t dso, uint64_t address)
{
	struct dso_symbols *dso_symbols = &symbols->dsos[dso];
	enum buildid_trust trust = BUILDID_DOUBTFUL;
	struct elf_file *file = NULL;
	bool is_full, is_image;

	if (dso_symbols->view.is_kernel)
		return kernel_symbols_find(
			&symbols->kernel, &dso_symbols->name, &is_image);
	if (dso_symbols->table == &dso_symbols->own)
		return NULL;
	if (dso_symbols->tried_file)
		return &dso_symbols->own;
	dso_symbols->tried_file = true;
	if (!dso_symbols->own.symbols.n)
		file = files_open(symbols->files, dso, address, &trust);
	if (file && trust == BUILDID_PROVEN) {
		is_full = load_all_symbols(symbols, dso, file);
		load_other_symbols(dso_symbols, file, &is_full);
	}
	elf_file_close(file);
	symtab_finish(&dso_symbols->own);
	return &dso_symbols->own;
}

/*
 * Returns the symbol of DSO that covers ADDRESS, or NULL. *TABLE_RET is the table that
 * contains the symbol. USES_FULL_TABLE: also look for symbols that the recording lacks.
 */
static const struct symbol *find_symbol_of(struct symbols *symbols,
	uint32_t dso, uint64_t address, bool uses_full_table,
	const struct symtab **table_ret)
{
	const struct symtab *table = symbols->dsos[dso].table;
	const struct symbol *symbol =
		table ? symtab_find(table, address) : NULL;

	if (!symbol && table && uses_full_table) {
		table = find_full_table(symbols, dso, address);
		symbol = table ? symtab_find(table, address) : NULL;
	}
	*table_ret = table;
	return symbol;
}

const struct symbol *symbols_find(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret)
{
	const struct symtab *table;
	const struct symbol *symbol = find_symbol_of(symbols, dso, address,
		symbols->dsos[dso].view.is_kernel || symbols->has_stacks,
		&table);

	if (symbol)
		*name_ret = symtab_name(table, symbol);
	return symbol;
}

const char *symbols_other_name(
	struct symbols *symbols, uint32_t dso, uint64_t address, size_t i)
{
	const struct symtab *table;
	const struct symbol *symbol =
		find_symbol_of(symbols, dso, address, true, &table);

	return symbol ? symtab_other_name(table, symbol, i) : NULL;
}

const struct symbol *symbols_find_any(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret)
{
	const struct symtab *table;
	const struct symbol *symbol =
		find_symbol_of(symbols, dso, address, true, &table);

	if (symbol)
		*name_ret = symtab_name(table, symbol);
	return symbol;
}

const struct symbol *symbols_guess(struct symbols *symbols, uint32_t number,
	uint64_t address, const char **name_ret)
{
	struct dso_symbols *dso = &symbols->dsos[number];
	const struct symtab *table = dso->recorded_guesses;
	const struct symbol *symbol;

	if (!dso->is_file)
		return NULL;
	symbol = table ? symtab_find(table, address) : NULL;
	if (!symbol) {
		if (!dso->tried_guesses) {
			/*
			 * Set GUESSES to the guessed functions of the file of
			 * DSO NUMBER, which must reach ADDRESS. The file may be
			 * another one than the recorded one only if the symbols
			 * of the DSO may be of another one, too.
			 */
			enum buildid_trust trust = BUILDID_PROVEN;
			struct elf_file *file = files_open(
				symbols->files, number, address, &trust);

			if (file && trust == BUILDID_DOUBTFUL && !dso->table)
				dso->view.is_doubtful = true;
			if (file &&
				(trust == BUILDID_PROVEN ||
					dso->view.is_doubtful))
				guessed_functions_read(
					file, dso->view.path, &dso->guesses);
			elf_file_close(file);
		}
		dso->tried_guesses = true;
		table = &dso->guesses;
		symbol = symtab_find(table, address);
	}
	if (symbol)
		*name_ret = symtab_name(table, symbol);
	return symbol;
}

bool symbols_has_recorded(
	const struct symbols *symbols, uint32_t dso, uint64_t address)
{
	const struct symtab *table = symbols->dsos[dso].table;
	const struct symtab *guesses = symbols->dsos[dso].recorded_guesses;

	return (table && symtab_find(table, address)) ||
		(guesses && symtab_find(guesses, address));
}
