/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"

/*
 * Number of bytes that log_pointer() prints before and after the wrong bytes of
 * a long source.
 */
#define POINTER_MARGIN 40u

static const char *program_name = "dwell";
static enum log_level current_level = LOG_NORMAL;
/* Protects current_receiver. Held while current_receiver.receive() runs. */
static pthread_mutex_t receiver_lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_receiver current_receiver;

void log_init(const char *program)
{
	program_name = program;
}

void log_set_level(enum log_level level)
{
	current_level = level;
}

enum log_level log_get_level(void)
{
	return current_level;
}

struct log_receiver log_divert(struct log_receiver receiver)
{
	struct log_receiver before;

	pthread_mutex_lock(&receiver_lock);
	before = current_receiver;
	current_receiver = receiver;
	pthread_mutex_unlock(&receiver_lock);
	return before;
}

void log_print_line(const char *line)
{
	fprintf(stderr, "%s: %s\n", program_name, line);
}

/* Escapes the message, which can contain untrusted names. */
static _printf_(1, 0) void print_log_line(const char *format, va_list args)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	_cleanup_strbuf_ struct strbuf line = { 0 };

	strbuf_vprintf(&raw, format, args);
	escape_text(&line, raw.at);
	pthread_mutex_lock(&receiver_lock);
	if (current_receiver.receive)
		current_receiver.receive(
			current_receiver.context, line.n ? line.at : "");
	else
		log_print_line(line.n ? line.at : "");
	pthread_mutex_unlock(&receiver_lock);
}

/*
 * Appends SIZE bytes of TEXT, escaped. Returns the number of terminal columns
 * that the appended text needs, with one column per character.
 */
static size_t put_escaped_part(
	struct strbuf *out, const char *text, size_t size)
{
	_cleanup_free_ char *part = xstrndup(text, size);
	size_t start = out->n, columns = 0, i;

	escape_text(out, part);
	for (i = start; i < out->n; i++)
		columns += ((unsigned char)out->at[i] & 0xc0) != 0x80;
	return columns;
}

void log_pointer(const char *source, size_t at, size_t length)
{
	size_t first = at > POINTER_MARGIN ? at - POINTER_MARGIN : 0;
	size_t wrong = MIN(length, (size_t)POINTER_MARGIN), left, carets;
	_cleanup_strbuf_ struct strbuf line = { 0 };
	_cleanup_strbuf_ struct strbuf below = { 0 };

	strbuf_puts(&line, first ? "  ..." : "  ");
	left = line.n;
	left += put_escaped_part(&line, source + first, at - first);
	carets = put_escaped_part(&line, source + at, wrong);
	put_escaped_part(&line, source + at + wrong,
		strnlen(source + at + wrong, POINTER_MARGIN));
	strbuf_fill(&below, ' ', left);
	strbuf_fill(&below, '^', MAX(carets, (size_t)1));
	fprintf(stderr, "%s\n%s\n", line.at, below.at);
}

#define DEFINE_LOG(name, level)               \
	void name(const char *format, ...)    \
	{                                     \
		va_list args;                 \
                                              \
		if (current_level < (level))  \
			return;               \
		va_start(args, format);       \
		print_log_line(format, args); \
		va_end(args);                 \
	}

DEFINE_LOG(log_error, LOG_QUIET)
DEFINE_LOG(log_note, LOG_NORMAL)
DEFINE_LOG(log_verbose, LOG_VERBOSE)
