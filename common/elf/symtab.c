/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/symtab.h"

#include <elf.h>

#define PAGE_SIZE 4096u

void symtab_deinit(struct symtab *table)
{
	array_free(&table->symbols);
	array_free(&table->limits);
	array_free(&table->others);
	strbuf_free(&table->names);
}

static void add_kept_symbol(struct symtab *table, uint64_t start, uint64_t end,
	uint8_t binding, const char *name, bool is_hidden)
{
	if (table->names.n + strlen(name) + 1 > UINT32_MAX)
		return;
	*array_push(&table->symbols) = (struct symbol){ start, MAX(start, end),
		(uint32_t)table->names.n, binding, is_hidden };
	strbuf_put(&table->names, name, strlen(name) + 1);
}

void symtab_add_versioned(struct symtab *table, uint64_t start, uint64_t end,
	uint8_t binding, const char *name, bool is_hidden)
{
	if (table->selection &&
		!symtab_selection_take(table->selection, start, end,
			sizeof(struct symbol) + strlen(name) + 1))
		return;
	add_kept_symbol(table, start, end, binding, name, is_hidden);
}

void symtab_add(struct symtab *table, uint64_t start, uint64_t end,
	uint8_t binding, const char *name)
{
	symtab_add_versioned(table, start, end, binding, name, false);
}

bool symtab_next_pass(struct symtab *table)
{
	struct symtab_selection *selection = table->selection;
	uint64_t start;
	size_t i;

	if (!selection || !symtab_selection_next_pass(selection))
		return false;
	for (i = 0; i < selection->starts.n; i++) {
		start = selection->starts.at[i].start;
		if (!symtab_selection_has_names(selection, i))
			add_kept_symbol(
				table, start, start + 1, STB_LOCAL, "", false);
	}
	return true;
}

void symtab_add_other(struct symtab *table, uint64_t start, const char *name)
{
	if (table->names.n + strlen(name) + 1 > UINT32_MAX)
		return;
	*array_push(&table->others) =
		(struct symtab_other){ start, (uint32_t)table->names.n };
	strbuf_put(&table->names, name, strlen(name) + 1);
}

void symtab_add_limit(struct symtab *table, uint64_t address)
{
	*array_push(&table->limits) = address;
}

static int compare_limits(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return COMPARE(*left, *right);
}

static int compare_start(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->name, right->name);
}

/* Linux has three names for each system call. The alias SyS_x is avoided. */
static bool is_syscall_alias(const char *name)
{
	return string_starts(name, "SyS") || string_starts(name, "compat_SyS");
}

/* Returns true if alias B is preferred to A, false if A and B are equal. */
static bool is_preferred_alias(const struct symtab *table,
	const struct symbol *b, const struct symbol *a)
{
	const char *name_a = symtab_name(table, a);
	const char *name_b = symtab_name(table, b);
	size_t underscores = 0, length_a, length_b;
	bool has_size_a = a->end > a->start, has_size_b = b->end > b->start;

	if (has_size_a != has_size_b)
		return has_size_b;
	if (a->is_hidden != b->is_hidden)
		return a->is_hidden;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return a->binding == STB_WEAK;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return b->binding == STB_GLOBAL;
	/*
	 * Stop at the end of the shorter name, because one long name can be
	 * compared with many aliases.
	 */
	while (name_a[underscores] == '_' && name_b[underscores] == '_')
		underscores++;
	if ((name_a[underscores] == '_') != (name_b[underscores] == '_'))
		return name_a[underscores] == '_';
	length_b = strlen(name_b);
	length_a = strnlen(name_a, length_b + 1);
	if (length_a != length_b)
		return length_a < length_b;
	return is_syscall_alias(name_a) && !is_syscall_alias(name_b);
}

/* Returns END, or the first limit behind START if that is before END. */
static uint64_t apply_limits(
	const struct symtab *table, uint64_t start, uint64_t end)
{
	size_t i = array_count_before(&table->limits, limit, *limit <= start);

	return i < table->limits.n ? MIN(end, table->limits.at[i]) : end;
}

/* Symbols of kallsyms usually are sorted. */
static bool is_symtab_sorted(const struct symtab *table)
{
	size_t i;

	for (i = 1; i < table->symbols.n; i++)
		if (compare_start(&table->symbols.at[i - 1],
			    &table->symbols.at[i]) > 0)
			return false;
	return true;
}

static int compare_others(const void *a, const void *b)
{
	const struct symtab_other *left = a, *right = b;

	return left->start != right->start ? COMPARE(left->start, right->start)
					   : COMPARE(left->name, right->name);
}

/*
 * Keeps the name of LEFT_OUT, a symbol that starts where KEPT starts, if both have the
 * same range. N is the number of .others of earlier symbols.
 */
static void keep_other_name(struct symtab *table, const struct symbol *left_out,
	const struct symbol *kept, size_t n)
{
	if (left_out->end == kept->end && kept->end > kept->start &&
		!left_out->is_hidden && table->others.n - n < SYMTAB_OTHERS_MAX)
		*array_push(&table->others) =
			(struct symtab_other){ kept->start, left_out->name };
}

void symtab_finish(struct symtab *table)
{
	struct symbol *at = table->symbols.at;
	size_t kept = 0, i, n_others = table->others.n;

	if (!table->symbols.n)
		return;
	if (!is_symtab_sorted(table))
		array_sort(&table->symbols, compare_start);
	array_sort(&table->limits, compare_limits);
	for (i = 0; i < table->symbols.n; i++) {
		uint64_t end = i + 1 < table->symbols.n
			? at[i + 1].start
			: ALIGN_UP(at[i].start, PAGE_SIZE) + PAGE_SIZE;

		/* A symbol without a size ends at the next one or at a limit. */
		if (at[i].end == at[i].start)
			at[i].end = apply_limits(table, at[i].start, end);
	}
	array_free(&table->limits);
	for (i = 1; i < table->symbols.n; i++) {
		if (at[i].start != at[kept].start) {
			at[++kept] = at[i];
			n_others = table->others.n;
		} else if (is_preferred_alias(table, &at[i], &at[kept])) {
			/* The names of another range are not those of at[i]. */
			if (at[i].end != at[kept].end)
				table->others.n = n_others;
			keep_other_name(table, &at[kept], &at[i], n_others);
			at[kept] = at[i];
		} else {
			keep_other_name(table, &at[i], &at[kept], n_others);
		}
	}
	table->symbols.n = kept + 1;
	array_sort(&table->others, compare_others);
}

const char *symtab_other_name(
	const struct symtab *table, const struct symbol *symbol, size_t i)
{
	size_t at =
		array_count_before(&table->others, x, x->start < symbol->start);

	return i < MIN(table->others.n - at, (size_t)SYMTAB_OTHERS_MAX) &&
			table->others.at[at + i].start == symbol->start
		? table->names.at + table->others.at[at + i].name
		: NULL;
}

const struct symbol *symtab_find(const struct symtab *table, uint64_t address)
{
	const struct symbol *at = table->symbols.at;
	size_t i = array_count_before(
		&table->symbols, symbol, symbol->start <= address);
	size_t stop = i > SYMTAB_NESTED_MAX ? i - SYMTAB_NESTED_MAX : 0;

	/*
	 * Symbols can be nested. Of the symbols that contain ADDRESS, the one
	 * with the nearest start is returned.
	 */
	for (; i > stop; i--)
		if (address < at[i - 1].end)
			return &at[i - 1];
	return NULL;
}
