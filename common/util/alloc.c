/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/alloc.h"

#include <stdarg.h>
#include <stdio.h>

static void (*exit_handler)(void *data);
static void *exit_handler_data;

void alloc_set_exit_handler(void (*handler)(void *data), void *data)
{
	exit_handler = handler;
	exit_handler_data = data;
}

static _noreturn_ void exit_out_of_memory(size_t size)
{
	void (*handler)(void *data) = exit_handler;

	fprintf(stderr, "dwell: out of memory: cannot allocate %zu bytes\n",
		size);
	exit_handler = NULL;
	if (handler)
		handler(exit_handler_data);
	_exit(1);
}

void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

void *xcalloc(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size ? size : 1);

	if (!memory)
		exit_out_of_memory(size);
	return memory;
}

void *xrealloc(void *old, size_t size)
{
	void *memory = realloc(old, size ? size : 1);

	if (!memory)
		exit_out_of_memory(size);
	return memory;
}

void *xrealloc_array(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		exit_out_of_memory(SIZE_MAX);
	return xrealloc(old, bytes);
}

void *xmemdup(const void *data, size_t size)
{
	void *memory = xmalloc(size);

	if (size)
		memcpy(memory, data, size);
	return memory;
}

char *xstrdup(const char *text)
{
	return xmemdup(text, strlen(text) + 1);
}

char *xstrndup(const char *text, size_t n)
{
	size_t length = strnlen(text, n);
	char *copy = xmalloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *xasprintf(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		exit_out_of_memory(0);
	va_end(args);
	return text;
}
