/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#ifdef HAVE_DEMANGLE
#include <setjmp.h>
#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#endif

#include "common/util/strbuf.h"

/* --- checks of mangled names ------------------------------------------- */

/*
 * libiberty parses the template arguments behind a conversion operator ("cv")
 * twice, so that its work doubles with each level. "cv" in identifiers counts,
 * too.
 */
#define CONVERSIONS_MAX 16u
/*
 * For each pack expansion ("Dp"), libiberty walks the type below it without
 * marking what it has seen. A type with n back references ("S1_", "T0_") has up
 * to 3^(n/3) nodes: 2 million for 40. libLLVM's names have at most 24.
 */
#define REFERENCES_MAX 40u
/*
 * A binder ("for<'a, 'b>") has its number of lifetimes in base 62. libiberty
 * counts to that number even where it prints nothing. One digit is 63
 * lifetimes.
 */
#define BINDER_DIGITS_MAX 1u
/*
 * Characters of a D name after each back reference is replaced by what it
 * means.
 */
#define EXPANDED_SIZE_MAX KIB(16)

static unsigned count_substring(const char *name, const char *wanted)
{
	unsigned n = 0;

	while ((name = strstr(name, wanted))) {
		name += strlen(wanted);
		n++;
	}
	return n;
}

/*
 * Back references to components ("S_", "S1A_") and to parameters ("T_", "T0_").
 */
static unsigned count_references(const char *name)
{
	unsigned n = 0;

	for (; *name; name++) {
		size_t digits;

		if (*name != 'S' && *name != 'T')
			continue;
		digits = strspn(
			name + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		n += name[1 + digits] == '_';
	}
	return n;
}

/* Of a type ("Dp"), of sizeof... ("sZ", "sP") and of fold expressions. */
static bool has_parameter_packs(const char *name)
{
	return strstr(name, "Dp") || strstr(name, "sZ") || strstr(name, "sP");
}

bool demangle_check_itanium(const char *name)
{
	return strnlen(name, MANGLED_SIZE_MAX + 1) <= MANGLED_SIZE_MAX &&
		count_substring(name, "cv") <= CONVERSIONS_MAX &&
		(!has_parameter_packs(name) ||
			count_references(name) <= REFERENCES_MAX);
}

/*
 * Of a function pointer ("FG...") or a trait object ("DG..."). Never followed
 * by an identifier: with one, it is the disambiguator of a crate, 11 digits of
 * any kind.
 */
static bool is_large_binder(const char *at)
{
	size_t digits = 0;

	if ((at[0] != 'F' && at[0] != 'D') || at[1] != 'G')
		return false;
	at += 2;
	while (isalnum((unsigned char)at[digits]))
		digits++;
	if (digits <= BINDER_DIGITS_MAX || at[digits] != '_')
		return false;
	at += digits + 1;
	return !isdigit((unsigned char)at[*at == 'u']);
}

bool demangle_check_rust(const char *name)
{
	if (strnlen(name, MANGLED_SIZE_MAX + 1) > MANGLED_SIZE_MAX)
		return false;
	for (; *name; name++)
		if (is_large_binder(name))
			return false;
	return true;
}

/*
 * Reads a back reference ("Q" and a distance in base 26, the last digit in
 * lower case) at offset AT of NAME. Returns the offset of its target; AT: it is
 * none.
 */
static size_t find_reference_target(const char *name, size_t at)
{
	size_t distance = 0, i;

	for (i = at + 1; isupper((unsigned char)name[i]); i++) {
		distance = distance * 26 + (size_t)(name[i] - 'A');
		if (distance > at)
			return at;
	}
	if (!islower((unsigned char)name[i]))
		return at;
	distance = distance * 26 + (size_t)(name[i] - 'a');
	return distance > at ? at : at - distance;
}

/* The length of the identifier at AT. */
static uint32_t read_identifier_length(const char *at)
{
	return (uint32_t)MIN(
		strtoul(at, NULL, 10), (unsigned long)MANGLED_SIZE_MAX);
}

bool demangle_check_d(const char *name)
{
	/* The size of the expanded name up to each character. */
	uint32_t sizes[MANGLED_SIZE_MAX + 1] = { 0 };
	size_t i;

	for (i = 0; name[i]; i++) {
		size_t target =
			name[i] == 'Q' ? find_reference_target(name, i) : i;
		uint32_t size = 1;

		if (i >= MANGLED_SIZE_MAX)
			return false;
		/* A type ends somewhere before I. */
		if (target < i)
			size += isdigit((unsigned char)name[target])
				? read_identifier_length(name + target)
				: sizes[i] - sizes[target];
		sizes[i + 1] = sizes[i] + size;
		if (sizes[i + 1] > EXPANDED_SIZE_MAX)
			return false;
	}
	return true;
}

/* -------------------------------------------------------------------------- */

#ifdef HAVE_DEMANGLE

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
