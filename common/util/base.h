/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Macros and inline functions that every file uses: sizes, attributes, cleanup
 * of local variables, comparisons. Nothing here allocates memory or does I/O.
 */
#ifndef DWELL_COMMON_UTIL_BASE_H
#define DWELL_COMMON_UTIL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a) (((x) + ((typeof(x))(a)-1)) & ~((typeof(x))(a)-1))

#define MIN(a, b)                              \
	({                                     \
		typeof(a) min_a = (a);         \
		typeof(b) min_b = (b);         \
		min_a < min_b ? min_a : min_b; \
	})
#define MAX(a, b)                              \
	({                                     \
		typeof(a) max_a = (a);         \
		typeof(b) max_b = (b);         \
		max_a > max_b ? max_a : max_b; \
	})

/* Returns -1, 0 or 1, for comparison functions of qsort(). Cannot overflow. */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

#define KIB(n) ((n)*1024ul)
#define MIB(n) ((n)*1024ul * 1024ul)
#define GIB(n) ((n)*1024ul * 1024ul * 1024ul)
#define NSEC_PER_SEC UINT64_C(1000000000)
#define NSEC_PER_MSEC UINT64_C(1000000)

#define _unused_ __attribute__((unused))
#define _must_check_ __attribute__((warn_unused_result))
#define _noreturn_ __attribute__((noreturn))
#define _printf_(text, args) __attribute__((format(printf, text, args)))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* At the end of the scope, calls FUNCTION with a pointer to the variable. */
#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_ _cleanup_(base_free_pointer)
#define _cleanup_close_ _cleanup_(base_close_fd)

static inline void base_free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

static inline void base_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Returns the value of P and sets P to NULL: the owner of *P changes. */
#define take_pointer(p)                \
	({                             \
		typeof(p) taken = (p); \
		(p) = NULL;            \
		taken;                 \
	})
/* Returns the value of FD and sets FD to -1. */
#define take_fd(fd)               \
	({                        \
		int taken = (fd); \
		(fd) = -1;        \
		taken;            \
	})

/* Returns the plural ending for N: "1 sample", "2 samples". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Compares two elements of a sorted array of strings, for array_sort(). */
static inline int string_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline bool string_is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static inline bool string_starts(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Returns the name of the file PATH, without its folder. */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
