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
#include "common/unwind/guessed_functions.h"
#include "common/util/log.h"
#include "record/runtimes/runtimes.h"
#include "record/symbols/jitnames.h"
#include "record/symbols/pinned_files.h"
#include "record/symbols/sampled_code.h"
#include "record/synth/mapped_file.h"
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

/* A file, of which a separate thread reads the symbols, with a timeout. */
struct file_symbols_request {
	const struct dso *dso;
	struct pinned_file pinned; /* the held file of .dso, if any; borrowed */
	uint64_t started; /* start of the recording: CLOCK_REALTIME, ns */
	const struct hit *sampled; /* sampled addresses in .dso; borrowed */
	size_t n_sampled;
};

/* The names of the code of a file. */
struct file_names {
	struct symtab symbols;
	struct symtab guesses; /* of code without symbols */
	bool is_dynsym_only;   /* all symbols are of .dynsym */
};

struct symbols_job {
	struct timed_job job;
	struct dso dso;		   /* .dso.path is owned */
	struct pinned_file pinned; /* .pinned.fd is owned */
	uint64_t started;
	ARRAY(struct hit) sampled;
	struct file_names names;
};

/*
 * Returns true if the held file was not modified: while no process executes a
 * file, it can be written to.
 */
static bool is_pinned_unchanged(const struct symbols_job *job)
{
	const struct dso *dso = &job->dso;
	struct build_id id;

	if (dso->build_id.size)
		return elf_read_build_id(job->pinned.fd, &id) &&
			build_id_equal(&id, &dso->build_id);
	return mapped_modified_ns(job->pinned.fd) == job->pinned.modified_ns;
}

static int open_symbols_file(const struct dso *dso, uint64_t started)
{
	const struct mapped_file mapped = {
		.pid = dso->pid,
		.path = dso->path,
		.major = dso->major,
		.minor = dso->minor,
		.inode = dso->inode,
		.build_id = dso->build_id,
	};
	_cleanup_close_ int fd = mapped_open(&mapped);

	if (fd < 0)
		return -1;
	if (!dso->build_id.size && mapped_modified_ns(fd) >= started)
		return -1;
	return take_fd(fd);
}

/* The vdso is not a file; dwell's own vdso is that of all 64-bit programs. */
static struct elf_file *open_symbols_elf(struct symbols_job *job)
{
	struct elf_file *file;
	struct error *err;
	int fd;

	if (string_is(job->dso.path, MAPS_VDSO))
		return elf_file_open_vdso();
	if (job->pinned.fd >= 0 && is_pinned_unchanged(job))
		fd = take_fd(job->pinned.fd);
	else
		fd = open_symbols_file(&job->dso, job->started);
	if (fd < 0)
		return NULL;
	err = elf_file_open(fd, job->dso.path, &file);
	if (!err)
		return file;
	error_free(err);
	return NULL;
}

static bool has_code_without_symbol(const struct symbols_job *job)
{
	const struct symtab *table = &job->names.symbols;

	/*
	 * copy_sampled_symbols() also copies the symbol before an address. If all
	 * functions have symbols, there are only the gaps between them.
	 */
	array_each(&job->sampled, hit)
		if (!symtab_find(table, hit->place) ||
			(job->names.is_dynsym_only &&
				!symtab_find(table, hit->place - 1)))
			return true;
	return false;
}

static void read_symbols_job(struct timed_job *job)
{
	struct symbols_job *own = (struct symbols_job *)job;
	struct file_names *names = &own->names;
	struct elf_file *file = open_symbols_elf(own);

	if (!file)
		return;
	names->is_dynsym_only = !elf_file_own_symbols(file, &names->symbols);
	elf_file_plt(file, &names->symbols);
	symtab_finish(&names->symbols);
	if (has_code_without_symbol(own))
		guessed_functions_read(file, own->dso.path, &names->guesses);
	elf_file_close(file);
}

static void deinit_file_names(struct file_names *names)
{
	symtab_deinit(&names->symbols);
	symtab_deinit(&names->guesses);
}

static void free_symbols_job(struct timed_job *job)
{
	struct symbols_job *own = (struct symbols_job *)job;

	if (own->pinned.fd >= 0)
		close(own->pinned.fd);
	deinit_file_names(&own->names);
	array_free(&own->sampled);
	free(own->dso.path);
	free(own);
}

/*
 * Sets NAMES to the names in the file of REQUEST, sorted by symtab_finish().
 * Only the mapped file is used, identified by its build ID. If the kernel
 * reported no build ID, a held file must not have been modified since it was
 * opened, and any other file must have the same inode and be older than the
 * recording. NAMES stays empty if the file cannot be read.
 */
static void file_names_read(struct timed_worker *worker,
	const struct file_symbols_request *request, struct file_names *names)
{
	struct symbols_job *job = xcalloc(1, sizeof(*job));
	size_t i;

	job->job = (struct timed_job){ read_symbols_job, free_symbols_job };
	job->dso = *request->dso;
	job->dso.path = xstrdup(request->dso->path);
	job->pinned = request->pinned;
	if (request->pinned.fd >= 0)
		job->pinned.fd = fcntl(request->pinned.fd, F_DUPFD_CLOEXEC, 0);
	job->started = request->started;
	for (i = 0; i < request->n_sampled; i++)
		*array_push(&job->sampled) = request->sampled[i];
	if (!timed_worker_run(worker, &job->job))
		return;
	*names = job->names;
	job->names = (struct file_names){ 0 };
	free_symbols_job(&job->job);
}

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
		const struct file_symbols_request request = {
			.dso = dso,
			.pinned = pinned_files_find(embed->pins, dso),
			.started = embed->started,
			.sampled = sampled,
			.n_sampled = n,
		};
		struct file_names names = { 0 };
		file_names_read(embed->worker, &request, &names);
		if (names.is_dynsym_only)
			new.flags |= SYMBOLS_DSO_DYNSYM_ONLY;
		copy_sampled_symbols(
			&names.symbols, NULL, sampled, n, &new.symbols);
		copy_sampled_symbols(&names.guesses, &names.symbols, sampled, n,
			&new.guesses);
		deinit_file_names(&names);
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
