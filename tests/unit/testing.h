/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of every unit test: cmocka with the headers that it needs, and
 * assertions about dwell's types.
 */
#ifndef DWELL_TESTING_H
#define DWELL_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
/*
 * cmocka 2 deprecates assertions, such as assert_in_range(). cmocka 1 does not have the
 * assertions that replace them.
 */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "common/util/error.h"
#include "common/util/strbuf.h"

/* Fills a result before a call, so that a member that is not set is found. */
#define GARBAGE(x) memset(&(x), 0xa5, sizeof(x))

/* Keeps a function as one piece of code. clang makes no clones. */
#if __has_attribute(noclone)
#define _noinline_ __attribute__((noinline, noclone))
#else
#define _noinline_ __attribute__((noinline))
#endif

/*
 * Skips the test because of a lacking requirement, a name in tests/needs.bash.
 * tests/run-tap prints it as the reason.
 */
#define skip_without(name)                         \
	do {                                       \
		print_message("needs %s\n", name); \
		skip();                            \
	} while (0)

/* These macros free the error. */
#define assert_no_error(...)                               \
	({                                                 \
		struct error *found_error = (__VA_ARGS__); \
		if (found_error)                           \
			fail_msg("%s", found_error->text); \
	})
#define assert_error(err, wanted)                               \
	({                                                      \
		struct error *found_error = (err);              \
		assert_non_null(found_error);                   \
		assert_string_equal(found_error->text, wanted); \
		error_free(found_error);                        \
	})

/* Compares the text in the strbuf BUF with WANTED. */
#define assert_text(buf, wanted) \
	assert_string_equal((buf)->at ? (buf)->at : "", wanted)

/*
 * Returns a copy of DATA in a malloc() of exactly SIZE bytes, so that the
 * address sanitizer detects reads beyond its end. Owned by the caller.
 */
static inline uint8_t *exact_copy(const void *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

/*
 * Calls CHECK for WHOLE cut after each of its bytes, and for WHOLE with each
 * byte changed in three ways. CHECK keeps the first SIZE bytes, and combines
 * the byte at AT (SIZE_MAX: none) with CHANGE by XOR.
 */
static inline void check_each_damage(const struct strbuf *whole,
	void (*check)(const struct strbuf *whole, size_t size, size_t at,
		uint8_t change))
{
	size_t i;

	for (i = 0; i <= whole->n; i++)
		check(whole, i, SIZE_MAX, 0);
	for (i = 0; i < whole->n; i++) {
		check(whole, whole->n, i, 0x01);
		check(whole, whole->n, i, 0x80);
		check(whole, whole->n, i, 0xff);
	}
}

#endif
