/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi.h"

#include <fcntl.h>

#include "common/unwind/cfi_private.h"
#include "common/unwind/cfi_subset.h"
#include "common/util/alloc.h"

/*
 * A gap without CFI between two functions that is smaller than this many bytes
 * is padding.
 */
#define GAP_MIN 16u
/*
 * Assumed size of an entry point without CFI, in bytes. That of ld.so of glibc 2.36 has 77.
 * In a file without any CFI, other functions follow.
 */
#define ENTRY_MAX 128u

/* Rule at the first instruction of an x86-64 function: CFA = sp + 8. */
#define CALLED ((uint32_t)CFI_SP | 1u << 3)

/* State of the compilation of a struct cfi_source to a struct cfi_table. */
struct compiler {
	const struct cfi_source *source;
	struct cfi_builder *builder;
	uint64_t at; /* rules are compiled up to this address */
	struct cfi_cies cies;
	struct cfi_walk walk;
};

/* Returns the rule of the current CFI row, compiler->walk.row. */
static uint32_t pack_walk_row(const struct compiler *compiler)
{
	return cfi_pack(compiler->source->arch, compiler->walk.section,
		&compiler->walk.row);
}

/*
 * Adds rows for the gap without CFI from compiler->at to END. NEXT is the rule
 * at END. The gap may contain the entry point of the process.
 */
static void add_cfi_gap(struct compiler *compiler, uint64_t end, uint32_t next)
{
	struct cfi_builder *builder = compiler->builder;
	uint64_t entry = compiler->source->entry, start = compiler->at;
	bool has_entry = entry && entry >= start && entry < end;
	uint32_t rule = CFI_NONE;

	cfi_builder_cut(builder, start);
	if (start == end)
		return;
	/*
	 * The FDE of libc's clone() ends at the system call, because two stacks
	 * are possible after it. The code after this gap has no caller and runs
	 * only in new threads.
	 */
	if (end - start < GAP_MIN)
		rule = (compiler->source->arch == UNWIND_X86_64 &&
			       next == CFI_ROOT &&
			       cfi_builder_last(compiler->builder) == CALLED)
			? CFI_CLONE
			: CFI_PADDING;
	if (!has_entry || entry > start)
		cfi_builder_add(builder, start, rule);
	if (!has_entry)
		return;
	cfi_builder_add(builder, entry, CFI_ROOT);
	if (end - entry > ENTRY_MAX)
		cfi_builder_add(builder, entry + ENTRY_MAX, CFI_NONE);
}

struct cfi_table *cfi_compile(const struct cfi_source *source)
{
	struct compiler *compiler = xcalloc(1, sizeof(*compiler));
	struct cfi_builder *builder;
	size_t i;

	compiler->source = source;
	compiler->at = source->n_fdes ? source->fdes[0].start : source->entry;
	if (source->entry && source->entry < compiler->at)
		compiler->at = source->entry;
	builder = cfi_builder_create(compiler->at);
	compiler->builder = builder;
	for (i = 0; i < source->n_fdes; i++) {
		struct cfi_walk *walk = &compiler->walk;
		bool has_row =
			cfi_source_walk(compiler->source, &source->fdes[i],
				&compiler->cies, walk) &&
			cfi_walk_next(walk);
		uint32_t rule = has_row ? pack_walk_row(compiler) : CFI_NONE;
		uint64_t at = source->fdes[i].start;

		add_cfi_gap(compiler, at, rule);
		cfi_builder_cut(compiler->builder, at);
		while (has_row) {
			cfi_builder_add(
				compiler->builder, walk->row.start, rule);
			at = walk->row.end;
			has_row = cfi_walk_next(walk);
			if (has_row)
				rule = pack_walk_row(compiler);
		}
		/* A damaged FDE has no rows for the rest of its code. */
		if (at < source->fdes[i].end)
			cfi_builder_add(compiler->builder, at, CFI_NONE);
		compiler->at = source->fdes[i].end;
	}
	if (source->end > compiler->at)
		add_cfi_gap(compiler, source->end, CFI_NONE);
	else
		cfi_builder_add(builder, compiler->at, CFI_NONE);
	free(compiler);
	return cfi_builder_finish(builder, (uint32_t)source->n_fdes);
}

struct cfi *cfi_wrap(enum unwind_arch arch, struct cfi_table *table)
{
	static uint32_t n_made;
	struct cfi *cfi = xcalloc(1, sizeof(*cfi));

	cfi->id = __atomic_add_fetch(&n_made, 1, __ATOMIC_RELAXED);
	cfi->arch = arch;
	cfi->table = table;
	cfi->fd = cfi->debug_fd = -1;
	pthread_mutex_init(&cfi->lock, NULL);
	return cfi;
}

static int duplicate_elf_fd(struct elf_file *file)
{
	return file ? fcntl(elf_file_fd(file), F_DUPFD_CLOEXEC, 3) : -1;
}

/*
 * Creates a struct cfi for FILE and DEBUG with the compiled rules TABLE. Takes
 * ownership of TABLE. The CFI bytes in the files are read when they are needed.
 */
static struct cfi *cfi_wrap_files(
	struct elf_file *file, struct elf_file *debug, struct cfi_table *table)
{
	struct cfi *cfi =
		cfi_wrap(unwind_arch_of_elf(elf_file_machine(file)), table);

	cfi->fd = duplicate_elf_fd(file);
	cfi->debug_fd = duplicate_elf_fd(debug);
	return cfi;
}

struct error *cfi_create(
	struct elf_file *file, struct elf_file *debug, struct cfi **ret)
{
	struct cfi_source source;

	if (unwind_arch_of_elf(elf_file_machine(file)) == UNWIND_NONE)
		return error_new("cannot unwind this processor's code: "
				 "only x86-64, aarch64 and i386 are supported");
	cfi_source_load(file, debug, &source);
	cfi_source_sort(&source);
	*ret = cfi_wrap_files(file, debug, cfi_compile(&source));
	cfi_source_deinit(&source);
	return NULL;
}

struct cfi *cfi_create_from_bytes(const struct cfi_bytes *bytes)
{
	struct cfi_source source = {
		.arch = bytes->arch, .start = bytes->start, .end = bytes->end
	};
	uint8_t *copy;
	struct cfi *cfi;

	if (bytes->arch == UNWIND_NONE || !bytes->eh_frame_size ||
		bytes->eh_frame_size > CFI_SECTION_MAX)
		return NULL;
	copy = xmemdup(bytes->eh_frame, bytes->eh_frame_size);
	source.eh_frame = (struct cfi_section){
		.at = copy,
		.size = bytes->eh_frame_size,
		.address = bytes->eh_frame_address,
		.data = bytes->eh_frame_hdr_address,
	};
	cfi_source_sort(&source);
	if (!source.n_fdes) {
		cfi_source_deinit(&source);
		free(copy);
		return NULL;
	}
	cfi = cfi_wrap(bytes->arch, cfi_compile(&source));
	cfi->source = source;
	cfi->bytes = copy;
	cfi->is_loaded = true;
	return cfi;
}

struct cfi *cfi_create_from_subset(struct cfi_subset *subset)
{
	struct cfi_builder *builder = cfi_builder_create(
		subset->rules.n ? subset->rules.at[0].start : 0);
	struct cfi *cfi;

	array_each(&subset->rules, entry)
		cfi_builder_add(builder, entry->start, entry->rule);
	cfi = cfi_wrap(UNWIND_NONE, cfi_builder_finish(builder, 0));
	cfi->source.eh_frame.at = (const uint8_t *)subset->expressions.at;
	cfi->source.eh_frame.size = subset->expressions.n;
	cfi->bytes = (uint8_t *)subset->expressions.at;
	cfi->rows.at = subset->rows.at;
	cfi->rows.n = subset->rows.n;
	cfi->is_loaded = true;
	array_free(&subset->rules);
	*subset = (struct cfi_subset){ 0 };
	return cfi;
}

void cfi_destroy(struct cfi *cfi)
{
	if (!cfi)
		return;
	cfi_source_deinit(&cfi->source);
	elf_file_close(cfi->file);
	elf_file_close(cfi->debug);
	free(cfi->bytes);
	base_close_fd(&cfi->fd);
	base_close_fd(&cfi->debug_fd);
	cfi_destroy(cfi->fallback);
	pthread_mutex_destroy(&cfi->lock);
	array_free(&cfi->rows);
	cfi_lookups_free(cfi->lookups);
	free(cfi->table);
	free(cfi);
}

struct cfi_facts cfi_facts(const struct cfi *cfi)
{
	return (struct cfi_facts){ cfi->arch, cfi->table->n_fdes,
		cfi->table->n_rows, cfi->table->n_rules,
		cfi_table_size(cfi->table) };
}

uint32_t cfi_id(const struct cfi *cfi)
{
	return cfi->id;
}

uint32_t cfi_rule(struct cfi *cfi, uint64_t address)
{
	uint32_t rule = cfi_table_rule(cfi->table, address);
	struct cfi *fallback;

	if (unlikely(cfi->lookups))
		cfi_lookups_add_rule(cfi, address);
	if (rule != CFI_NONE || likely(!cfi->find_fallback))
		return rule;
	fallback = cfi_find_fallback(cfi);
	return fallback ? cfi_rule(fallback, address) : rule;
}

/*
 * Opens the ELF file with the descriptor *FD and takes ownership of *FD.
 * Returns NULL if *FD is -1 or not an ELF file.
 */
static struct elf_file *reopen_elf_file(int *fd)
{
	struct elf_file *file = NULL;
	struct error *err;

	if (*fd < 0)
		return NULL;
	err = elf_file_open(take_fd(*fd), "", &file);
	if (!err)
		return file;
	error_free(err);
	return NULL;
}

bool cfi_row(struct cfi *cfi, uint64_t address, struct cfi_row *ret,
	const struct cfi_section **expressions_ret)
{
	const struct cfi_source *source = &cfi->source;
	bool is_debug = false, ok;
	struct cfi *fallback;
	size_t n;

	pthread_mutex_lock(&cfi->lock);
	if (!cfi->is_loaded) {
		cfi->file = reopen_elf_file(&cfi->fd);
		cfi->debug = reopen_elf_file(&cfi->debug_fd);
		if (cfi->file)
			cfi_source_load(cfi->file, cfi->debug, &cfi->source);
		cfi_source_sort(&cfi->source);
		cfi->is_loaded = true;
	}
	pthread_mutex_unlock(&cfi->lock);
	/* A subset has rows and no source. */
	n = array_count_before(&cfi->rows, x, x->start <= address);
	if (n && address < cfi->rows.at[n - 1].end) {
		*ret = cfi->rows.at[n - 1];
		ok = true;
	} else
		ok = cfi_source_row(source, address, ret, &is_debug);
	*expressions_ret = is_debug ? &source->debug_frame : &source->eh_frame;
	fallback = ok ? NULL : cfi_find_fallback(cfi);
	if (fallback)
		return cfi_row(fallback, address, ret, expressions_ret);
	if (ok && unlikely(cfi->lookups))
		cfi_lookups_add_row(cfi, ret, *expressions_ret);
	return ok;
}

bool cfi_ends_at(const struct cfi *cfi, uint64_t address)
{
	return cfi_table_is_cut(cfi->table, address);
}

/*
 * Minimum size of cached CFI sections. Smaller sections are compiled in less
 * than a millisecond.
 */
#define SECTION_MIN KIB(128)
/* Magic of cached tables; change it when the content of tables changes. */
#define MAGIC UINT64_C(0x3530696663776400)
#define TABLE_SIZE_MAX                                          \
	(sizeof(struct cfi_table) +                             \
		4 *                                             \
			((size_t)CFI_ROWS_MAX + CFI_RULES_MAX + \
				CFI_ROWS_MAX / 32 +             \
				(CFI_SPAN_MAX >> CFI_PAGE_SHIFT) + 2))

struct error *cfi_cache_create(struct cache *cache, struct elf_file *file,
	struct elf_file *debug, struct cfi **ret)
{
	struct cfi_source source;
	struct cache_place place;
	struct cfi_table *table;
	size_t size;

	if (!cache || unwind_arch_of_elf(elf_file_machine(file)) == UNWIND_NONE)
		return cfi_create(file, debug, ret);
	cfi_source_load(file, debug, &source);
	/* Not cached: files with little CFI or without a build ID. */
	if (source.eh_frame.size + source.debug_frame.size < SECTION_MIN ||
		!elf_file_build_id(file, &place.id) || !place.id.size)
		return cfi_create(file, debug, ret);
	/*
	 * The key is a checksum of everything from which the table is compiled.
	 */
	uint64_t numbers[] = { source.arch, source.entry, source.start,
		source.end, source.eh_frame.address, source.eh_frame.text,
		source.eh_frame.data };

	place.magic = MAGIC;
	place.key = cache_checksum(MAGIC, numbers, sizeof(numbers));
	place.key = cache_checksum(
		place.key, source.eh_frame.at, source.eh_frame.size);
	place.key = cache_checksum(
		place.key, source.debug_frame.at, source.debug_frame.size);
	table = cache_load(cache, &place, TABLE_SIZE_MAX, &size);
	if (!table || size < sizeof(*table) ||
		!cfi_table_is_sound(table, size)) {
		/* No table, or a damaged one. */
		free(table);
		cfi_source_sort(&source);
		table = cfi_compile(&source);
		cfi_source_deinit(&source);
		cache_store(cache, &place, table, cfi_table_size(table));
	}
	*ret = cfi_wrap_files(file, debug, table);
	return NULL;
}

const struct cfi_table *cfi_compiled(const struct cfi *cfi)
{
	return cfi->table;
}
