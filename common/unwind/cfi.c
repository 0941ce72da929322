/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi.h"

#include <fcntl.h>

#include "common/unwind/cfi_answers.h"
#include "common/unwind/cfi_pack.h"
#include "common/unwind/cfi_private.h"
#include "common/util/alloc.h"

/* Fewer bytes without CFI between two functions are padding. */
#define GAP_MIN 16u
/* What an entry point without CFI may take: ld.so's is not much longer. */
#define ENTRY_MAX 256u

/* x86-64, where a function was just called: CFA = sp + 8. */
#define CALLED ((uint32_t)CFI_SP | 1u << 3)

/* On the way from a source to its table. */
struct compiler {
	const struct cfi_source *source;
	struct cfi_builder *builder;
	uint64_t at; /* so far rules are known */
	struct cfi_cies cies;
	struct cfi_walk walk;
};

/* The rule of the row that the walk is at. */
static uint32_t pack(const struct compiler *compiler)
{
	return cfi_pack(compiler->source->arch, compiler->walk.section,
		&compiler->walk.row);
}

/*
 * Libc's clone() ends its FDE at the system call, as what follows has one of two
 * stacks; behind that comes what nobody calls, and only new threads run.
 */
static bool is_clone(const struct compiler *compiler, uint32_t next)
{
	return compiler->source->arch == UNWIND_X86_64 && next == CFI_ROOT &&
		cfi_builder_last(compiler->builder) == CALLED;
}

/*
 * Without CFI up to END, where the rule NEXT holds; a process may begin in there.
 */
static void add_gap(struct compiler *compiler, uint64_t end, uint32_t next)
{
	struct cfi_builder *builder = compiler->builder;
	uint64_t entry = compiler->source->entry, start = compiler->at;
	bool has_entry = entry && entry >= start && entry < end;
	uint32_t rule = CFI_NONE;

	cfi_builder_cut(builder, start);
	if (start == end)
		return;
	if (end - start < GAP_MIN)
		rule = is_clone(compiler, next) ? CFI_CLONE : CFI_PADDING;
	if (!has_entry || entry > start)
		cfi_builder_add(builder, start, rule);
	if (!has_entry)
		return;
	cfi_builder_add(builder, entry, CFI_ROOT);
	if (end - entry > ENTRY_MAX)
		cfi_builder_add(builder, entry + ENTRY_MAX, CFI_NONE);
}

static void add_rows(struct compiler *compiler, const struct cfi_fde *fde)
{
	struct cfi_walk *walk = &compiler->walk;
	bool has_row = cfi_source_walk(compiler->source, fde,
			       &compiler->cies, walk) &&
		cfi_walk_next(walk);
	uint32_t rule = has_row ? pack(compiler) : CFI_NONE;
	uint64_t at = fde->start;

	add_gap(compiler, at, rule);
	cfi_builder_cut(compiler->builder, at);
	while (has_row) {
		cfi_builder_add(compiler->builder, walk->row.start, rule);
		at = walk->row.end;
		has_row = cfi_walk_next(walk);
		if (has_row)
			rule = pack(compiler);
	}
	/* The rest of a damaged one. */
	if (at < fde->end)
		cfi_builder_add(compiler->builder, at, CFI_NONE);
	compiler->at = fde->end;
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
	for (i = 0; i < source->n_fdes; i++)
		add_rows(compiler, &source->fdes[i]);
	if (source->end > compiler->at)
		add_gap(compiler, source->end, CFI_NONE);
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

static int duplicate(struct elf_file *file)
{
	return file ? fcntl(elf_file_fd(file), F_DUPFD_CLOEXEC, 3) : -1;
}

struct cfi *cfi_wrap_files(struct elf_file *file, struct elf_file *debug,
	struct cfi_table *table)
{
	struct cfi *cfi = cfi_wrap(
		unwind_arch_of_elf(elf_file_machine(file)), table);

	cfi->fd = duplicate(file);
	cfi->debug_fd = duplicate(debug);
	return cfi;
}

struct error *cfi_create(
	struct elf_file *file, struct elf_file *debug, struct cfi **ret)
{
	struct cfi_source source;

	if (unwind_arch_of_elf(elf_file_machine(file)) == UNWIND_NONE)
		return error_new("not a file for a processor that is known");
	cfi_load(file, debug, &source);
	cfi_source_sort(&source);
	*ret = cfi_wrap_files(file, debug, cfi_compile(&source));
	cfi_source_deinit(&source);
	return NULL;
}

struct cfi *cfi_create_from_bytes(const struct cfi_bytes *bytes)
{
	struct cfi_source source = { .arch = bytes->arch,
		.start = bytes->start, .end = bytes->end };
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

struct cfi *cfi_create_from_answers(struct cfi_answers *answers)
{
	struct cfi_builder *builder = cfi_builder_create(
		answers->rules.n ? answers->rules.at[0].start : 0);
	struct cfi *cfi;

	array_each(&answers->rules, answer)
		cfi_builder_add(builder, answer->start, answer->rule);
	cfi = cfi_wrap(UNWIND_NONE, cfi_builder_finish(builder, 0));
	cfi->source.eh_frame.at = (const uint8_t *)answers->expressions.at;
	cfi->source.eh_frame.size = answers->expressions.n;
	cfi->bytes = (uint8_t *)answers->expressions.at;
	cfi->rows.at = answers->rows.at;
	cfi->rows.n = answers->rows.n;
	cfi->is_loaded = true;
	array_free(&answers->rules);
	*answers = (struct cfi_answers){ 0 };
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
	cfi_destroy(cfi->rest);
	pthread_mutex_destroy(&cfi->lock);
	array_free(&cfi->rows);
	cfi_watch_free(cfi->watch);
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
	struct cfi *rest;

	if (unlikely(cfi->watch))
		cfi_watch_rule(cfi, address);
	if (rule != CFI_NONE || likely(!cfi->find_rest))
		return rule;
	rest = cfi_ask_rest(cfi);
	return rest ? cfi_rule(rest, address) : rule;
}

/* NULL if FD is none. Takes ownership of it. */
static struct elf_file *open_again(int *fd)
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

static void load_again(struct cfi *cfi)
{
	cfi->file = open_again(&cfi->fd);
	cfi->debug = open_again(&cfi->debug_fd);
	if (cfi->file)
		cfi_load(cfi->file, cfi->debug, &cfi->source);
	cfi_source_sort(&cfi->source);
	cfi->is_loaded = true;
}

static bool find_known(
	const struct cfi *cfi, uint64_t address, struct cfi_row *ret)
{
	size_t n = array_count_before(&cfi->rows, x, x->start <= address);

	if (!n || address >= cfi->rows.at[n - 1].end)
		return false;
	*ret = cfi->rows.at[n - 1];
	return true;
}

bool cfi_row(struct cfi *cfi, uint64_t address, struct cfi_row *ret,
	const struct cfi_section **expressions_ret)
{
	const struct cfi_source *source = &cfi->source;
	bool is_debug = false, ok;
	struct cfi *rest;

	pthread_mutex_lock(&cfi->lock);
	if (!cfi->is_loaded)
		load_again(cfi);
	pthread_mutex_unlock(&cfi->lock);
	ok = find_known(cfi, address, ret) ||
		cfi_source_row(source, address, ret, &is_debug);
	*expressions_ret =
		is_debug ? &source->debug_frame : &source->eh_frame;
	rest = ok ? NULL : cfi_ask_rest(cfi);
	if (rest)
		return cfi_row(rest, address, ret, expressions_ret);
	if (ok && unlikely(cfi->watch))
		cfi_watch_row(cfi, ret, *expressions_ret);
	return ok;
}

bool cfi_ends_at(const struct cfi *cfi, uint64_t address)
{
	return cfi_table_is_cut(cfi->table, address);
}
