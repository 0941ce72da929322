/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/escape.h"

static const char *program_name = "dwell";
static enum log_level current = LOG_NORMAL;

void log_init(const char *program)
{
	program_name = program;
}

void log_set_level(enum log_level level)
{
	current = level;
}

enum log_level log_get_level(void)
{
	return current;
}

/* Names from outside reach the terminal here. */
static _printf_(1, 0) void print_line(const char *format, va_list args)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	_cleanup_strbuf_ struct strbuf line = { 0 };

	strbuf_vprintf(&raw, format, args);
	escape_text(&line, raw.at);
	fprintf(stderr, "%s: %s\n", program_name, line.n ? line.at : "");
}

#define DEFINE_LOG(name, level)                                                \
	void name(const char *format, ...)                                     \
	{                                                                      \
		va_list args;                                                  \
                                                                               \
		if (current < (level))                                         \
			return;                                                \
		va_start(args, format);                                        \
		print_line(format, args);                                      \
		va_end(args);                                                  \
	}

DEFINE_LOG(log_error, LOG_QUIET)
DEFINE_LOG(log_note, LOG_NORMAL)
DEFINE_LOG(log_verbose, LOG_VERBOSE)
