/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/util/alloc.h"

static _printf_(1, 0) char *format_error_text(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		text = xstrdup("out of memory");
	return text;
}

static struct error *create_error(enum error_kind kind, int errnum, char *text)
{
	struct error *err = xmalloc(sizeof(*err));

	*err = (struct error){ .kind = kind, .errnum = errnum, .text = text };
	return err;
}

struct error *error_new(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_error_text(format, args);
	va_end(args);
	return create_error(ERROR_FAILED, 0, text);
}

struct error *error_usage(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_error_text(format, args);
	va_end(args);
	return create_error(ERROR_USAGE, 0, text);
}

struct error *error_errno(int errnum, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	text = format_error_text(format, args);
	va_end(args);
	return create_error(ERROR_FAILED, errnum,
		xasprintf("%s: %s", text, strerror(errnum)));
}

struct error *error_wrap(struct error *err, const char *format, ...)
{
	_cleanup_free_ char *inner = NULL;
	_cleanup_free_ char *outer = NULL;
	va_list args;

	if (!err)
		return NULL;
	va_start(args, format);
	outer = format_error_text(format, args);
	va_end(args);
	inner = err->text;
	err->text = xasprintf("%s: %s", outer, inner);
	return err;
}

struct error *error_hint(struct error *err, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *hint = NULL;
	va_list args;

	if (!err)
		return NULL;
	va_start(args, format);
	hint = format_error_text(format, args);
	va_end(args);
	text = err->text;
	err->text = xasprintf("%s; %s", text, hint);
	return err;
}

struct error *error_point(
	struct error *err, const char *source, size_t at, size_t length)
{
	if (!err || err->source)
		return err;
	err->source = xstrdup(source);
	err->at = MIN(at, strlen(source));
	err->length = MIN(length, strlen(source) - err->at);
	return err;
}

void error_free(struct error *err)
{
	if (!err)
		return;
	free(err->source);
	free(err->text);
	free(err);
}
