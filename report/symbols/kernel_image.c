/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/kernel_image.h"

#include "common/util/alloc.h"
#include "common/util/log.h"

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

static bool is_recorded_kernel(
	struct elf_file *file, const struct kernel_identity *identity)
{
	struct build_id id;

	return !identity->id.size ||
		(elf_file_build_id(file, &id) &&
			build_id_equal(&id, &identity->id));
}

/* Returns NULL if the file is not usable. The caller closes it. */
static struct elf_file *open_named_image(
	const char *path, const struct kernel_identity *identity)
{
	struct elf_file *file = buildid_cache_open_elf(path);

	if (!file)
		log_note(
			"--vmlinux: ignored %s: not a readable ELF file", path);
	else if (is_recorded_kernel(file, identity))
		return file;
	else
		log_note("--vmlinux: ignored %s: its build ID is not that of "
			 "the "
			 "recorded kernel",
			path);
	elf_file_close(file);
	return NULL;
}

/* The caller closes the file and frees *PATH_RET. */
static struct elf_file *open_found_image(struct buildid_cache *cache,
	const struct kernel_identity *identity, char **path_ret)
{
	struct found_file found = { 0 };

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

/* Adds the symbols of FILE, which is closed, to TABLE. */
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

bool kernel_image_read(struct files *files,
	const struct kernel_identity *identity, struct symtab *table,
	char **path_ret)
{
	struct buildid_cache *cache = files_cache(files);
	const char *path = find_named_path(cache);
	_cleanup_free_ char *found = NULL;

	*path_ret = NULL;
	if (path &&
		add_image_symbols(
			open_named_image(path, identity), identity, table))
		*path_ret = xstrdup(path);
	else if (cache &&
		add_image_symbols(open_found_image(cache, identity, &found),
			identity, table))
		*path_ret = take_pointer(found);
	return *path_ret;
}
