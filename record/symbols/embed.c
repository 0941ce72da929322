/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "common/elf/elf.h"
#include "common/file/section.h"
#include "common/file/symbols_section.h"
#include "common/util/log.h"
#include "record/symbols/file_symbols.h"
#include "record/symbols/jitnames.h"
#include "record/sys/sysfile.h"

/* Some 120,000 files; beyond, readers have reason to doubt. */
#define BUILD_IDS_SIZE_MAX MIB(16)
#define KERNEL_MAPPED "[kernel.kallsyms]_text"
#define KERNEL_NAME "[kernel.kallsyms]"
#define KERNEL_NOTES "/sys/kernel/notes"
#define MODULE_NOTES "/sys/module/%.*s/notes/.note.gnu.build-id"

/* "[ext4]": not the kernel itself, not what every process has of it. */
static bool is_module(const struct dso *dso)
{
	return dso->pid == MAPS_KERNEL_PID && dso->path[0] == '[' &&
		!string_is(dso->path, KERNEL_MAPPED);
}

static bool is_kernel(const struct dso *dso)
{
	return dso->pid == MAPS_KERNEL_PID &&
		string_is(dso->path, KERNEL_MAPPED);
}

static const char *shown_path(const struct dso *dso)
{
	return is_kernel(dso) ? KERNEL_NAME : dso->path;
}

static struct build_id notes_build_id(const char *path)
{
	_cleanup_strbuf_ struct strbuf notes = { 0 };
	struct build_id id = { 0 };

	if (sysfile_slurp(AT_FDCWD, path, &notes) && notes.n)
		elf_notes_build_id((const uint8_t *)notes.at, notes.n, &id);
	return id;
}

static struct build_id build_id_of(const struct dso *dso)
{
	_cleanup_free_ char *path = NULL;

	if (is_kernel(dso))
		return notes_build_id(KERNEL_NOTES);
	if (!is_module(dso))
		return dso->build_id;
	path = xasprintf(
		MODULE_NOTES, (int)strlen(dso->path) - 2, dso->path + 1);
	return notes_build_id(path);
}

/* A DSO that was hit, and how often. */
struct hot {
	uint32_t dso;
	uint64_t samples;
};

static int compare_hot(const void *a, const void *b)
{
	const struct hot *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->dso, right->dso);
}

void embed_build_ids(struct hits *hits, struct features *closing)
{
	const struct maps *maps = hits_maps(hits);
	ARRAY(struct hot) hottest = { 0 };
	size_t n, i, size = 0;
	const struct hit *all = hits_sorted(hits, &n);

	for (i = 0; i < n; i++)
		if (!i || all[i].dso != all[i - 1].dso)
			*array_push(&hottest) = (struct hot){ all[i].dso,
				hits_samples(hits, all[i].dso) };
	array_sort(&hottest, compare_hot);
	array_each(&hottest, hot) {
		const struct dso *dso = maps_dso(maps, hot->dso);
		struct build_id id = build_id_of(dso);
		bool is_host_wide = dso->pid == MAPS_KERNEL_PID;

		/* As write_build_ids() lays an entry out. */
		size += 36 + ALIGN_UP(strlen(shown_path(dso)) + 1, 64);
		if (size > BUILD_IDS_SIZE_MAX)
			break;
		if (id.size)
			*array_push(&closing->build_ids) =
				(struct feature_build_id){
					.pid = UINT32_MAX,
					.cpumode = is_host_wide ? MISC_KERNEL
								: MISC_USER,
					.id = id,
					.path = xstrdup(shown_path(dso)),
				};
	}
	array_free(&hottest);
}

/*
 * The symbols of TABLE that cover one of N places, or the byte before one: a
 * caller's address is where it goes on, which may be the next function's.
 */
static void take_hit_symbols(const struct symtab *table, const struct hit *hits,
	size_t n, struct symtab *ret)
{
	const struct symbol *last = NULL;
	size_t i;
	int back;

	for (i = 0; i < n; i++) {
		for (back = 1; back >= 0; back--) {
			const struct symbol *symbol = symtab_find(
				table, hits[i].place - (uint64_t)back);

			if (!symbol || (last && symbol <= last))
				continue;
			symtab_add(ret, symbol->start, symbol->end,
				symbol->binding, symtab_name(table, symbol));
			last = symbol;
		}
	}
	symtab_finish(ret);
}

static const struct symtab *kernel_table(
	const struct dso *dso, const struct kallsyms *kallsyms)
{
	if (is_kernel(dso))
		return &kallsyms->kernel;
	array_each(&kallsyms->modules, module)
		if (string_is(module->name, dso->path))
			return &module->symbols;
	return NULL;
}

/* The symbols of a program or library; false if there are none. */
static bool read_names(const struct embed *embed, const struct dso *dso,
	struct symtab *table, uint8_t *flags)
{
	const struct names_wish wish = {
		.dso = dso,
		.pinned = pins_find(embed->pins, dso),
		.started = embed->started,
	};
	bool is_dynsym_only;

	if (!names_read(embed->patience, &wish, table, &is_dynsym_only))
		return false;
	*flags |= is_dynsym_only ? BUNDLE_DYNSYM_ONLY : 0;
	return true;
}

/* HITS are N places in one DSO; DATA is the bundle. */
static void embed_dso(const struct embed *embed, void *data,
	const struct hit *hits, size_t n)
{
	const struct dso *dso = maps_dso(hits_maps(embed->hits), hits->dso);
	struct bundle *bundle = data;
	struct bundle_dso new = { 0 };
	struct symtab own = { 0 };
	const struct symtab *table = &own;
	struct build_id id;

	if (dso->pid == MAPS_KERNEL_PID)
		table = kernel_table(dso, embed->kallsyms);
	else if (!read_names(embed, dso, &own, &new.flags))
		table = NULL;
	if (table)
		take_hit_symbols(table, hits, n, &new.symbols);
	symtab_deinit(&own);
	if (!new.symbols.symbols.n) {
		symtab_deinit(&new.symbols);
		return;
	}
	new.path = xstrdup(shown_path(dso));
	id = build_id_of(dso);
	bundle_identify(dso, &id, &new);
	*array_push(&bundle->dsos) = new;
}

/* Calls EACH with the hits of one DSO after the other. */
static void each_dso(const struct embed *embed, void *data,
	void (*each)(const struct embed *embed, void *data,
		const struct hit *hits, size_t n))
{
	size_t n, i, first = 0;
	const struct hit *all = hits_sorted(embed->hits, &n);

	for (i = 1; i <= n; i++) {
		if (i < n && all[i].dso == all[first].dso)
			continue;
		each(embed, data, all + first, i - first);
		first = i;
	}
}

void embed_symbols(const struct embed *embed, struct strbuf *out)
{
	struct bundle bundle = { 0 };

	each_dso(embed, &bundle, embed_dso);
	bundle_write(&bundle, out);
	bundle_deinit(&bundle);
}

/* Who still runs may be writing just now: that isn't cut. */
static void tell_flaws(uint32_t pid, unsigned flaws)
{
	if (flaws & JITNAMES_ENDLESS)
		log_note("the perf map of process %u has an endless line, which "
			 "is ignored",
			pid);
	if (flaws & JITNAMES_CUT && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
		log_note("the jitdump of process %u is cut in the middle: the "
			 "last of what it says about code is ignored",
			pid);
}

static void embed_jit_dso(const struct embed *embed, void *data,
	const struct hit *hits, size_t n)
{
	const struct dso *dso = maps_dso(hits_maps(embed->hits), hits->dso);
	struct jit *jit = data;
	struct jit_process *process;
	const struct jitnames_wish wish = {
		.files = jits_find(embed->jits, dso->pid),
		.hits = hits,
		.n_hits = n,
		.clock = embed->clock,
	};
	unsigned flaws;
	bool is_first;

	if (dso->pid == MAPS_KERNEL_PID || !maps_is_anonymous(dso->path))
		return;
	process = jit_find(jit, dso->pid);
	is_first = !process;
	if (is_first) {
		process = array_push(&jit->processes);
		process->pid = dso->pid;
	}
	flaws = jitnames_read(embed->patience, &wish, process);
	if (is_first)
		tell_flaws(dso->pid, flaws);
}

void embed_jit(const struct embed *embed, struct strbuf *out)
{
	struct jit jit = { 0 };

	each_dso(embed, &jit, embed_jit_dso);
	jit_write(&jit, out);
	jit_deinit(&jit);
}
