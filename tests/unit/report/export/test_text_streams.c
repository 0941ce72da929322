/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/text_streams.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

#define MEMORY_MAX 64u

static int append(void *data, const void *bytes, size_t size)
{
	strbuf_put(data, bytes, size);
	return 0;
}

static void put(struct text_streams *streams, size_t number, const char *text)
{
	strbuf_puts(text_streams_text(streams, number), text);
	text_streams_added(streams, number, strlen(text));
}

/* Copies all streams one after another. */
static void copy_all(struct text_streams *streams, size_t n, struct strbuf *ret)
{
	struct outflow out = { .sink = { .append = append, .data = ret } };
	size_t i;

	for (i = 0; i < n; i++) {
		strbuf_putc(&out.text, '|');
		text_streams_copy(streams, i, &out);
	}
	assert_null(outflow_end(&out, NULL));
	assert_null(text_streams_end(streams));
}

static void texts_of_several_streams_are_kept_separately(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	struct text_streams streams;

	text_streams_init(&streams, NULL, MEMORY_MAX);
	put(&streams, 0, "a");
	put(&streams, 2, "c");
	put(&streams, 0, "A");
	copy_all(&streams, 4, &all);
	assert_text(&all, "|aA||c|");
	assert_int_equal(streams.fd, -1);
	text_streams_deinit(&streams);
}

static void long_streams_are_stored_in_a_temporary_file(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	_cleanup_strbuf_ struct strbuf wanted = { 0 };
	struct text_streams streams;
	size_t i;

	text_streams_init(&streams, NULL, MEMORY_MAX);
	for (i = 0; i < 1000; i++) {
		put(&streams, 1, "right ");
		put(&streams, 0, "left");
	}
	assert_true(streams.fd >= 0);
	assert_true(streams.in_memory <= MEMORY_MAX);
	copy_all(&streams, 2, &all);
	strbuf_putc(&wanted, '|');
	for (i = 0; i < 1000; i++)
		strbuf_puts(&wanted, "left");
	strbuf_putc(&wanted, '|');
	for (i = 0; i < 1000; i++)
		strbuf_puts(&wanted, "right ");
	assert_text(&all, wanted.at);
	text_streams_deinit(&streams);
}

static void a_missing_temporary_folder_is_an_error(void **state _unused_)
{
	struct text_streams streams;
	_cleanup_error_ struct error *err = NULL;
	size_t i;

	setenv("TMPDIR", "/nonexistent", 1);
	text_streams_init(&streams, NULL, MEMORY_MAX);
	for (i = 0; i < 100; i++)
		put(&streams, 0, "text");
	unsetenv("TMPDIR");
	err = text_streams_end(&streams);
	assert_non_null(err);
	assert_non_null(strstr(err->text, "/nonexistent"));
	text_streams_deinit(&streams);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_several_streams_are_kept_separately),
		cmocka_unit_test(long_streams_are_stored_in_a_temporary_file),
		cmocka_unit_test(a_missing_temporary_folder_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
