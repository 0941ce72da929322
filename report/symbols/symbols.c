/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/symbols.h"

#include "common/file/simpleperf.h"
#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "report/symbols/dso_name.h"
#include "report/symbols/jit_symbols.h"
#include "report/symbols/kernel_symbols.h"
#include "report/util/local_files.h"

struct loaded {
	struct dso_view view;
	struct dso_name name;
	bool is_loaded;
	bool tried_file;       /* for what the recording's own table lacks */
	struct symtab own;     /* of a file, else empty */
	const struct symtab *table; /* the one that won; NULL: none found */
};

struct symbols {
	struct reader *reader;
	const struct survey *survey;
	struct loaded *dsos; /* by number of survey->maps */
	struct files *files; /* borrowed */
	struct bundle bundle; /* what was packed comes first */
	size_t n_packed;
	struct kernel_symbols kernel;
	bool has_told;   /* that a file has changed */
	bool has_stacks; /* to be unwound: callers weren't known before */
};

static void add_section(struct symbols *symbols, const char *name)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };
	struct bundle bundle;

	if (!reader_section(symbols->reader, name, BUNDLE_VERSION, &section) ||
		!bundle_read(
			bytes_of(section.at, section.n, false), &bundle))
		return;
	array_each(&bundle.dsos, dso)
		*array_push(&symbols->bundle.dsos) = *dso;
	array_free(&bundle.dsos);
}

static const struct symtab *find_recorded_kernel(const struct symbols *symbols)
{
	array_each(&symbols->bundle.dsos, dso)
		if (string_is(dso->path, "[kernel.kallsyms]"))
			return &dso->symbols;
	return NULL;
}

struct symbols *symbols_create(struct reader *reader,
	const struct survey *survey, struct files *files)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));
	const struct feature_bytes *files2 =
		&reader_features(reader)->simpleperf_files;

	symbols->reader = reader;
	symbols->survey = survey;
	symbols->dsos = xcalloc(
		maps_n_dsos(survey->maps), sizeof(*symbols->dsos));
	symbols->files = files;
	symbols->kernel = (struct kernel_symbols){ .reader = reader,
		.maps = survey->maps,
		.files = symbols->files };
	symbols->has_stacks = reader_has_stack_copies(reader);
	add_section(symbols, SECTION_PACKED);
	symbols->n_packed = symbols->bundle.dsos.n;
	add_section(symbols, SECTION_SYMBOLS);
	simpleperf_read_files(
		bytes_of(files2->at, files2->n, files2->swap), &symbols->bundle);
	bundle_index(&symbols->bundle);
	symbols->kernel.recorded = find_recorded_kernel(symbols);
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
	}
	free(symbols->dsos);
	bundle_deinit(&symbols->bundle);
	kernel_symbols_deinit(&symbols->kernel);
	free(symbols);
}

static void use_bundled(const struct symbols *symbols,
	const struct bundle_dso *bundled, struct loaded *loaded)
{
	loaded->table = &bundled->symbols;
	loaded->view.source = SYMBOLS_RECORDED;
	loaded->view.is_packed =
		bundled < symbols->bundle.dsos.at + symbols->n_packed;
	loaded->view.is_partial = bundled->flags & BUNDLE_DYNSYM_ONLY;
}

/* A BPF program or trampoline: the mapping's name is the symbol's. */
static void add_own_symbol(
	struct symbols *symbols, uint32_t number, struct loaded *loaded)
{
	const struct dso *dso = maps_dso(symbols->survey->maps, number);

	if (dso->path[0] == '[' || dso->path[0] == '/')
		return;
	symtab_add(&loaded->own, 0, UINT64_MAX, 1, dso->path);
	symtab_finish(&loaded->own);
	loaded->table = &loaded->own;
	loaded->view.source = SYMBOLS_MADE;
}

/* Of the debug file; FILE, which it is of, may be NULL. */
static bool load_debug(
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

/* Whether FILE, or what was taken out of it for debuggers, has them all. */
static bool load_all(
	struct symbols *symbols, uint32_t number, struct elf_file *file)
{
	struct loaded *loaded = &symbols->dsos[number];

	loaded->view.source = SYMBOLS_FILE;
	return elf_file_symbols(file, file, ELF_SYMTAB, &loaded->own) ||
		load_debug(symbols, number, file);
}

/* After load_all(), which knows whether it IS_FULL; it may be so by these. */
static void load_others(
	struct loaded *loaded, struct elf_file *file, bool *is_full)
{
	if (!*is_full)
		*is_full = elf_file_own_symbols(file, &loaded->own);
	if (!*is_full)
		loaded->view.source = SYMBOLS_DYNSYM;
	elf_file_plt(file, &loaded->own);
}

/* Once: the first of many is enough of a hint. */
static void tell_if_changed(struct symbols *symbols, uint32_t number)
{
	if (symbols->has_told ||
		!files_places(symbols->files, number).has_changed)
		return;
	symbols->has_told = true;
	here_tell_changed(
		maps_dso(symbols->survey->maps, number)->path, "no names");
}

static void load_user(struct symbols *symbols, uint32_t number, uint64_t end,
	struct loaded *loaded)
{
	const struct dso *dso = maps_dso(symbols->survey->maps, number);
	struct build_id id = files_build_id(symbols->files, number);
	/* What was packed wins, which comes first. */
	const struct bundle_dso *bundled =
		bundle_find(&symbols->bundle, dso, &id);
	enum store_trust trust = STORE_SAME;
	struct elf_file *file = NULL;
	bool is_full = false;

	if (bundled && !(bundled->flags & BUNDLE_DYNSYM_ONLY)) {
		use_bundled(symbols, bundled, loaded);
		return;
	}
	if (!bundled || !maps_is_vdso(dso->path))
		file = files_open(symbols->files, number, end, &trust);
	/* A debug file is enough, and more is easily fetched than needed. */
	if (!file)
		is_full = load_debug(symbols, number, NULL);
	if (!file && !is_full && !bundled)
		file = files_fetch(symbols->files, number, end, &trust);
	if (file)
		is_full = load_all(symbols, number, file);
	/* What is left the recording has, too, but for later callers. */
	if (file && (is_full || !bundled || symbols->has_stacks ||
			    elf_file_debugdata(file)))
		load_others(loaded, file, &is_full);
	elf_file_close(file);
	symtab_finish(&loaded->own);
	if (loaded->own.symbols.n &&
		(is_full || !bundled)) {
		loaded->table = &loaded->own;
		loaded->view.is_doubtful = trust == STORE_DOUBTFUL;
	} else if (bundled) {
		use_bundled(symbols, bundled, loaded);
	} else {
		loaded->view.source = SYMBOLS_NONE;
		tell_if_changed(symbols, number);
	}
}

static void load_kernel(
	struct symbols *symbols, uint32_t number, struct loaded *loaded)
{
	const struct bundle_dso *bundled = NULL;
	bool is_image;

	/* What was packed comes first. */
	array_each(&symbols->bundle.dsos, dso)
		if (!bundled && string_is(dso->path, loaded->name.shown))
			bundled = dso;
	if (bundled) {
		use_bundled(symbols, bundled, loaded);
		kernel_symbols_check_named(&symbols->kernel);
		return;
	}
	loaded->table = kernel_symbols_find(
		&symbols->kernel, &loaded->name, &is_image);
	loaded->view.source = is_image ? SYMBOLS_VMLINUX : SYMBOLS_KALLSYMS;
	if (loaded->table) {
		loaded->view.found =
			kernel_symbols_path(&symbols->kernel, is_image);
		return;
	}
	loaded->view.source = SYMBOLS_NONE;
	add_own_symbol(symbols, number, loaded);
	if (!loaded->table)
		kernel_symbols_tell_missing(&symbols->kernel);
}

const struct dso_view *symbols_of_none(struct symbols *symbols, uint32_t dso)
{
	struct loaded *loaded = &symbols->dsos[dso];
	const struct dso *recorded = maps_dso(symbols->survey->maps, dso);

	if (loaded->view.name)
		return &loaded->view;
	dso_name_find(recorded, &loaded->name);
	loaded->view.name = loaded->name.shown;
	loaded->view.path = loaded->name.path;
	loaded->view.is_kernel = recorded->pid == MAPS_KERNEL_PID;
	return &loaded->view;
}

const struct dso_view *symbols_of(
	struct symbols *symbols, uint32_t dso, uint64_t end)
{
	struct loaded *loaded = &symbols->dsos[dso];
	const struct dso *recorded = maps_dso(symbols->survey->maps, dso);
	uint32_t pid;

	if (loaded->is_loaded)
		return &loaded->view;
	loaded->is_loaded = true;
	symbols_of_none(symbols, dso);
	if (recorded->is_data)
		return &loaded->view;
	if (loaded->view.is_kernel)
		load_kernel(symbols, dso, loaded);
	else if (maps_is_anonymous(recorded->path))
		made_names(symbols->survey, symbols->reader, recorded->pid,
			&loaded->own);
	else if (survey_is_timed(recorded->path, &pid))
		made_timed_names(symbols->survey, pid, &loaded->own);
	else
		load_user(symbols, dso, end, loaded);
	if (!loaded->table && loaded->own.symbols.n) {
		symtab_finish(&loaded->own);
		loaded->table = &loaded->own;
		loaded->view.source = SYMBOLS_MADE;
	}
	return &loaded->view;
}

/*
 * What a recording carries is what was hit while it was made. Callers that are
 * found afterwards are in the file, if it is the same one.
 */
static const struct symtab *find_whole_table(
	struct symbols *symbols, uint32_t dso, uint64_t address)
{
	struct loaded *loaded = &symbols->dsos[dso];
	enum store_trust trust = STORE_DOUBTFUL;
	struct elf_file *file = NULL;
	bool is_full, is_image;

	if (loaded->view.is_kernel)
		return kernel_symbols_find(
			&symbols->kernel, &loaded->name, &is_image);
	if (loaded->table == &loaded->own)
		return NULL;
	if (loaded->tried_file)
		return &loaded->own;
	loaded->tried_file = true;
	if (!loaded->own.symbols.n)
		file = files_open(symbols->files, dso, address, &trust);
	if (file && trust == STORE_SAME) {
		is_full = load_all(symbols, dso, file);
		load_others(loaded, file, &is_full);
	}
	elf_file_close(file);
	symtab_finish(&loaded->own);
	return &loaded->own;
}

static const struct symbol *find(struct symbols *symbols, uint32_t dso,
	uint64_t address, bool may_be_elsewhere, const char **name_ret)
{
	const struct symtab *table = symbols->dsos[dso].table;
	const struct symbol *symbol = table ? symtab_find(table, address) : NULL;

	if (!symbol && table && may_be_elsewhere) {
		table = find_whole_table(symbols, dso, address);
		symbol = table ? symtab_find(table, address) : NULL;
	}
	if (symbol)
		*name_ret = symtab_name(table, symbol);
	return symbol;
}

const struct symbol *symbols_find(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret)
{
	bool is_kernel = symbols->dsos[dso].view.is_kernel;

	return find(symbols, dso, address, is_kernel || symbols->has_stacks,
		name_ret);
}

const struct symbol *symbols_find_any(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret)
{
	return find(symbols, dso, address, true, name_ret);
}
