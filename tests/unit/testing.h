/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every unit test includes: cmocka with the headers it needs, and a few
 * assertions in dwell's own words.
 */
#ifndef DWELL_TESTING_H
#define DWELL_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/util/error.h"
#include "common/util/strbuf.h"

/* Results are filled with this before the call, so that none is forgotten. */
#define GARBAGE(x) memset(&(x), 0xa5, sizeof(x))

/* Keeps a function as one piece of code. clang makes no clones. */
#if __has_attribute(noclone)
#define _noinline_ __attribute__((noinline, noclone))
#else
#define _noinline_ __attribute__((noinline))
#endif

/* Each takes ownership of the error. */
#define assert_no_error(...)                                                   \
	({                                                                     \
		struct error *found_error = (__VA_ARGS__);                     \
		if (found_error)                                               \
			fail_msg("%s", found_error->text);                     \
	})
#define assert_error(err, wanted)                                              \
	({                                                                     \
		struct error *found_error = (err);                             \
		assert_non_null(found_error);                                  \
		assert_string_equal(found_error->text, wanted);                \
		error_free(found_error);                                       \
	})

/* The text that was collected in a strbuf. */
#define assert_text(buf, wanted)                                               \
	assert_string_equal((buf)->at ? (buf)->at : "", wanted)

/*
 * A copy that ends where SIZE says, in a malloc() of its own: the address
 * sanitizer sees any read beyond. Owned by the caller.
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
 * WHOLE, cut after each of its bytes, and with each of them changed in three
 * ways: ASK gets what to make of it, how much stays, and which byte to change by
 * what (SIZE_MAX: none).
 */
static inline void ask_each_damage(const struct strbuf *whole,
	void (*ask)(const struct strbuf *whole, size_t size, size_t at,
		uint8_t change))
{
	size_t i;

	for (i = 0; i <= whole->n; i++)
		ask(whole, i, SIZE_MAX, 0);
	for (i = 0; i < whole->n; i++) {
		ask(whole, whole->n, i, 0x01);
		ask(whole, whole->n, i, 0x80);
		ask(whole, whole->n, i, 0xff);
	}
}

#endif
