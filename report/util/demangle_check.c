/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/demangle_check.h"

#include <ctype.h>
#include <stdlib.h>

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
