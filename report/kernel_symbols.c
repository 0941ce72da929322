/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/kernel_symbols.h"

#include <fcntl.h>

#include "common/elf.h"

#define NOTES_SIZE_MAX KIB(16)

static bool read_kernel_notes(struct build_id *ret)
{
	uint8_t notes[NOTES_SIZE_MAX];
	_cleanup_close_ int fd =
		open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return n > 0 && elf_notes_build_id(notes, (size_t)n, ret);
}

/* The address that the recording's kernel mapping gives for _text. */
static uint64_t recorded_text(const struct maps *maps)
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

/* This kernel's symbols are the recording's if it is the same, not rebooted. */
static bool is_this_kernel(const struct kernel_symbols *kernel)
{
	const struct features *features = reader_features(kernel->reader);
	struct build_id here, there = { 0 };
	uint64_t text = recorded_text(kernel->maps);

	array_each(&features->build_ids, entry)
		if (dso_name_is_kernel(entry->path))
			there = entry->id;
	if (there.size && (!read_kernel_notes(&here) ||
				 !build_id_equal(&here, &there)))
		return false;
	return files_are_of_this_release(kernel->files) &&
		(!text || text == kernel->kallsyms.text_start);
}

static bool has_kallsyms(struct kernel_symbols *kernel)
{
	if (!kernel->is_tried) {
		kernel->is_tried = true;
		kernel->is_same = kallsyms_read("/proc/kallsyms",
					  &kernel->kallsyms) &&
			is_this_kernel(kernel);
	}
	return kernel->is_same;
}

const struct symtab *kernel_symbols_find(
	struct kernel_symbols *kernel, const struct dso_name *name)
{
	if (!has_kallsyms(kernel))
		return NULL;
	if (dso_name_is_kernel(name->path))
		return &kernel->kallsyms.kernel;
	array_each(&kernel->kallsyms.modules, module)
		if (string_is(module->name, name->shown))
			return &module->symbols;
	return NULL;
}

void kernel_symbols_deinit(struct kernel_symbols *kernel)
{
	kallsyms_deinit(&kernel->kallsyms);
}
