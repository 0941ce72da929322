/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory allocation that never returns NULL. If memory is exhausted, the
 * program calls the exit handler, which can flush data, and exits with
 * status 1.
 */
#ifndef DWELL_COMMON_UTIL_ALLOC_H
#define DWELL_COMMON_UTIL_ALLOC_H

#include "common/util/base.h"

/*
 * The x*() functions return memory that the caller owns, never NULL. xcalloc()
 * zeroes the memory.
 */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *old, size_t size);
/* Reallocates OLD for N elements of SIZE bytes. Exits if N * SIZE overflows. */
void *xrealloc_array(void *old, size_t n, size_t size);
void *xmemdup(const void *data, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t n);
char *xasprintf(const char *format, ...) _printf_(1, 2);

/*
 * Sets a handler that is called once, as HANDLER(DATA), before the program
 * exits because memory is exhausted. NULL removes the handler.
 */
void alloc_set_exit_handler(void (*handler)(void *data), void *data);

#endif
