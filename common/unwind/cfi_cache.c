/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the compiled rules of large files in the cache. */
#include "config.h"

#include "common/unwind/cfi.h"
#include "common/unwind/cfi_private.h"
#include "common/util/alloc.h"

/* Smaller sections compile in less than a millisecond. */
#define SECTION_MIN KIB(128)
/* change with the content of tables */
#define MAGIC UINT64_C(0x3430696663776400)
#define TABLE_SIZE_MAX                                                         \
	(sizeof(struct cfi_table) +                                            \
		4 * ((size_t)CFI_ROWS_MAX + CFI_RULES_MAX +                    \
			CFI_ROWS_MAX / 32 +                                    \
			(CFI_SPAN_MAX >> CFI_PAGE_SHIFT) + 2))

/* Returns a checksum of everything from which the table is compiled. */
static uint64_t cfi_source_key(const struct cfi_source *source)
{
	const struct cfi_section *eh = &source->eh_frame;
	const struct cfi_section *debug = &source->debug_frame;
	uint64_t numbers[] = { source->arch, source->entry, source->start,
		source->end, eh->address, eh->text, eh->data };
	uint64_t key = cache_checksum(MAGIC, numbers, sizeof(numbers));

	key = cache_checksum(key, eh->at, eh->size);
	return cache_checksum(key, debug->at, debug->size);
}

/*
 * Returns false if FILE's table is not cached: it is small, or has no build ID.
 */
static bool find_table_place(struct elf_file *file,
	const struct cfi_source *source, struct cache_place *ret)
{
	if (source->eh_frame.size + source->debug_frame.size < SECTION_MIN ||
		!elf_file_build_id(file, &ret->id) || !ret->id.size)
		return false;
	ret->magic = MAGIC;
	ret->key = cfi_source_key(source);
	return true;
}

/*
 * Returns the cached table, owned by the caller, or NULL if there is none or it
 * is damaged.
 */
static struct cfi_table *load_cached_table(
	const struct cache *cache, const struct cache_place *place)
{
	size_t size;
	_cleanup_free_ struct cfi_table *table =
		cache_load(cache, place, TABLE_SIZE_MAX, &size);

	if (!table || size < sizeof(*table) || !cfi_table_is_sound(table, size))
		return NULL;
	return take_pointer(table);
}

struct error *cfi_cache_create(struct cache *cache, struct elf_file *file,
	struct elf_file *debug, struct cfi **ret)
{
	struct cfi_source source;
	struct cache_place place;
	struct cfi_table *table;

	if (!cache ||
		unwind_arch_of_elf(elf_file_machine(file)) == UNWIND_NONE)
		return cfi_create(file, debug, ret);
	cfi_source_load(file, debug, &source);
	if (!find_table_place(file, &source, &place))
		return cfi_create(file, debug, ret);
	table = load_cached_table(cache, &place);
	if (!table) {
		cfi_source_sort(&source);
		table = cfi_compile(&source);
		cfi_source_deinit(&source);
		cache_store(cache, &place, table, cfi_table_size(table));
	}
	*ret = cfi_wrap_files(file, debug, table);
	return NULL;
}
