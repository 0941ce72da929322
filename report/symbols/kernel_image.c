/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/kernel_image.h"

#include "common/util/alloc.h"
#include "common/util/log.h"

/* From one boot to the next all of them move by as much. */
bool kernel_image_moved(struct elf_file *file, const struct kernel_wish *wish,
	uint64_t *moved_ret)
{
	struct elf_symbol text;

	*moved_ret = 0;
	if (!wish->text)
		return true;
	if (!elf_file_find(file, "_text", &text))
		return false;
	*moved_ret = wish->text - text.address;
	return true;
}

static bool is_recorded(
	struct elf_file *file, const struct kernel_wish *wish)
{
	struct build_id id;

	return !wish->id.size ||
		(elf_file_build_id(file, &id) &&
			build_id_equal(&id, &wish->id));
}

/* The caller closes it. */
static struct elf_file *open_named(
	const char *path, const struct kernel_wish *wish)
{
	struct elf_file *file = store_open_elf(path);

	if (!file)
		log_note("--vmlinux: %s is no ELF file that can be read", path);
	else if (is_recorded(file, wish))
		return file;
	else
		log_note("--vmlinux: %s is another kernel than the recorded "
			 "one, and isn't used",
			path);
	elf_file_close(file);
	return NULL;
}

/* The caller closes it; PATH_RET is the caller's. */
static struct elf_file *open_found(struct store *store,
	const struct kernel_wish *wish, char **path_ret)
{
	struct store_file found = { 0 };

	store_find_kernel(store, &wish->id, wish->release, &found);
	*path_ret = found.path;
	return found.elf;
}

static const char *named_path(const struct store *store)
{
	const struct places *places = store ? store_places(store) : NULL;

	return places ? places->vmlinux : NULL;
}

struct elf_file *kernel_image_open(
	struct files *files, const struct kernel_wish *wish)
{
	struct store *store = files_store(files);
	const char *path = named_path(store);
	struct elf_file *file = path ? open_named(path, wish) : NULL;
	_cleanup_free_ char *found = NULL;

	return file || !store ? file : open_found(store, wish, &found);
}

/* FILE, which is closed. */
static bool take(struct elf_file *file, const struct kernel_wish *wish,
	struct symtab *table)
{
	uint64_t moved;
	bool has_any;

	if (!file)
		return false;
	kernel_image_moved(file, wish, &moved);
	has_any = elf_file_addresses(file, moved, table);
	symtab_finish(table);
	elf_file_close(file);
	return has_any;
}

bool kernel_image_read(struct files *files, const struct kernel_wish *wish,
	struct symtab *table, char **path_ret)
{
	struct store *store = files_store(files);
	const char *path = named_path(store);
	_cleanup_free_ char *found = NULL;

	*path_ret = NULL;
	if (path && take(open_named(path, wish), wish, table))
		*path_ret = xstrdup(path);
	else if (store && take(open_found(store, wish, &found), wish, table))
		*path_ret = take_pointer(found);
	return *path_ret;
}
