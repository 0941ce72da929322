/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/demangle.h"

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

static void skip_without_libiberty(void)
{
	_cleanup_free_ char *shown = demangle("_Z1fv");

	if (shown)
		return;
	skip_without("libiberty");
}

static void assert_shown(const char *name, const char *wanted)
{
	_cleanup_free_ char *shown = demangle(name);

	assert_string_equal(shown ?: name, wanted);
}

static void names_of_each_language_are_demangled(void **state _unused_)
{
	skip_without_libiberty();
	assert_shown("main", "main");
	assert_shown("_Z1fIiEvv", "f<int>");
	assert_shown(
		"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	assert_shown("_RNvCs5gDGxYk2abc_7mycrate3foo", "mycrate::foo");
	assert_shown("_D3std5stdio__T7writelnTAyaZQnFNfQjZv",
		"std.stdio.writeln!(immutable(char)[]).writeln");
}

#define RUST_END "17hf00580ccfb336224E"

static void letters_of_legacy_rust_names_are_decoded(void **state _unused_)
{
	skip_without_libiberty();
	assert_shown("_ZN3uni13gr$uf6$$udf$e15_$ufc$ber_alles" RUST_END,
		"uni::größe::über_alles");
	assert_shown("_ZN3uni29_$u8a08$$u7b97$$u3059$$u308b$" RUST_END,
		"uni::計算する");
	assert_shown("_ZN3uni34_$LT$$ufc$$u20$as$u20$$u10400$$GT$1f" RUST_END,
		"uni::<ü as 𐐀>::f");
	/* An underscore that belongs to the name. */
	assert_shown("_ZN3uni7a_$ufc$" RUST_END, "uni::a_ü");
	/* Not a name of Rust. */
	assert_shown("_Z5$ufc$v", "$ufc$");
}

/* Controls, marks of direction, surrogates, and what is no character. */
static void unsafe_letters_of_rust_names_stay_escaped(void **state _unused_)
{
	static const char *const digits[] = { "1b", "80", "9b", "200b", "200e",
		"202e", "2066", "2028", "61c", "ad", "feff", "d800", "dfff",
		"e000", "fffe", "e0001", "110000", "ffffff", "1000000ff", "FC",
		"" };
	size_t i;

	skip_without_libiberty();
	for (i = 0; i < ARRAY_SIZE(digits); i++) {
		_cleanup_strbuf_ struct strbuf name = { 0 }, shown = { 0 };

		strbuf_printf(&name, "_ZN3uni%zua$u%s$" RUST_END,
			strlen(digits[i]) + 4, digits[i]);
		strbuf_printf(&shown, "uni::a$u%s$", digits[i]);
		assert_shown(name.at, shown.at);
	}
}

static void names_of_ocaml_are_demangled_without_libiberty(
	void **state _unused_)
{
	assert_shown("camlStdlib__List__map_345", "Stdlib.List.map_345");
	assert_shown("camlBar.baz_77", "Bar.baz_77");
	assert_shown("camlBar__$2b$2b_12", "Bar.++_12");
	assert_shown("camlBar__$00$1b$zz$4", "Bar.$00$1b$zz$4");
	assert_shown("caml_eq", "caml_eq");
	assert_shown("camlinternal", "camlinternal");
	assert_shown("caml", "caml");
}

/* Each level is a pair of two of the level before it. */
static void put_itanium_pairs(
	struct strbuf *name, unsigned levels, unsigned first)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	unsigned i;

	for (i = first; i < first + levels; i++)
		strbuf_printf(name, "S0_IS%c_S%c_E", digits[i], digits[i]);
}

/* Asserts that NAME is shown as START, more characters up to a limit, and "...". */
static void assert_cut(const char *name, const char *start)
{
	_cleanup_free_ char *shown = demangle(name);
	size_t size;

	assert_non_null(shown);
	size = strlen(shown);
	assert_memory_equal(shown, start, strlen(start));
	assert_int_equal(size, 1024 + 32 * strlen(name) + strlen("..."));
	assert_string_equal(shown + size - 3, "...");
}

/* The whole name has 23,839 characters. */
static void a_long_cpp_name_is_cut(void **state _unused_)
{
	skip_without_libiberty();
	assert_cut("_Z8longnameISt4pairIS0_IS0_IS0_IS0_IS0_IS0_INSt7__cxx1112"
		   "basic_stringIcSt11char_traitsIcESaIcEEES6_ES7_ES8_ES9_ESA_"
		   "ESB_ESC_EEvmPKT_",
		"longname<std::pair<std::pair<std::pair<");
}

static void a_cpp_name_of_exponential_size_is_cut(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };

	skip_without_libiberty();
	strbuf_puts(&name, "_Z1fISt4pairIiiE");
	put_itanium_pairs(&name, 3, 1);
	strbuf_puts(&name, "Evv");
	{
		_cleanup_free_ char *shown = demangle(name.at);

		assert_non_null(shown);
		assert_true(strlen(shown) > 3 * name.n);
	}
	name.n -= strlen("Evv");
	put_itanium_pairs(&name, 30, 4);
	strbuf_puts(&name, "Evv");
	assert_cut(name.at, "f<std::pair<int, int>, ");
}

/* The type below the pack expansion doubles where it is not printed. */
static void the_work_for_cpp_packs_that_are_not_printed_is_bounded(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };

	skip_without_libiberty();
	strbuf_puts(&name, "_ZZ1fIiEPFvSt4pairIiiE");
	put_itanium_pairs(&name, 33, 1);
	strbuf_puts(&name, "EvEN1gIDpSY_E1hEv");
	assert_shown(name.at, name.at);
}

/* Puts a function type of LEVELS levels, each with three times the level below. */
static void put_function_types(struct strbuf *name, unsigned levels)
{
	unsigned i;

	for (i = 0; i < levels; i++)
		strbuf_puts(name, "Fv");
	strbuf_puts(name, "iiiE");
	for (i = 0; i + 1 < levels; i++)
		strbuf_printf(
			name, "S%c_S%c_E", (char)('0' + i), (char)('0' + i));
}

/* 28 back references take libiberty two seconds, and 40 take minutes. */
static void the_work_for_expanded_cpp_expressions_is_bounded(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };

	skip_without_libiberty();
	strbuf_puts(&name, "_Z1fIDTspcv");
	put_function_types(&name, 10);
	strbuf_puts(&name, "fp_EEvv");
	assert_true(demangle_check_itanium(name.at));
	strbuf_clear(&name);
	strbuf_puts(&name, "_Z1fIDTspcv");
	put_function_types(&name, 10);
	strbuf_puts(&name, "S0_S0_S0_S0_S0_S0_S0_fp_EEvv");
	assert_shown(name.at, name.at);
}

/* 25 back references are too many for names with packs. */
static void cpp_pack_letters_are_found_outside_of_identifiers(
	void **state _unused_)
{
	static const struct {
		const char *part;
		bool has_packs;
	} parts[] = {
		{ "5space", false },
		{ "S0_5space", false },
		{ "sp", true },
		{ "5spacesp", true },
		{ "Li99Esp", true },
		{ "Ld99abEsp", true },
		{ "A99_sp", true },
		{ "fL99p_sp", true },
		{ "v99sp", true },
		{ "DF99_99asp", true },
		{ "99sp", true },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_strbuf_ struct strbuf name = { 0 };

		strbuf_printf(&name, "_Z1fI%s", parts[i].part);
		for (j = 0; j < 25; j++)
			strbuf_puts(&name, "S_");
		assert_int_equal(
			demangle_check_itanium(name.at), !parts[i].has_packs);
	}
}

static void the_work_for_nested_cpp_conversions_is_bounded(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	unsigned i;

	skip_without_libiberty();
	strbuf_puts(&name, "_Z1fI");
	for (i = 0; i < 60; i++)
		strbuf_puts(&name, "N1acvT_I");
	strbuf_puts(&name, "i");
	for (i = 0; i < 60; i++)
		strbuf_puts(&name, "EE");
	strbuf_puts(&name, "Evv");
	assert_shown(name.at, name.at);
	assert_shown("_ZN2cv3Mat8cvtColorEv", "cv::Mat::cvtColor");
}

static void put_base_62(struct strbuf *name, size_t n)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (n > 62)
		strbuf_putc(name, digits[(n - 1) / 62]);
	if (n)
		strbuf_putc(name, digits[(n - 1) % 62]);
	strbuf_putc(name, '_');
}

static void a_rust_name_of_exponential_size_is_cut(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	size_t at = strlen("INvC1a1f");
	unsigned i;

	skip_without_libiberty();
	strbuf_puts(&name, "_RINvC1a1fTuuE");
	for (i = 0; i < 60; i++) {
		size_t next = name.n - strlen("_R");

		strbuf_puts(&name, "TB");
		put_base_62(&name, at);
		strbuf_puts(&name, "B");
		put_base_62(&name, at);
		strbuf_puts(&name, "E");
		at = next;
	}
	strbuf_puts(&name, "E");
	assert_cut(name.at, "a::f::<((), ()), ");
}

static void the_number_of_lifetimes_in_a_rust_name_is_bounded(
	void **state _unused_)
{
	skip_without_libiberty();
	assert_shown("_RINvC1a1fFG_EuE", "a::f::<for<'a> fn()>");
	assert_shown("_RINvC1a1fFGzzzzzz_EuE", "_RINvC1a1fFGzzzzzz_EuE");
	/* Not printed, and counted in full. */
	assert_shown("_RNvMINtC1a1bFGzzzzzz_EuEC1a1c",
		"_RNvMINtC1a1bFGzzzzzz_EuEC1a1c");
	assert_false(demangle_check_rust("_RINvC1a1fDGzzzzzz_EL_E"));
}

/* A function with a parameter whose type, of two BASEs, doubles with each
 * level. */
static void put_d_name(struct strbuf *name, const char *base, unsigned levels)
{
	size_t at = strlen("_D1a1fF");
	unsigned i;

	strbuf_printf(name, "_D1a1fFH%si", base);
	for (i = 0; i < levels; i++) {
		size_t next = name->n;

		strbuf_puts(name, "HQ");
		strbuf_putc(name, (char)('a' + (name->n - 1 - at)));
		strbuf_puts(name, "Q");
		strbuf_putc(name, (char)('a' + (name->n - 1 - at)));
		at = next;
	}
	strbuf_puts(name, "Zv");
}

static void a_d_name_of_exponential_size_is_shown_mangled(void **state _unused_)
{
	static const struct {
		const char *base, *shown;
		unsigned levels;
	} names[] = {
		{ "i", "a.f", 4 },
		/* 3041 characters before the parameters are removed */
		{ "yyyyyyyyi", "a.f", 4 },
		{ "i", NULL, 40 },
	};
	size_t i;

	skip_without_libiberty();
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf name = { 0 };

		put_d_name(&name, names[i].base, names[i].levels);
		assert_shown(name.at, names[i].shown ?: name.at);
	}
}

/*
 * Each name has one identifier of SIZE characters. libiberty itself shows no
 * C++ name of more than 1,024.
 */
static void assert_long_names(size_t size, bool is_shown)
{
	static const char *const starts[][2] = { { "_RNvC1a", "" },
		{ "_D1a", "FZv" } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		_cleanup_strbuf_ struct strbuf name = { 0 };
		_cleanup_free_ char *shown = NULL;

		strbuf_printf(&name, "%s%zu", starts[i][0], size);
		strbuf_fill(&name, 'f', size);
		strbuf_puts(&name, starts[i][1]);
		shown = demangle(name.at);
		assert_int_equal(!!shown, is_shown);
	}
}

static void names_beyond_the_size_limit_are_shown_mangled(void **state _unused_)
{
	skip_without_libiberty();
	assert_long_names(MANGLED_SIZE_MAX - 20, true);
	assert_long_names(MANGLED_SIZE_MAX, false);
}

static void deeply_nested_names_do_not_overflow_the_stack(void **state _unused_)
{
	static const char *const starts[] = { "_Z1fI", "_Z1f", "_RINvC1a1f",
		"_D1f" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		_cleanup_strbuf_ struct strbuf name = { 0 };
		_cleanup_free_ char *shown = NULL;

		strbuf_puts(&name, starts[i]);
		strbuf_fill(&name, 'P', MANGLED_SIZE_MAX - name.n - 1);
		strbuf_puts(&name, "i");
		shown = demangle(name.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_each_language_are_demangled),
		cmocka_unit_test(letters_of_legacy_rust_names_are_decoded),
		cmocka_unit_test(unsafe_letters_of_rust_names_stay_escaped),
		cmocka_unit_test(
			names_of_ocaml_are_demangled_without_libiberty),
		cmocka_unit_test(a_cpp_name_of_exponential_size_is_cut),
		cmocka_unit_test(a_long_cpp_name_is_cut),
		cmocka_unit_test(
			the_work_for_cpp_packs_that_are_not_printed_is_bounded),
		cmocka_unit_test(
			the_work_for_expanded_cpp_expressions_is_bounded),
		cmocka_unit_test(
			cpp_pack_letters_are_found_outside_of_identifiers),
		cmocka_unit_test(
			the_work_for_nested_cpp_conversions_is_bounded),
		cmocka_unit_test(a_rust_name_of_exponential_size_is_cut),
		cmocka_unit_test(
			the_number_of_lifetimes_in_a_rust_name_is_bounded),
		cmocka_unit_test(a_d_name_of_exponential_size_is_shown_mangled),
		cmocka_unit_test(names_beyond_the_size_limit_are_shown_mangled),
		cmocka_unit_test(deeply_nested_names_do_not_overflow_the_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
