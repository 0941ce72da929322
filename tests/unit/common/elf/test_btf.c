/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/elf/btf.h"
#include "common/util/strbuf.h"

static const char strings[] = "\0int\0first\0second";

static void put_type(struct strbuf *out, uint32_t name, uint32_t kind,
	uint32_t members, size_t more)
{
	strbuf_put_u32(out, name);
	strbuf_put_u32(out, kind << 24 | members);
	strbuf_put_u32(out, 0);
	strbuf_fill(out, 1, more);
}

/*
 * Writes types of each size, then two functions. Returns the number of types.
 */
static uint32_t put_types(struct strbuf *out)
{
	put_type(out, 1, 1, 0, 4);	 /* INT */
	put_type(out, 0, 2, 0, 0);	 /* PTR */
	put_type(out, 0, 3, 0, 12);	 /* ARRAY */
	put_type(out, 0, 4, 2, 2 * 12);	 /* STRUCT */
	put_type(out, 0, 5, 1, 12);	 /* UNION */
	put_type(out, 0, 6, 3, 3 * 8);	 /* ENUM */
	put_type(out, 0, 7, 0, 0);	 /* FWD */
	put_type(out, 0, 13, 2, 2 * 8);	 /* FUNC_PROTO */
	put_type(out, 0, 14, 0, 4);	 /* VAR */
	put_type(out, 0, 15, 1, 12);	 /* DATASEC */
	put_type(out, 0, 16, 0, 0);	 /* FLOAT */
	put_type(out, 0, 17, 0, 4);	 /* DECL_TAG */
	put_type(out, 0, 18, 0, 0);	 /* TYPE_TAG */
	put_type(out, 0, 19, 2, 2 * 12); /* ENUM64 */
	put_type(out, 5, 12, 0, 0);	 /* FUNC */
	put_type(out, 11, 12, 0, 0);
	return 16;
}

static uint32_t make_btf(struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf types = { 0 };
	uint32_t last = put_types(&types);

	strbuf_put_u16(out, 0xeb9f);
	strbuf_put_u16(out, 1);
	strbuf_put_u32(out, 24);
	strbuf_put_u32(out, 0);
	strbuf_put_u32(out, (uint32_t)types.n);
	strbuf_put_u32(out, (uint32_t)types.n);
	strbuf_put_u32(out, sizeof(strings));
	strbuf_put(out, types.at, types.n);
	strbuf_put(out, strings, sizeof(strings));
	return last;
}

static void functions_and_types_in_btf_have_their_names(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	uint32_t last = make_btf(&data);
	struct btf btf;

	btf_read(bytes_of(data.at, data.n, false), &btf);
	assert_string_equal(btf_name(&btf, last - 1), "first");
	assert_string_equal(btf_name(&btf, last), "second");
	assert_string_equal(btf_name(&btf, 1), "int");
	assert_null(btf_name(&btf, 0));
	assert_null(btf_name(&btf, 2));
	assert_null(btf_name(&btf, last + 1));
	btf_deinit(&btf);
}

/*
 * Truncated BTF is in a buffer of its size, so that reads beyond are detected.
 */
static void truncated_btf_has_no_names(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	uint32_t last = make_btf(&data);
	size_t n;

	for (n = 0; n < data.n; n++) {
		_cleanup_free_ char *cut = malloc(n + 1);
		struct btf btf;

		memcpy(cut, data.at, n);
		btf_read(bytes_of(cut, n, false), &btf);
		assert_null(btf_name(&btf, last));
		btf_deinit(&btf);
	}
}

static void btf_with_a_wrong_magic_has_no_names(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct btf btf;

	make_btf(&data);
	data.at[0] = 0;
	btf_read(bytes_of(data.at, data.n, false), &btf);
	assert_int_equal(btf.names.n, 0);
	assert_null(btf_name(&btf, 1));
	btf_deinit(&btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_types_in_btf_have_their_names),
		cmocka_unit_test(truncated_btf_has_no_names),
		cmocka_unit_test(btf_with_a_wrong_magic_has_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
