/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/code_pages.h"

#include <sys/mman.h>

#include "tests/unit/testing.h"

#define SIZE (3 * 4096u + 100u)

struct fixture {
	struct code_pages *pages;
	struct code_pages_file file;
	uint8_t content[SIZE], read[SIZE];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t i;

	assert_non_null(f);
	*state = f;
	for (i = 0; i < SIZE; i++)
		f->content[i] = (uint8_t)(i * 7 + i / 256);
	f->file = (struct code_pages_file){ 1, memfd_create("code", 0) };
	assert_int_equal(pwrite(f->file.fd, f->content, SIZE, 0), SIZE);
	f->pages = code_pages_create();
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	code_pages_destroy(f->pages);
	close(f->file.fd);
	free(f);
	return 0;
}

/* Reads SIZE bytes at OFFSET, of which N exist. */
static void assert_read(
	struct fixture *f, uint64_t offset, size_t size, size_t n)
{
	assert_int_equal(
		code_pages_read(f->pages, &f->file, offset, f->read, size), n);
	if (n)
		assert_memory_equal(f->read, f->content + offset, n);
}

static void bytes_are_those_of_the_file(void **state)
{
	struct fixture *f = *state;

	assert_read(f, 0, 5, 5);
	assert_read(f, 4090, 12, 12);
	assert_read(f, 1, SIZE - 1, SIZE - 1);
	assert_read(f, 4090, 12, 12);
}

static void nothing_is_read_beyond_the_end_of_the_file(void **state)
{
	struct fixture *f = *state;

	assert_read(f, SIZE - 10, 20, 10);
	assert_read(f, SIZE, 20, 0);
	assert_read(f, UINT64_MAX - 5, 5, 0);
	f->file = (struct code_pages_file){ 2, -1 };
	assert_read(f, 0, 5, 0);
}

static void a_page_is_read_from_its_file_once(void **state)
{
	struct fixture *f = *state;
	const uint8_t other = (uint8_t)~f->content[8];

	assert_read(f, 0, 5, 5);
	assert_int_equal(pwrite(f->file.fd, &other, 1, 8), 1);
	assert_read(f, 4, 20, 20);
	/* Another file has pages of its own. */
	f->file.number = 2;
	assert_int_equal(code_pages_read(f->pages, &f->file, 8, f->read, 1), 1);
	assert_int_equal(f->read[0], other);
}

static void more_pages_than_the_limit_are_read(void **state)
{
	struct fixture *f = *state;
	uint32_t i;

	for (i = 0; i < 5000; i++) {
		f->file.number = i;
		assert_read(f, 4000, 200, 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			bytes_are_those_of_the_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_is_read_beyond_the_end_of_the_file, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_page_is_read_from_its_file_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			more_pages_than_the_limit_are_read, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
