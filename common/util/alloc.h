/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is there or the program ends. dwell's policy for running out of
 * memory is to write what it has and die, so no caller checks for NULL.
 */
#ifndef DWELL_COMMON_UTIL_ALLOC_H
#define DWELL_COMMON_UTIL_ALLOC_H

#include "common/util/base.h"

/* Each returns memory owned by the caller, never NULL; xcalloc() zeroes it. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *old, size_t size);
/* Room for N elements of SIZE bytes; the product is checked. */
void *xrealloc_array(void *old, size_t n, size_t size);
void *xmemdup(const void *data, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t n);
char *xasprintf(const char *format, ...) _printf_(1, 2);

/*
 * Calls LAST_WORDS(DATA) once before dying of exhausted memory, so that a
 * recorder can flush what it holds. NULL takes it back.
 */
void alloc_before_dying(void (*last_words)(void *data), void *data);

#endif
