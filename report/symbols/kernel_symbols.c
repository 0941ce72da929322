/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/kernel_symbols.h"

#include <fcntl.h>
#include <inttypes.h>

#include "common/elf/elf.h"
#include "common/util/alloc.h"
#include "common/util/log.h"

/* So many of the recorded functions tell one kernel from another. */
#define COMPARED_MAX 256u
#define NOTES_SIZE_MAX KIB(16)
#define KALLSYMS_HERE "/proc/kallsyms"

static bool read_kernel_notes(struct build_id *ret)
{
	uint8_t notes[NOTES_SIZE_MAX];
	_cleanup_close_ int fd =
		open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return n > 0 && elf_notes_build_id(notes, (size_t)n, ret);
}

uint64_t kernel_symbols_text(const struct maps *maps)
{
	uint64_t address;

	/* Kernel text is high up: one of these is in it, if it was mapped. */
	for (address = UINT64_C(0xffffffff80000000); address;
		address += UINT64_C(0x200000)) {
		const struct mapping *mapping =
			maps_find(maps, MAPS_KERNEL, address);

		if (mapping &&
			dso_name_is_kernel(maps_dso(maps, mapping->dso)->path))
			return mapping->start;
	}
	return 0;
}

struct build_id kernel_symbols_id(const struct reader *reader)
{
	const struct features *features = reader_features(reader);
	struct build_id none = { 0 };

	array_each(&features->build_ids, entry)
		if (dso_name_is_kernel(entry->path))
			return entry->id;
	return none;
}

/*
 * Whether what the recording has of the kernel is in TABLE, too. Not all of it
 * need be: of two names of one function another may have been chosen.
 */
static bool has_recorded(
	const struct kernel_symbols *kernel, const struct symtab *table)
{
	const struct symtab *recorded = kernel->recorded;
	size_t n = recorded ? MIN(recorded->symbols.n, COMPARED_MAX) : 0;
	size_t same = 0, i;

	for (i = 0; i < n; i++) {
		const struct symbol *known = &recorded->symbols.at[i];
		const struct symbol *found = symtab_find(table, known->start);

		same += found && found->start == known->start &&
			string_is(symtab_name(table, found),
				symtab_name(recorded, known));
	}
	return same * 2 >= n;
}

static bool has_same_text(
	const struct kernel_symbols *kernel, const struct kallsyms *kallsyms)
{
	uint64_t text = kernel_symbols_text(kernel->maps);

	return !text || text == kallsyms->text_start;
}

/* Whether KALLSYMS are of the recorded boot, as far as can be known. */
static bool is_of_this_boot(
	const struct kernel_symbols *kernel, const struct kallsyms *kallsyms)
{
	return has_same_text(kernel, kallsyms) &&
		has_recorded(kernel, &kallsyms->kernel);
}

/* Whether the recorded kernel has this kernel's release and build ID. */
static bool is_this_kernel(const struct kernel_symbols *kernel)
{
	struct build_id here, there = kernel_symbols_id(kernel->reader);

	if (there.size && (!read_kernel_notes(&here) ||
				 !build_id_equal(&here, &there)))
		return false;
	return files_are_of_this_release(kernel->files);
}

/* What the user names is refused with a word. */
static bool read_named(struct kernel_symbols *kernel, const char *path)
{
	if (!kallsyms_read(path, &kernel->kallsyms)) {
		log_note("--kallsyms: %s shows no addresses of a kernel", path);
		return false;
	}
	if (is_of_this_boot(kernel, &kernel->kallsyms)) {
		kernel->kallsyms_path = xstrdup(path);
		return true;
	}
	if (has_same_text(kernel, &kernel->kallsyms))
		log_note("--kallsyms: %s is of another kernel than the "
			 "recorded one (its functions are elsewhere), and "
			 "isn't used",
			path);
	else
		log_note("--kallsyms: %s is of another kernel than the recorded "
			 "one, or of another boot (its _text is at 0x%" PRIx64
			 ", the recorded one at 0x%" PRIx64
			 "), and isn't used",
			path, kernel->kallsyms.text_start,
			kernel_symbols_text(kernel->maps));
	kallsyms_deinit(&kernel->kallsyms);
	return false;
}

/* A copy that perf has made of the recorded kernel's. */
static bool read_kept(struct kernel_symbols *kernel, struct store *store)
{
	struct build_id id = kernel_symbols_id(kernel->reader);
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd =
		store_open_beside(store, &id, "kallsyms", &path);

	if (fd < 0 || !kallsyms_read_fd(fd, &kernel->kallsyms))
		return false;
	if (is_of_this_boot(kernel, &kernel->kallsyms)) {
		kernel->kallsyms_path = take_pointer(path);
		return true;
	}
	kallsyms_deinit(&kernel->kallsyms);
	return false;
}

static bool read_here(struct kernel_symbols *kernel)
{
	/* Some 200,000 lines: only read for a recording of this kernel. */
	if (!is_this_kernel(kernel) ||
		!kallsyms_read(KALLSYMS_HERE, &kernel->kallsyms))
		return false;
	if (is_of_this_boot(kernel, &kernel->kallsyms)) {
		kernel->kallsyms_path = xstrdup(KALLSYMS_HERE);
		return true;
	}
	kallsyms_deinit(&kernel->kallsyms);
	return false;
}

static bool has_kallsyms(struct kernel_symbols *kernel)
{
	struct store *store = files_store(kernel->files);
	const char *named = store ? store_places(store)->kallsyms : NULL;

	if (kernel->is_tried)
		return kernel->is_same;
	kernel->is_tried = true;
	kernel->is_same = (named && read_named(kernel, named)) ||
		(store && read_kept(kernel, store)) || read_here(kernel);
	return kernel->is_same;
}

struct kernel_wish kernel_symbols_wish(
	const struct reader *reader, const struct maps *maps)
{
	return (struct kernel_wish){
		.id = kernel_symbols_id(reader),
		.release = reader_features(reader)->osrelease,
		.text = kernel_symbols_text(maps),
	};
}

static bool has_image(struct kernel_symbols *kernel)
{
	const struct kernel_wish wish =
		kernel_symbols_wish(kernel->reader, kernel->maps);

	if (!kernel->is_image_tried)
		kernel->has_image = kernel_image_read(kernel->files, &wish,
			&kernel->image, &kernel->image_path);
	kernel->is_image_tried = true;
	if (kernel->has_image && !has_recorded(kernel, &kernel->image)) {
		kernel->has_image = false;
		log_note("%s is another kernel than the recorded one (its "
			 "functions are elsewhere), and isn't used",
			kernel->image_path);
	}
	return kernel->has_image;
}

void kernel_symbols_check_named(struct kernel_symbols *kernel)
{
	struct store *store = files_store(kernel->files);
	const struct places *places = store ? store_places(store) : NULL;

	if (places && places->vmlinux)
		has_image(kernel);
	if (places && places->kallsyms)
		has_kallsyms(kernel);
}

const struct symtab *kernel_symbols_find(struct kernel_symbols *kernel,
	const struct dso_name *name, bool *is_image_ret)
{
	*is_image_ret = dso_name_is_kernel(name->path) && has_image(kernel);
	if (*is_image_ret)
		return &kernel->image;
	if (!has_kallsyms(kernel))
		return NULL;
	if (dso_name_is_kernel(name->path))
		return &kernel->kallsyms.kernel;
	array_each(&kernel->kallsyms.modules, module)
		if (string_is(module->name, name->shown))
			return &module->symbols;
	return NULL;
}

const char *kernel_symbols_path(
	const struct kernel_symbols *kernel, bool is_image)
{
	return is_image ? kernel->image_path : kernel->kallsyms_path;
}

void kernel_symbols_tell_missing(struct kernel_symbols *kernel)
{
	const char *release = reader_features(kernel->reader)->osrelease;

	if (kernel->has_told || kernel->is_same)
		return;
	kernel->has_told = true;
	log_note("%s: the kernel that it was made on (%s) has no names here: it "
		 "isn't the one that runs, or that doesn't show them; "
		 "--vmlinux or --kallsyms tell them",
		reader_path(kernel->reader), release ? release : "not known");
}

void kernel_symbols_deinit(struct kernel_symbols *kernel)
{
	kallsyms_deinit(&kernel->kallsyms);
	symtab_deinit(&kernel->image);
	free(kernel->image_path);
	free(kernel->kallsyms_path);
}
