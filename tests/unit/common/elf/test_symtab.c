/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/symtab.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/testing.h"

/* Returns the name of the symbol at ADDRESS, or "-". */
static const char *name_at(const struct symtab *table, uint64_t address)
{
	const struct symbol *symbol = symtab_find(table, address);

	return symbol ? symtab_name(table, symbol) : "-";
}

#define assert_names(address, wanted, ...)                               \
	({                                                               \
		const struct added added[] = { __VA_ARGS__ };            \
		struct symtab made = table_of(added, ARRAY_SIZE(added)); \
		assert_string_equal(name_at(&made, address), wanted);    \
		symtab_deinit(&made);                                    \
	})

struct added {
	uint64_t start, end;
	uint8_t binding;
	const char *name;
};

static uint64_t random_number(uint64_t below)
{
	return (uint64_t)random() % below;
}

static struct symtab table_of(const struct added *added, size_t n)
{
	struct symtab table = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		symtab_add(&table, added[i].start, added[i].end,
			added[i].binding, added[i].name);
	symtab_finish(&table);
	return table;
}

static void no_symbol_is_found_in_an_empty_table(void **state _unused_)
{
	struct symtab table = { 0 };

	symtab_finish(&table);
	assert_null(symtab_find(&table, 0));
	assert_null(symtab_find(&table, UINT64_MAX));
	symtab_deinit(&table);
}

static void a_symbol_covers_its_addresses_from_start_to_end(
	void **state _unused_)
{
	const struct added added[] = {
		{ 0x200, 0x210, STB_GLOBAL, "second" },
		{ 0x100, 0x110, STB_GLOBAL, "first" },
	};
	struct symtab table = table_of(added, 2);

	assert_string_equal(name_at(&table, 0xff), "-");
	assert_string_equal(name_at(&table, 0x100), "first");
	assert_string_equal(name_at(&table, 0x10f), "first");
	assert_string_equal(name_at(&table, 0x110), "-");
	assert_string_equal(name_at(&table, 0x200), "second");
	assert_string_equal(name_at(&table, 0x210), "-");
	assert_string_equal(name_at(&table, UINT64_MAX), "-");
	symtab_deinit(&table);
}

static void an_alias_without_a_hidden_version_is_preferred(
	void **state _unused_)
{
	struct symtab table = { 0 };

	symtab_add_versioned(
		&table, 1, 9, STB_GLOBAL, "cfree@GLIBC_2.2.5", true);
	symtab_add(&table, 1, 9, STB_WEAK, "free");
	symtab_add_versioned(&table, 1, 9, STB_GLOBAL, "cfree", true);
	symtab_add_versioned(&table, 9, 19, STB_GLOBAL, "alone@V1", true);
	symtab_finish(&table);
	assert_string_equal(name_at(&table, 2), "free");
	assert_string_equal(name_at(&table, 10), "alone@V1");
	symtab_deinit(&table);
}

static void all_names_of_one_address_range_are_kept_up_to_a_limit(
	void **state _unused_)
{
	struct symtab table = { 0 };
	const struct symbol *symbol;
	unsigned i;

	symtab_add(&table, 16, 24, STB_WEAK, "weak_a");
	symtab_add(&table, 16, 24, STB_WEAK, "weak_b");
	symtab_add(&table, 16, 32, STB_GLOBAL, "longer");
	symtab_add(&table, 16, 32, STB_WEAK, "same");
	symtab_add(&table, 64, 65, STB_GLOBAL, "____preferred");
	for (i = 0; i < SYMTAB_OTHERS_MAX + 10; i++)
		symtab_add_other(&table, 64, "other");
	symtab_add(&table, 80, 81, STB_GLOBAL, "alone");
	symtab_finish(&table);
	symbol = symtab_find(&table, 20);
	assert_string_equal(symtab_name(&table, symbol), "longer");
	assert_string_equal(symtab_other_name(&table, symbol, 0), "same");
	assert_null(symtab_other_name(&table, symbol, 1));
	symbol = symtab_find(&table, 64);
	assert_non_null(
		symtab_other_name(&table, symbol, SYMTAB_OTHERS_MAX - 1));
	assert_null(symtab_other_name(&table, symbol, SYMTAB_OTHERS_MAX));
	assert_null(symtab_other_name(&table, symtab_find(&table, 80), 0));
	symtab_deinit(&table);
}

static void a_symbol_without_size_ends_at_the_next_added_limit(
	void **state _unused_)
{
	struct symtab table = { 0 };

	symtab_add(&table, 0x200, 0x300, STB_GLOBAL, "sized");
	symtab_add(&table, 0x400, 0x400, STB_GLOBAL, "last");
	symtab_add(&table, 0x100, 0x100, STB_GLOBAL, "first");
	symtab_add_limit(&table, 0x440);
	symtab_add_limit(&table, 0x280);
	symtab_add_limit(&table, 0x180);
	symtab_add_limit(&table, 0x100);
	symtab_finish(&table);
	assert_string_equal(name_at(&table, 0x17f), "first");
	assert_string_equal(name_at(&table, 0x180), "-");
	assert_string_equal(name_at(&table, 0x2ff), "sized");
	assert_string_equal(name_at(&table, 0x43f), "last");
	assert_string_equal(name_at(&table, 0x440), "-");
	symtab_deinit(&table);
}

static void symtab_add_copies_the_name(void **state _unused_)
{
	struct symtab table = { 0 };
	char name[] = "name";

	symtab_add(&table, 1, 2, STB_GLOBAL, name);
	name[0] = 'g';
	symtab_finish(&table);
	assert_string_equal(name_at(&table, 1), "name");
	symtab_deinit(&table);
}

static void a_symbol_without_size_ends_at_the_next_symbol(void **state _unused_)
{
	const struct added added[] = {
		{ 0x100, 0x100, STB_GLOBAL, "first" },
		{ 0x180, 0x190, STB_GLOBAL, "second" },
	};
	struct symtab table = table_of(added, 2);

	assert_string_equal(name_at(&table, 0x17f), "first");
	assert_string_equal(name_at(&table, 0x180), "second");
	assert_string_equal(name_at(&table, 0x190), "-");
	symtab_deinit(&table);
}

static void the_last_symbol_without_size_covers_the_next_page(
	void **state _unused_)
{
	const struct added added[] = { { 0x1100, 0x1100, STB_GLOBAL, "last" } };
	struct symtab table = table_of(added, 1);

	assert_string_equal(name_at(&table, 0x2fff), "last");
	assert_string_equal(name_at(&table, 0x3000), "-");
	symtab_deinit(&table);
}

static void a_symbol_that_ends_before_its_start_has_an_unknown_size(
	void **state _unused_)
{
	assert_names(0x17f, "first", { 0x100, 0x50, STB_GLOBAL, "first" },
		{ 0x180, 0x190, STB_GLOBAL, "second" });
}

static void a_sized_alias_is_preferred_unless_the_other_is_last_in_the_table(
	void **state _unused_)
{
	assert_names(0x104, "sized", { 0x100, 0x100, STB_GLOBAL, "unsized" },
		{ 0x100, 0x110, STB_LOCAL, "sized" });
	/* The last symbol ends at the next start, as in perf. */
	assert_names(0x104, "unsized", { 0x100, 0x110, STB_LOCAL, "sized" },
		{ 0x100, 0x100, STB_GLOBAL, "unsized" });
}

static void the_last_alias_is_preferred_if_none_has_a_size(
	void **state _unused_)
{
	assert_names(0x104, "_last", { 0x100, 0x100, STB_GLOBAL, "the_first" },
		{ 0x100, 0x100, STB_LOCAL, "_last" },
		{ 0x200, 0x200, STB_LOCAL, "next" });
}

static void an_alias_that_is_not_weak_is_preferred(void **state _unused_)
{
	assert_names(0x100, "s", { 0x100, 0x110, STB_WEAK, "weak" },
		{ 0x100, 0x110, STB_GLOBAL, "s" });
	assert_names(0x100, "_s", { 0x100, 0x110, STB_LOCAL, "_s" },
		{ 0x100, 0x110, STB_WEAK, "weak" });
}

static void a_global_alias_is_preferred_to_a_local_one(void **state _unused_)
{
	assert_names(0x100, "__g", { 0x100, 0x110, STB_LOCAL, "local" },
		{ 0x100, 0x110, STB_GLOBAL, "__g" });
	assert_names(0x100, "__g", { 0x100, 0x110, STB_GLOBAL, "__g" },
		{ 0x100, 0x110, STB_LOCAL, "local" });
}

static void the_alias_with_fewer_leading_underscores_is_preferred(
	void **state _unused_)
{
	assert_names(0x100, "read", { 0x100, 0x110, STB_GLOBAL, "__read" },
		{ 0x100, 0x110, STB_GLOBAL, "read" });
	assert_names(0x100, "read", { 0x100, 0x110, STB_GLOBAL, "read" },
		{ 0x100, 0x110, STB_GLOBAL, "_read_nocancel" });
}

static void the_longer_alias_is_preferred(void **state _unused_)
{
	assert_names(0x100, "malloc_long", { 0x100, 0x110, STB_GLOBAL, "m" },
		{ 0x100, 0x110, STB_GLOBAL, "malloc_long" },
		{ 0x100, 0x110, STB_GLOBAL, "malloc" });
}

static void sys_read_is_preferred_to_its_alias_in_mixed_case(
	void **state _unused_)
{
	assert_names(0x100, "sys_read",
		{ 0x100, 0x110, STB_GLOBAL, "SyS_read" },
		{ 0x100, 0x110, STB_GLOBAL, "sys_read" });
	assert_names(0x100, "sys_read",
		{ 0x100, 0x110, STB_GLOBAL, "sys_read" },
		{ 0x100, 0x110, STB_GLOBAL, "SyS_read" });
}

static void the_first_of_equal_aliases_is_preferred(void **state _unused_)
{
	assert_names(0x100, "abc", { 0x100, 0x110, STB_GLOBAL, "abc" },
		{ 0x100, 0x110, STB_GLOBAL, "xyz" });
}

static void an_address_has_the_innermost_of_nested_symbols(
	void **state _unused_)
{
	const struct added added[] = {
		{ 0x100, 0x200, STB_GLOBAL, "outer" },
		{ 0x120, 0x130, STB_LOCAL, "inner" },
		{ 0x140, 0x150, STB_LOCAL, "other" },
	};
	struct symtab table = table_of(added, 3);

	assert_string_equal(name_at(&table, 0x11f), "outer");
	assert_string_equal(name_at(&table, 0x120), "inner");
	assert_string_equal(name_at(&table, 0x130), "outer");
	assert_string_equal(name_at(&table, 0x145), "other");
	assert_string_equal(name_at(&table, 0x1ff), "outer");
	assert_string_equal(name_at(&table, 0x200), "-");
	symtab_deinit(&table);
}

static void lookups_at_both_ends_of_the_address_space_work(
	void **state _unused_)
{
	const struct added added[] = {
		{ 0, 0, STB_GLOBAL, "zero" },
		{ UINT64_MAX, UINT64_MAX, STB_GLOBAL, "top" },
	};
	struct symtab table = table_of(added, 2);

	assert_string_equal(name_at(&table, 0), "zero");
	assert_string_equal(name_at(&table, UINT64_MAX - 1), "zero");
	symtab_find(&table, UINT64_MAX);
	symtab_deinit(&table);
}

/* Looks up each symbol at both ends of its range. */
static void each_of_2000_symbols_is_found_at_both_ends(void **state _unused_)
{
	struct symtab table = { 0 };
	uint64_t start;
	char name[32];
	size_t i;

	for (i = 0; i < 2000; i++) {
		start = 0x1000 + (i * 7919 % 2000) * 64;
		snprintf(name, sizeof(name), "f%zu", (size_t)start);
		symtab_add(
			&table, start, start + 16 + i % 48, STB_GLOBAL, name);
	}
	symtab_finish(&table);
	assert_int_equal(table.symbols.n, 2000);
	for (i = 0; i < 2000; i++) {
		const struct symbol *symbol = &table.symbols.at[i];

		assert_int_equal(symbol->start, 0x1000 + i * 64);
		snprintf(name, sizeof(name), "f%zu", (size_t)symbol->start);
		assert_string_equal(name_at(&table, symbol->start), name);
		assert_string_equal(name_at(&table, symbol->end - 1), name);
		assert_string_not_equal(name_at(&table, symbol->end), name);
	}
	symtab_deinit(&table);
}

/* --- selection ------------------------------------------------------------ */

static const struct symtab_limits no_limits = {
	.symbols = UINT64_MAX, .bytes = UINT64_MAX, .cpu_ns = UINT64_MAX
};

/* N symbols with random starts below SPAN, of which some are aliases or nested. */
struct random_symbols {
	size_t n;
	uint64_t span;
	unsigned unsized_percent;
};

static void add_random_symbols(const struct random_symbols *random,
	unsigned seed, struct symtab *table)
{
	size_t i;

	srandom(seed);
	for (i = 0; i < random->n; i++) {
		uint64_t start = (uint64_t)random_number(random->span);
		bool is_unsized = random_number(100) < random->unsized_percent;
		uint64_t size = is_unsized ? 0 : 1 + random_number(60);
		uint8_t binding = (uint8_t)random_number(3);
		bool is_hidden = !random_number(8);
		char name[32];

		snprintf(name, sizeof(name), "%.*s%zu", (int)random_number(3),
			"___", i);
		if (symtab_wants(table, start, start + size))
			symtab_add_versioned(table, start, start + size,
				binding, name, is_hidden);
	}
}

/* Compares the answers of SELECTED and ALL for ADDRESS. */
static void assert_same_answer(const struct symtab *selected,
	const struct symtab *all, uint64_t address)
{
	const struct symbol *found = symtab_find(selected, address);
	const struct symbol *wanted = symtab_find(all, address);
	const char *name;
	size_t i = 0;

	assert_int_equal(found != NULL, wanted != NULL);
	if (!wanted)
		return;
	assert_int_equal(found->start, wanted->start);
	assert_int_equal(found->end, wanted->end);
	assert_int_equal(found->binding, wanted->binding);
	assert_string_equal(
		symtab_name(selected, found), symtab_name(all, wanted));
	do {
		const char *other = symtab_other_name(selected, found, i);

		name = symtab_other_name(all, wanted, i);
		assert_int_equal(other != NULL, name != NULL);
		if (name)
			assert_string_equal(other, name);
		i++;
	} while (name);
}

/* Returns the number of symbols of a table that selects the N addresses EACH apart. */
static size_t compare_selected(const struct random_symbols *random,
	unsigned seed, size_t n, uint64_t each)
{
	struct symtab all = { 0 }, selected = { 0 };
	struct symtab_selection selection;
	size_t i, kept;

	symtab_selection_init(&selection, &no_limits);
	for (i = 0; i < n; i++)
		symtab_selection_add_address(&selection, i * each);
	add_random_symbols(random, seed, &all);
	selected.selection = &selection;
	do
		add_random_symbols(random, seed, &selected);
	while (symtab_next_pass(&selected));
	symtab_selection_deinit(&selection);
	symtab_finish(&all);
	symtab_finish(&selected);
	for (i = 0; i < n; i++)
		assert_same_answer(&selected, &all, i * each);
	kept = selected.symbols.n;
	symtab_deinit(&all);
	symtab_deinit(&selected);
	return kept;
}

static void selected_symbols_answer_as_the_whole_table(void **state _unused_)
{
	static const struct random_symbols few = { 10, 100, 50 };
	static const struct random_symbols nested = { 200, 300, 10 };
	static const struct random_symbols unsized = { 200, 2000, 100 };
	static const struct random_symbols sparse = { 200, 20000, 30 };
	static const struct random_symbols many = { 100000, 200000, 30 };
	unsigned seed;

	for (seed = 0; seed < 200; seed++) {
		compare_selected(&few, seed, 1 + seed % 20, 5);
		compare_selected(&nested, seed, 1 + seed % 20, 15);
		compare_selected(&unsized, seed, 1 + seed % 20, 90);
		compare_selected(&sparse, seed, 1 + seed % 20, 900);
	}
	for (seed = 0; seed < 3; seed++)
		assert_true(compare_selected(&many, seed, 50, 4001) < 2000);
}

static struct symtab_selection select_one(const struct symtab_limits *limits)
{
	struct symtab_selection selection;

	symtab_selection_init(&selection, limits);
	symtab_selection_add_address(&selection, 0x1000);
	return selection;
}

/* Adds N symbols with the name NAME, which begin at START and each EACH bytes later. */
static void add_equal_names(struct symtab *table, size_t n, uint64_t start,
	uint64_t each, const char *name)
{
	size_t i;

	do {
		if (!symtab_begin(table, n))
			return;
		for (i = 0; i < n && !symtab_is_full(table); i++)
			symtab_add(table, start + i * each,
				start + i * each + 8, STB_GLOBAL, name);
	} while (symtab_next_pass(table));
}

static void names_without_an_address_take_no_memory(void **state _unused_)
{
	struct symtab_selection selection = select_one(&no_limits);
	struct symtab table = { .selection = &selection };

	add_equal_names(&table, 100000, 0x2000, 0, "a_name_of_many_symbols");
	add_equal_names(&table, 100000, 0x3000, 8, "a_name_of_many_symbols");
	assert_true(table.names.n < 1000);
	assert_int_equal(selection.excess, SYMTAB_EXCESS_NONE);
	symtab_selection_deinit(&selection);
	symtab_deinit(&table);
}

static void a_selection_stops_at_the_limit_that_is_exceeded(
	void **state _unused_)
{
	static const _Atomic bool yes = true;
	const struct {
		struct symtab_limits limits;
		enum symtab_excess wanted;
	} cases[] = {
		{ { 9999, UINT64_MAX, UINT64_MAX, NULL },
			SYMTAB_EXCESS_SYMBOLS },
		{ { UINT64_MAX, 9999, UINT64_MAX, NULL }, SYMTAB_EXCESS_BYTES },
		{ { UINT64_MAX, UINT64_MAX, 0, NULL }, SYMTAB_EXCESS_CPU },
		{ { UINT64_MAX, UINT64_MAX, UINT64_MAX, &yes },
			SYMTAB_EXCESS_ABANDONED },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symtab_selection selection =
			select_one(&cases[i].limits);
		struct symtab table = { .selection = &selection };

		add_equal_names(&table, 10000, 0x1000, 0, "name");
		assert_int_equal(selection.excess, cases[i].wanted);
		assert_true(table.names.n < 10000);
		symtab_selection_deinit(&selection);
		symtab_deinit(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_symbol_is_found_in_an_empty_table),
		cmocka_unit_test(
			a_symbol_covers_its_addresses_from_start_to_end),
		cmocka_unit_test(
			an_alias_without_a_hidden_version_is_preferred),
		cmocka_unit_test(
			all_names_of_one_address_range_are_kept_up_to_a_limit),
		cmocka_unit_test(
			a_symbol_without_size_ends_at_the_next_added_limit),
		cmocka_unit_test(selected_symbols_answer_as_the_whole_table),
		cmocka_unit_test(names_without_an_address_take_no_memory),
		cmocka_unit_test(
			a_selection_stops_at_the_limit_that_is_exceeded),
		cmocka_unit_test(symtab_add_copies_the_name),
		cmocka_unit_test(a_symbol_without_size_ends_at_the_next_symbol),
		cmocka_unit_test(
			the_last_symbol_without_size_covers_the_next_page),
		cmocka_unit_test(
			a_symbol_that_ends_before_its_start_has_an_unknown_size),
		cmocka_unit_test(
			a_sized_alias_is_preferred_unless_the_other_is_last_in_the_table),
		cmocka_unit_test(
			the_last_alias_is_preferred_if_none_has_a_size),
		cmocka_unit_test(an_alias_that_is_not_weak_is_preferred),
		cmocka_unit_test(a_global_alias_is_preferred_to_a_local_one),
		cmocka_unit_test(
			the_alias_with_fewer_leading_underscores_is_preferred),
		cmocka_unit_test(the_longer_alias_is_preferred),
		cmocka_unit_test(
			sys_read_is_preferred_to_its_alias_in_mixed_case),
		cmocka_unit_test(the_first_of_equal_aliases_is_preferred),
		cmocka_unit_test(
			an_address_has_the_innermost_of_nested_symbols),
		cmocka_unit_test(
			lookups_at_both_ends_of_the_address_space_work),
		cmocka_unit_test(each_of_2000_symbols_is_found_at_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
