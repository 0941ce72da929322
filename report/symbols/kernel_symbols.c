/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/kernel_symbols.h"

#include <fcntl.h>
#include <inttypes.h>

#include "common/elf/elf.h"
#include "common/util/alloc.h"
#include "common/util/log.h"

/* --- vmlinux ----------------------------------------------------------- */

/* KASLR moves all addresses of a boot by the same distance. */
bool kernel_image_distance(struct elf_file *file,
	const struct kernel_identity *identity, uint64_t *moved_ret)
{
	struct elf_symbol text;

	*moved_ret = 0;
	if (!identity->text)
		return true;
	if (!elf_file_find(file, "_text", &text))
		return false;
	*moved_ret = identity->text - text.address;
	return true;
}

/*
 * Opens PATH, the file of --vmlinux. Returns NULL, after a message, if it is
 * not an ELF file or not the recorded kernel. The caller closes the file.
 */
static struct elf_file *open_named_image(
	const char *path, const struct kernel_identity *identity)
{
	struct elf_file *file = buildid_cache_open_elf(path);
	struct build_id id;

	if (!file)
		log_note(
			"--vmlinux: ignored %s: not a readable ELF file", path);
	else if (!identity->id.size ||
		(elf_file_build_id(file, &id) &&
			build_id_equal(&id, &identity->id)))
		return file;
	else
		log_note("--vmlinux: ignored %s: its build ID is not that of "
			 "the "
			 "recorded kernel",
			path);
	elf_file_close(file);
	return NULL;
}

/*
 * Opens a vmlinux with the build ID of the recorded kernel. Returns NULL if
 * none is found. The caller closes the file and frees *PATH_RET.
 */
static struct elf_file *open_found_image(struct buildid_cache *cache,
	const struct kernel_identity *identity, char **path_ret)
{
	struct buildid_file found = { 0 };

	buildid_cache_find_kernel(
		cache, &identity->id, identity->release, &found);
	*path_ret = found.path;
	return found.elf;
}

static const char *find_named_path(const struct buildid_cache *cache)
{
	const struct search_paths *places =
		cache ? buildid_cache_paths(cache) : NULL;

	return places ? places->vmlinux : NULL;
}

struct elf_file *kernel_image_open(
	struct files *files, const struct kernel_identity *identity)
{
	struct buildid_cache *cache = files_cache(files);
	const char *path = find_named_path(cache);
	struct elf_file *file = path ? open_named_image(path, identity) : NULL;
	_cleanup_free_ char *found = NULL;

	return file || !cache ? file
			      : open_found_image(cache, identity, &found);
}

/*
 * Adds the symbols of FILE, a vmlinux or NULL, to TABLE, and closes FILE.
 * Returns false if there are none.
 */
static bool add_image_symbols(struct elf_file *file,
	const struct kernel_identity *identity, struct symtab *table)
{
	uint64_t moved;
	bool has_any;

	if (!file)
		return false;
	kernel_image_distance(file, identity, &moved);
	has_any = elf_file_addresses(file, moved, table);
	symtab_finish(table);
	elf_file_close(file);
	return has_any;
}

/* --- symbols ----------------------------------------------------------- */

/* Number of recorded functions that are compared with a symbol table. */
#define COMPARED_MAX 256u
#define NOTES_SIZE_MAX KIB(16)
#define OWN_KALLSYMS "/proc/kallsyms"

uint64_t kernel_symbols_text(const struct maps *maps)
{
	uint64_t address;

	/* Kernel text is in the top 2 GiB, and is larger than 2 MiB. */
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
 * Whether at least half of the recorded kernel symbols are in TABLE. Some may
 * differ, because a function with two names may be recorded with either name.
 */
static bool has_recorded_symbols(
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

static bool has_recorded_text(
	const struct kernel_symbols *kernel, const struct kallsyms *kallsyms)
{
	uint64_t text = kernel_symbols_text(kernel->maps);

	return !text || text == kallsyms->text_start;
}

/*
 * Whether the recorded kernel has the release and build ID of the running
 * kernel.
 */
static bool is_running_kernel(const struct kernel_symbols *kernel)
{
	struct build_id here, there = kernel_symbols_id(kernel->reader);
	uint8_t notes[NOTES_SIZE_MAX];

	if (there.size) {
		_cleanup_close_ int fd =
			open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

		if (n <= 0 || !elf_notes_build_id(notes, (size_t)n, &here) ||
			!build_id_equal(&here, &there))
			return false;
	}
	return files_match_kernel_release(kernel->files);
}

/*
 * Keeps .kallsyms, which was read from PATH, if its addresses fit the recorded
 * boot; returns whether they do.
 */
static bool keep_kallsyms(struct kernel_symbols *kernel, const char *path)
{
	if (has_recorded_text(kernel, &kernel->kallsyms) &&
		has_recorded_symbols(kernel, &kernel->kallsyms.kernel)) {
		kernel->kallsyms_path = xstrdup(path);
		return true;
	}
	kallsyms_deinit(&kernel->kallsyms);
	return false;
}

/*
 * Reads PATH, the file of --kallsyms. Returns false, after a message, if PATH
 * is not of the recorded kernel and boot.
 */
static bool read_named_kallsyms(struct kernel_symbols *kernel, const char *path)
{
	if (!kallsyms_read(path, &kernel->kallsyms)) {
		log_note("--kallsyms: ignored %s: no kernel addresses in it",
			path);
		return false;
	}
	bool is_same_text = has_recorded_text(kernel, &kernel->kallsyms);
	uint64_t start = kernel->kallsyms.text_start;

	if (keep_kallsyms(kernel, path))
		return true;
	if (is_same_text)
		log_note("--kallsyms: ignored %s: another kernel than the "
			 "recorded one (function addresses differ)",
			path);
	else
		log_note("--kallsyms: ignored %s: another kernel or another "
			 "boot than the recorded one (_text is at 0x%" PRIx64
			 " instead of 0x%" PRIx64 ")",
			path, start, kernel_symbols_text(kernel->maps));
	return false;
}

/* Reads perf's copy of the recorded kernel's kallsyms. */
static bool read_cached_kallsyms(
	struct kernel_symbols *kernel, struct buildid_cache *cache)
{
	struct build_id id = kernel_symbols_id(kernel->reader);
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd =
		buildid_cache_open_sibling(cache, &id, "kallsyms", &path);

	return fd >= 0 && kallsyms_read_fd(fd, &kernel->kallsyms) &&
		keep_kallsyms(kernel, path);
}

static bool load_kallsyms(struct kernel_symbols *kernel)
{
	struct buildid_cache *cache = files_cache(kernel->files);
	const char *named = cache ? buildid_cache_paths(cache)->kallsyms : NULL;

	if (kernel->is_tried)
		return kernel->is_same;
	kernel->is_tried = true;
	/*
	 * The kernel is checked before /proc/kallsyms is read, which has some
	 * 200,000 lines.
	 */
	kernel->is_same = (named && read_named_kallsyms(kernel, named)) ||
		(cache && read_cached_kallsyms(kernel, cache)) ||
		(is_running_kernel(kernel) &&
			kallsyms_read(OWN_KALLSYMS, &kernel->kallsyms) &&
			keep_kallsyms(kernel, OWN_KALLSYMS));
	return kernel->is_same;
}

struct kernel_identity kernel_symbols_identity(
	const struct reader *reader, const struct maps *maps)
{
	return (struct kernel_identity){
		.id = kernel_symbols_id(reader),
		.release = reader_features(reader)->osrelease,
		.text = kernel_symbols_text(maps),
	};
}

static bool load_kernel_image(struct kernel_symbols *kernel)
{
	const struct kernel_identity identity =
		kernel_symbols_identity(kernel->reader, kernel->maps);

	if (!kernel->is_image_tried) {
		struct buildid_cache *cache = files_cache(kernel->files);
		const char *path = find_named_path(cache);
		_cleanup_free_ char *found = NULL;

		kernel->image_path = NULL;
		if (path &&
			add_image_symbols(open_named_image(path, &identity),
				&identity, &kernel->image))
			kernel->image_path = xstrdup(path);
		else if (cache &&
			add_image_symbols(
				open_found_image(cache, &identity, &found),
				&identity, &kernel->image))
			kernel->image_path = take_pointer(found);
		kernel->has_image = kernel->image_path;
	}
	kernel->is_image_tried = true;
	if (kernel->has_image &&
		!has_recorded_symbols(kernel, &kernel->image)) {
		kernel->has_image = false;
		log_note("ignored %s: another kernel than the recorded one "
			 "(function addresses differ)",
			kernel->image_path);
	}
	return kernel->has_image;
}

void kernel_symbols_check_named(struct kernel_symbols *kernel)
{
	struct buildid_cache *cache = files_cache(kernel->files);
	const struct search_paths *places =
		cache ? buildid_cache_paths(cache) : NULL;

	if (places && places->vmlinux)
		load_kernel_image(kernel);
	if (places && places->kallsyms)
		load_kallsyms(kernel);
}

const struct symtab *kernel_symbols_find(struct kernel_symbols *kernel,
	const struct dso_name *name, bool *is_image_ret)
{
	*is_image_ret =
		dso_name_is_kernel(name->path) && load_kernel_image(kernel);
	if (*is_image_ret)
		return &kernel->image;
	if (!load_kallsyms(kernel))
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

void kernel_symbols_report_missing(struct kernel_symbols *kernel)
{
	const char *release = reader_features(kernel->reader)->osrelease;

	if (kernel->is_missing_reported || kernel->is_same)
		return;
	kernel->is_missing_reported = true;
	log_note(
		"%s: no symbols of the recorded kernel (%s): this machine runs "
		"another kernel or hides kernel addresses; use --vmlinux or "
		"--kallsyms",
		reader_path(kernel->reader),
		release ? release : "unknown release");
}

void kernel_symbols_deinit(struct kernel_symbols *kernel)
{
	kallsyms_deinit(&kernel->kallsyms);
	symtab_deinit(&kernel->image);
	free(kernel->image_path);
	free(kernel->kallsyms_path);
}
