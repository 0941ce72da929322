/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests unwind rules by file offset, from a file and from a recording. */
#include "config.h"

#include "report/unwind/dso_rules.h"

#include "tests/unit/make_cfi.h"
#include "tests/unit/testing.h"

/* Returns rules with CFA = sp + OFFSET from START on. */
static struct cfi *make_rules(uint64_t start, uint8_t offset)
{
	struct made_cfi made = { .n = 0 };
	const uint8_t program[] = { 0x0e, offset };
	struct cfi *cfi;

	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	made_fde(&made, start, 0x1000, program, sizeof(program));
	cfi = made_cfi(&made, UNWIND_X86_64);
	cfi_lookups_start(cfi);
	return cfi;
}

/* Returns the distance from sp to the CFA at OFFSET, or -1 without a rule. */
static int64_t offset_at(const struct dso_rules *rules, uint64_t offset)
{
	struct dso_rules_answer answer = dso_rules_find(rules, offset);
	uint32_t rule = answer.cfi ? cfi_rule(answer.cfi, offset + answer.delta)
				   : CFI_NONE;

	assert_true(answer.start <= offset && offset < answer.end);
	return rule == CFI_NONE ? -1 : cfi_x86_offset(rule);
}

/* Makes rules of two parts. Pages in both segments belong to the first. */
static void make_two(struct dso_rules *rules)
{
	static const struct elf_segment first[] = {
		{ 0x1000, 0x3000, 0x400000 },
		{ 0x2000, 0x4000, 0x3ff000 },
	};
	static const struct elf_segment second[] = { { 0x8000, 0x9000, 0 } };

	dso_rules_add(rules, make_rules(0x402000, 32), first, 2);
	dso_rules_add(rules, make_rules(0x8000, 48), second, 1);
}

static void a_file_offset_has_the_unwind_rules_of_its_segment(
	void **state _unused_)
{
	struct dso_rules rules = { 0 };
	struct dso_rules_answer answer;

	make_two(&rules);
	assert_int_equal(offset_at(&rules, 0x2000), 32);
	assert_int_equal(offset_at(&rules, 0x1fff), -1);
	/* 0x402000 as linked in the second segment, too. */
	assert_int_equal(offset_at(&rules, 0x3000), 32);
	assert_int_equal(offset_at(&rules, 0x8fff), 48);
	answer = dso_rules_find(&rules, 0x2800);
	assert_int_equal(answer.start, 0x1000);
	assert_int_equal(answer.end, 0x3000);
	answer = dso_rules_find(&rules, 0x5000);
	assert_null(answer.cfi);
	assert_int_equal(answer.start, 0x4000);
	assert_int_equal(answer.end, 0x8000);
	assert_null(dso_rules_find(&rules, 0).cfi);
	assert_int_equal(dso_rules_find(&rules, 0).end, 0x1000);
	assert_int_equal(
		dso_rules_find(&rules, UINT64_MAX - 1).end, UINT64_MAX);
	dso_rules_deinit(&rules);
}

static void looked_up_unwind_rules_are_written_and_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 }, again = { 0 };
	struct dso_rules rules = { 0 }, kept = { 0 };

	make_two(&rules);
	offset_at(&rules, 0x2000);
	offset_at(&rules, 0x8000);
	dso_rules_put(&rules, &bytes);
	dso_rules_deinit(&rules);
	assert_true(dso_rules_have_valid_size(bytes.at, bytes.n));
	assert_false(dso_rules_have_valid_size(bytes.at, bytes.n - 1));
	assert_true(dso_rules_take(bytes.at, NULL, &kept));
	assert_int_equal(kept.cfis.n, 2);
	array_each(&kept.cfis, cfi)
		cfi_lookups_start(*cfi);
	assert_int_equal(offset_at(&kept, 0x2000), 32);
	assert_int_equal(offset_at(&kept, 0x8000), 48);
	assert_int_equal(offset_at(&kept, 0x7fff), -1);
	dso_rules_put(&kept, &again);
	assert_int_equal(again.n, bytes.n);
	assert_memory_equal(again.at, bytes.at, bytes.n);
	dso_rules_deinit(&kept);
}

/* Checks that answers from damaged rules contain their offset. */
static void check_damaged_rules(
	const struct strbuf *whole, size_t at, uint8_t change)
{
	uint8_t *copy = exact_copy(whole->at, whole->n);
	struct dso_rules rules = { 0 };
	uint64_t offset;

	copy[at] ^= change;
	if (dso_rules_have_valid_size(copy, whole->n) &&
		dso_rules_take(copy, NULL, &rules))
		for (offset = 0; offset < 0xa000; offset += 0x100)
			offset_at(&rules, offset);
	else
		assert_null(rules.parts.at);
	dso_rules_deinit(&rules);
	free(copy);
}

static void damaged_unwind_rules_are_refused_or_harmless(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };
	struct dso_rules rules = { 0 };
	size_t i;

	make_two(&rules);
	offset_at(&rules, 0x2000);
	offset_at(&rules, 0x8000);
	dso_rules_put(&rules, &whole);
	dso_rules_deinit(&rules);
	for (i = 0; i < whole.n; i++) {
		check_damaged_rules(&whole, i, 0x01);
		check_damaged_rules(&whole, i, 0x80);
		check_damaged_rules(&whole, i, 0xff);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_file_offset_has_the_unwind_rules_of_its_segment),
		cmocka_unit_test(looked_up_unwind_rules_are_written_and_read),
		cmocka_unit_test(damaged_unwind_rules_are_refused_or_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
