/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information in bytes, and the rules that it becomes. */
#include "config.h"

#include "common/cfi.h"

#include "common/cfi_private.h"
#include "testing.h"

#define ADDRESS UINT64_C(0x1000)

/* An .eh_frame that grows; addresses in it are absolute, of 64 bits. */
struct made {
	uint8_t bytes[4096];
	size_t n;
};

static void put(struct made *made, const void *data, size_t size)
{
	assert_true(made->n + size <= sizeof(made->bytes));
	memcpy(made->bytes + made->n, data, size);
	made->n += size;
}

/* Gives where an entry begins; it ends at the next 8. */
static size_t begin(struct made *made)
{
	put(made, (uint32_t[]){ 0 }, 4);
	return made->n - 4;
}

static void end(struct made *made, size_t start)
{
	uint32_t size;

	while (made->n & 7)
		put(made, "", 1);
	size = (uint32_t)(made->n - start - 4);
	memcpy(made->bytes + start, &size, sizeof(size));
}

/* LETTERS with their data; then its program. */
static void put_cie(struct made *made, const char *letters, uint8_t ra,
	const void *program, size_t size)
{
	size_t start = begin(made);
	uint8_t data[] = { 1, 0 }; /* addresses: absolute */

	put(made, (uint32_t[]){ 0 }, 4);
	put(made, "\1", 1);
	put(made, letters, strlen(letters) + 1);
	put(made, (uint8_t[]){ 1, 0x78, ra }, 3);
	put(made, data, sizeof(data));
	put(made, program, size);
	end(made, start);
}

static void put_fde(struct made *made, uint64_t from, uint64_t size,
	const void *program, size_t n)
{
	size_t start = begin(made);
	uint32_t cie = (uint32_t)made->n;

	put(made, &cie, sizeof(cie));
	put(made, &from, sizeof(from));
	put(made, &size, sizeof(size));
	put(made, "", 1);
	put(made, program, n);
	end(made, start);
}

#define PUT_FDE(made, from, size, ...)                                         \
	put_fde(made, from, size, (const uint8_t[]){ __VA_ARGS__ },            \
		sizeof((const uint8_t[]){ __VA_ARGS__ }))

static const uint8_t x86_start[] = { 0x0c, 7, 8, 0x90, 1 };
static const uint8_t arm_start[] = { 0x0c, 31, 0 };

static struct cfi *create(const struct made *made, enum unwind_arch arch)
{
	uint8_t *copy = exact_copy(made->bytes, made->n);
	const struct cfi_bytes bytes = { .arch = arch, .eh_frame = copy,
		.eh_frame_size = made->n, .eh_frame_address = 0x900000,
		.start = 0, .end = 0x800000 };
	struct cfi *cfi = cfi_create_from_bytes(&bytes);

	free(copy);
	return cfi;
}

static void assert_sp(const struct cfi *cfi, uint64_t address, int64_t offset)
{
	uint32_t rule = cfi_rule(cfi, address);

	assert_int_equal(cfi_kind(rule), CFI_SP);
	assert_int_equal(cfi_x86_offset(rule), offset);
}

static void rows_of_a_function(void **state)
{
	struct made made = { .n = 0 };
	struct cfi *cfi;
	uint32_t rule;

	(void)state;
	put_cie(&made, "zR", 16, x86_start, sizeof(x86_start));
	/* push %rbp; mov %rsp, %rbp; ...; pop %rbp: CFA = rsp + 8 again */
	PUT_FDE(&made, 0x1000, 0x40, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6,
		0x60, 0x0c, 7, 8);
	cfi = create(&made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(cfi, 0xfff), CFI_NONE);
	assert_sp(cfi, 0x1000, 8);
	assert_sp(cfi, 0x1001, 16);
	assert_int_equal(cfi_x86_fp(cfi_rule(cfi, 0x1003)), 16);
	rule = cfi_rule(cfi, 0x1004);
	assert_int_equal(cfi_kind(rule), CFI_FP);
	assert_int_equal(cfi_x86_offset(rule), 16);
	/* What is below sp now was popped. */
	assert_sp(cfi, 0x103f, 8);
	assert_int_equal(cfi_x86_fp(cfi_rule(cfi, 0x103f)), 0);
	assert_int_equal(cfi_rule(cfi, 0x1040), CFI_NONE);
	assert_int_equal(cfi_rule(cfi, UINT64_MAX), CFI_NONE);
	cfi_unref(cfi);
}

static void special_rules(void **state)
{
	struct made made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	put_cie(&made, "zR", 16, x86_start, sizeof(x86_start));
	/* Undefined return address. */
	PUT_FDE(&made, 0x1000, 0x20, 0x07, 16);
	/* Linkers' .plt: + 8 from the entry's byte 11 on. */
	PUT_FDE(&made, 0x2000, 0x20, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a,
		0x3b, 0x2a, 0x33, 0x24, 0x22);
	/* CFA = *(rbp - 8), and rbp where it points. */
	PUT_FDE(&made, 0x3000, 0x20, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2,
		0x76, 0);
	/* CFA = r10. */
	PUT_FDE(&made, 0x4000, 0x20, 0x0c, 10, 0);
	/* CFA = rbx + 3: no word. */
	PUT_FDE(&made, 0x5000, 0x20, 0x0c, 3, 3);
	cfi = create(&made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(cfi, 0x1010), CFI_ROOT);
	assert_int_equal(cfi_rule(cfi, 0x2010), CFI_PLT | 11 << CFI_PLT_SHIFT);
	assert_int_equal(cfi_kind(cfi_rule(cfi, 0x3010)), CFI_DEREF_FP);
	assert_int_equal(cfi_x86_offset(cfi_rule(cfi, 0x3010)), -8);
	assert_int_equal(cfi_kind(cfi_rule(cfi, 0x4010)), CFI_REGISTER);
	assert_int_equal(cfi_rule(cfi, 0x4010) >> CFI_REGISTER_SHIFT & 15, 10);
	assert_int_equal(cfi_rule(cfi, 0x5010), CFI_COMPLEX);
	cfi_unref(cfi);
}

static void gaps_and_overlaps(void **state)
{
	struct made made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	put_cie(&made, "zR", 16, x86_start, sizeof(x86_start));
	/* Not in order; the second one lies within the first. */
	PUT_FDE(&made, 0x3000, 0x100, 0x0e, 24);
	PUT_FDE(&made, 0x1000, 0x100, 0x0e, 32);
	PUT_FDE(&made, 0x1040, 0x10, 0x0e, 40);
	PUT_FDE(&made, 0x1108, 0x10, 0x0e, 48);
	cfi = create(&made, UNWIND_X86_64);
	assert_sp(cfi, 0x1000, 32);
	assert_sp(cfi, 0x1040, 40);
	assert_int_equal(cfi_rule(cfi, 0x1050), CFI_NONE);
	assert_sp(cfi, 0x1108, 48);
	assert_int_equal(cfi_rule(cfi, 0x1118), CFI_NONE);
	assert_sp(cfi, 0x30ff, 24);
	assert_int_equal(cfi_facts(cfi).n_fdes, 4);
	cfi_unref(cfi);
}

static void padding_is_no_gap(void **state)
{
	struct made made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	put_cie(&made, "zR", 16, x86_start, sizeof(x86_start));
	PUT_FDE(&made, 0x1000, 0x18, 0x0e, 16);
	PUT_FDE(&made, 0x1020, 0x10, 0x0e, 16);
	PUT_FDE(&made, 0x1040, 0x10, 0x0e, 16);
	cfi = create(&made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(cfi, 0x1018), CFI_PADDING);
	assert_sp(cfi, 0x1020, 16);
	assert_int_equal(cfi_rule(cfi, 0x1030), CFI_NONE);
	cfi_unref(cfi);
}

static void damaged_programs_end(void **state)
{
	static const uint8_t programs[][6] = {
		{ 0x41, 0x3f },          /* no such operation */
		{ 0x41, 0x0b },          /* nothing was remembered */
		{ 0x41, 0x0f, 0x7f },    /* an expression longer than the rest */
		{ 0x41, 0x0f, 1, 0x30, 0x0e, 8 }, /* offset of an expression */
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		struct made made = { .n = 0 };
		struct cfi *cfi;

		put_cie(&made, "zR", 16, x86_start, sizeof(x86_start));
		put_fde(&made, 0x1000, 0x20, programs[i], sizeof(programs[i]));
		cfi = create(&made, UNWIND_X86_64);
		assert_sp(cfi, 0x1000, 8);
		assert_int_equal(cfi_rule(cfi, 0x1010), CFI_NONE);
		cfi_unref(cfi);
	}
}

static void damaged_entries_are_left_out(void **state)
{
	struct made made = { .n = 0 };
	struct cfi *cfi;
	size_t i, n;

	(void)state;
	put_cie(&made, "zR", 16, x86_start, sizeof(x86_start));
	PUT_FDE(&made, 0x1000, 0x20, 0x0e, 16);
	PUT_FDE(&made, UINT64_MAX - 8, 0x20, 0x0e, 16);
	PUT_FDE(&made, 0x900000, 0x20, 0x0e, 16);
	cfi = create(&made, UNWIND_X86_64);
	assert_int_equal(cfi_facts(cfi).n_fdes, 1);
	cfi_unref(cfi);
	/* Cut anywhere it is read as far as it goes. */
	n = made.n;
	for (i = 0; i < n; i++) {
		made.n = i;
		cfi_unref(create(&made, UNWIND_X86_64));
	}
}

static void aarch64(void **state)
{
	struct made made = { .n = 0 };
	struct cfi *cfi;
	uint32_t rule;

	(void)state;
	put_cie(&made, "zR", 30, arm_start, sizeof(arm_start));
	/* stp x29, x30, [sp, -48]!; mov x29, sp */
	PUT_FDE(&made, 0x1000, 0x40, 0x44, 0x0e, 48, 0x9d, 6, 0x9e, 5, 0x44,
		0x0d, 29, 0x60, 0x0c, 31, 0, 0xdd, 0xde);
	cfi = create(&made, UNWIND_AARCH64);
	assert_int_equal(cfi_rule(cfi, 0x1000),
		CFI_SP | (uint32_t)CFI_RA_IN_LR << CFI_ARM_RA_SHIFT);
	rule = cfi_rule(cfi, 0x1004);
	assert_int_equal(cfi_kind(rule), CFI_SP);
	assert_int_equal(cfi_arm_offset(rule), 48);
	assert_int_equal(cfi_arm_fp(rule), 48);
	assert_int_equal(rule >> CFI_ARM_RA_SHIFT, CFI_RA_ABOVE_FP);
	assert_int_equal(cfi_kind(cfi_rule(cfi, 0x1008)), CFI_FP);
	assert_int_equal(cfi_rule(cfi, 0x103f), CFI_SP);
	cfi_unref(cfi);
}

static void i386_is_interpreted(void **state)
{
	static const uint8_t start[] = { 0x0c, 4, 4, 0x88, 1 };
	const struct cfi_section *expressions;
	struct made made = { .n = 0 };
	struct cfi_row row;
	struct cfi *cfi;
	size_t at;

	(void)state;
	put_cie(&made, "zR", 8, start, sizeof(start));
	at = begin(&made);
	put(&made, (uint32_t[]){ (uint32_t)made.n, 0x1000, 0x20 }, 12);
	put(&made, "\0\x0e\x0c", 3);
	end(&made, at);
	cfi = create(&made, UNWIND_I386);
	assert_non_null(cfi);
	assert_int_equal(cfi_rule(cfi, 0x1010), CFI_COMPLEX);
	assert_true(cfi_row(cfi, 0x1010, &row, &expressions));
	assert_int_equal(row.cfa.offset, 12);
	assert_false(cfi_row(cfi, 0x1020, &row, &expressions));
	cfi_unref(cfi);
}

static void tables_of_others_are_checked(void **state)
{
	struct cfi_builder *builder = cfi_builder_create(ADDRESS);
	struct cfi_table *table, *copy;
	uint32_t *words;
	size_t size, i;

	(void)state;
	cfi_builder_add(builder, ADDRESS, CFI_SP | 1 << 3);
	cfi_builder_add(builder, ADDRESS + 5000, CFI_NONE);
	table = cfi_builder_finish(builder, 1);
	size = cfi_table_size(table);
	assert_true(cfi_table_is_sound(table, size));
	assert_false(cfi_table_is_sound(table, size - 1));
	/* Any word that is changed is refused, or leads nowhere else. */
	for (i = 0; i < size / 4; i++) {
		copy = (struct cfi_table *)exact_copy(table, size);
		words = (uint32_t *)copy;
		words[i] ^= 0x80000001;
		if (cfi_table_is_sound(copy, size)) {
			cfi_table_rule(copy, ADDRESS);
			cfi_table_rule(copy, ADDRESS + 4999);
			cfi_table_rule(copy, ADDRESS + 5000);
		}
		free(copy);
	}
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_function),
		cmocka_unit_test(special_rules),
		cmocka_unit_test(gaps_and_overlaps),
		cmocka_unit_test(padding_is_no_gap),
		cmocka_unit_test(damaged_programs_end),
		cmocka_unit_test(damaged_entries_are_left_out),
		cmocka_unit_test(aarch64),
		cmocka_unit_test(i386_is_interpreted),
		cmocka_unit_test(tables_of_others_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
