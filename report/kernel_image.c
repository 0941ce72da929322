/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/kernel_image.h"

#include "common/alloc.h"
#include "common/log.h"

/* By address; from one boot to the next all of them move by as much. */
static bool take(struct elf_file *file, const struct kernel_wish *wish,
	struct symtab *table)
{
	struct elf_symbol text;
	uint64_t moved = 0;
	bool has_any;

	if (wish->text && elf_file_find(file, "_text", &text))
		moved = wish->text - text.address;
	has_any = elf_file_addresses(file, moved, table);
	symtab_finish(table);
	return has_any;
}

static bool is_recorded(
	struct elf_file *file, const struct kernel_wish *wish)
{
	struct build_id id;

	return !wish->id.size ||
		(elf_file_build_id(file, &id) &&
			build_id_equal(&id, &wish->id));
}

static bool read_named(const char *path, const struct kernel_wish *wish,
	struct symtab *table)
{
	struct elf_file *file = store_open_elf(path);
	bool has_any = false;

	if (!file)
		log_note("--vmlinux: %s is no ELF file that can be read", path);
	else if (!is_recorded(file, wish))
		log_note("--vmlinux: %s is another kernel than the recorded "
			 "one, and isn't used",
			path);
	else
		has_any = take(file, wish, table);
	elf_file_close(file);
	return has_any;
}

bool kernel_image_read(struct files *files, const struct kernel_wish *wish,
	struct symtab *table)
{
	struct store *store = files_store(files);
	const struct places *places = store ? store_places(store) : NULL;
	struct store_file found = { 0 };
	bool has_any = false;

	if (!places)
		return false;
	if (places->vmlinux && read_named(places->vmlinux, wish, table))
		return true;
	store_find_kernel(store, &wish->id, wish->release, &found);
	if (found.elf)
		has_any = take(found.elf, wish, table);
	store_file_deinit(&found);
	return has_any;
}
