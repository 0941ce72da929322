/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/demangle.h"

#ifdef HAVE_DEMANGLE
#include <setjmp.h>
#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "common/util/strbuf.h"
#include "report/util/demangle_check.h"

/*
 * Limit of a demangled name: SHOWN_SIZE_BASE plus SHOWN_SIZE_EACH per mangled
 * byte. Names of libLLVM and libstdc++ grow to 12 times their size at most.
 */
#define SHOWN_SIZE_BASE KIB(1)
#define SHOWN_SIZE_EACH 32u

static bool is_off;

void demangle_turn(bool is_on)
{
	is_off = !is_on;
}

/*
 * The order is that of frequency; libiberty checks each name much more slowly.
 */
static bool is_mangled_name(const char *name)
{
	static const char *const starts[] = { "_Z", "_R", "__Z", "___Z",
		"_GLOBAL_", "_D" };
	size_t i;

	for (i = 0; name[0] == '_' && i < ARRAY_SIZE(starts); i++)
		if (string_starts(name, starts[i]))
			return true;
	return false;
}

/* libiberty always prints parameters of D: "a.b!(int).c(int) const". */
static void cut_d_parameters(char *name)
{
	char *end = strrchr(name, ')'), *at = end;
	int depth = 0;

	if (!end || (end[1] && end[1] != ' '))
		return;
	for (; at > name; at--) {
		depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	if (at > name && at[-1] != '!')
		*at = '\0';
}

static size_t demangled_size_max(const char *name)
{
	return SHOWN_SIZE_BASE + strlen(name) * SHOWN_SIZE_EACH;
}

static char *demangle_d(const char *name)
{
	_cleanup_free_ char *shown = demangle_check_d(name)
		? cplus_demangle(name, DMGL_DLANG)
		: NULL;

	if (!shown || strlen(shown) > demangled_size_max(name))
		return NULL;
	cut_d_parameters(shown);
	return take_pointer(shown);
}

/* The output of libiberty. */
struct shown {
	struct strbuf text;
	size_t size_max;
	bool is_over; /* the output exceeds .size_max */
	jmp_buf give_up;
};

/*
 * libiberty decodes Punycode into heap memory, which it frees after printing.
 * All other memory that it uses during a callback is on the stack.
 */
static bool is_punycode(const char *data, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (data[i] & '\x80')
			return true;
	return false;
}

/*
 * Leaves libiberty by longjmp() if the output is too long. Discarding the text
 * is not enough: names of some hundred characters can have gigabytes of output.
 */
static void add_printed_piece(const char *data, size_t size, void *to)
{
	struct shown *shown = to;

	shown->is_over |= shown->text.n + size > shown->size_max;
	if (!shown->is_over)
		strbuf_put(&shown->text, data, size);
	else if (!is_punycode(data, size))
		longjmp(shown->give_up, 1);
}

typedef int print_name(
	const char *name, int options, demangle_callbackref callback, void *to);

static char *print_to_buffer(
	struct shown *shown, print_name *print, const char *name)
{
	if (setjmp(shown->give_up) ||
		!print(name, DMGL_AUTO, add_printed_piece, shown) ||
		shown->is_over)
		return NULL;
	return shown->text.at;
}

static char *demangle_bounded(print_name *print, const char *name)
{
	struct shown shown = { .size_max = demangled_size_max(name) };
	char *text = print_to_buffer(&shown, print, name); /* owned by .text */

	if (!text)
		strbuf_free(&shown.text);
	return text;
}

static char *demangle_itanium(const char *name)
{
	return demangle_check_itanium(name)
		? demangle_bounded(cplus_demangle_v3_callback, name)
		: NULL;
}

char *demangle(const char *name)
{
	char *shown;

	if (is_off || !is_mangled_name(name))
		return NULL;
	if (string_starts(name, "_D"))
		return demangle_d(name);
	shown = demangle_check_rust(name)
		? demangle_bounded(rust_demangle_callback, name)
		: NULL;
	return shown ?: demangle_itanium(name);
}

#else

void demangle_turn(bool is_on _unused_)
{
}

char *demangle(const char *name _unused_)
{
	return NULL;
}

#endif
