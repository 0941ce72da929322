/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the size limit of the section of unwind rules. */
#include "config.h"

#include "report/pack/pack_rules.h"

#include "report/unwind/dso_rules.h"
#include "tests/unit/testing.h"

static const struct build_id no_id;

static struct dso dso_of(const char *path)
{
	return (struct dso){ .path = (char *)path };
}

/* Adds rules of SIZE bytes, which start with their size. */
static void add(struct pack_rules *rules, const char *path, uint32_t size)
{
	const struct dso dso = dso_of(path);
	_cleanup_strbuf_ struct strbuf piece = { 0 };

	strbuf_put_u32(&piece, size);
	strbuf_fill(&piece, 0, size - sizeof(size));
	pack_rules_add(rules, &dso, &no_id, &piece);
}

static bool has(const struct packed_dsos *packed, const char *path)
{
	const struct dso dso = dso_of(path);

	return packed_dsos_find(packed, &dso, &no_id) != NULL;
}

static void unwind_rules_beyond_the_size_limit_are_left_out(
	void **state _unused_)
{
	struct pack_rules rules = { .left = 1000 };
	struct strbuf out = { 0 };
	struct packed_dsos *packed;

	add(&rules, "/first", 600);
	add(&rules, "/large", 400);
	add(&rules, "/small", 200);
	add(&rules, "/second", 400);
	assert_int_equal(rules.n, 2);
	assert_int_equal(rules.n_omitted, 2);
	pack_rules_finish(&rules, &out);
	assert_in_range(out.n, 800, 1000 + 8);
	packed = packed_dsos_read(&out, dso_rules_have_valid_size);
	assert_true(has(packed, "/first"));
	assert_false(has(packed, "/large"));
	assert_true(has(packed, "/small"));
	assert_false(has(packed, "/second"));
	packed_dsos_destroy(packed);
}

static void no_section_is_written_if_no_unwind_rules_fit(void **state _unused_)
{
	struct pack_rules rules = { .left = 100 };
	struct strbuf out = { 0 };

	add(&rules, "/large", 104);
	pack_rules_finish(&rules, &out);
	assert_int_equal(out.n, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			unwind_rules_beyond_the_size_limit_are_left_out),
		cmocka_unit_test(no_section_is_written_if_no_unwind_rules_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
