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
 * twice, so that its work doubles with each level. "cv" inside of identifiers
 * is counted, too.
 */
#define CONVERSIONS_MAX 16u
/*
 * For each pack expansion ("Dp", "sp"), libiberty walks the expanded type or
 * expression without marking the nodes that it has visited. With n back
 * references ("S1_", "T0_") it has up to 3^(n/2) nodes: 531,441 for 24.
 * libLLVM's names have at most 24.
 */
#define REFERENCES_MAX 24u
/*
 * A binder ("for<'a, 'b>") has its number of lifetimes in base 62. libiberty
 * counts to the number of lifetimes even if it prints nothing. One digit is 63
 * lifetimes.
 */
#define BINDER_DIGITS_MAX 1u
/*
 * Limit of the characters of a D name after each back reference is replaced by
 * its target.
 */
#define EXPANDED_SIZE_MAX KIB(16)

/*
 * Returns the length of the back reference at AT to a component ("S_", "S1A_")
 * or a parameter ("T_", "T0_"), or 0.
 */
static size_t reference_length(const char *at)
{
	size_t digits;

	if (*at != 'S' && *at != 'T')
		return 0;
	digits = strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	return at[1 + digits] == '_' ? digits + 2 : 0;
}

/*
 * Returns the length of the number at AT in NAME, together with the identifier
 * behind it if the number is surely the length of an identifier. It is not if
 * it can be a literal ("Li42E", "Ld3ffE"), the size of an array or vector
 * ("A3_"), or the number of a parameter ("fL1p_"), of operands ("v1") or of a
 * lambda ("0_").
 */
static size_t number_length(
	const char *name, const char *at, bool is_behind_reference)
{
	size_t digits = strspn(at, "0123456789");
	unsigned long size = strtoul(at, NULL, 10);
	const char *next = at + digits;

	if (at == name || strchr("LAv", at[-1]) ||
		(at[-1] == '_' && !is_behind_reference) ||
		(at - name >= 2 && at[-2] == 'L') || *next == 'E' ||
		*next == '_' || strnlen(next, size) < size)
		return digits;
	return digits + size;
}

/*
 * Returns whether NAME has parameter packs: an expansion of a type ("Dp") or of
 * an expression ("sp"), or sizeof... ("sZ", "sP"). Such letters in identifiers
 * do not count.
 */
static bool has_parameter_packs(const char *name)
{
	const char *at = name;
	bool is_behind_reference = false;

	while (*at) {
		size_t n = reference_length(at);

		if (!n && isdigit((unsigned char)*at))
			at += number_length(name, at, is_behind_reference);
		else if (string_starts(at, "Dp") || string_starts(at, "sp") ||
			string_starts(at, "sZ") || string_starts(at, "sP"))
			return true;
		else
			at += n ? n : 1;
		is_behind_reference = n > 0;
	}
	return false;
}

bool demangle_check_itanium(const char *name)
{
	unsigned conversions = 0, references = 0;
	const char *at;

	if (strnlen(name, MANGLED_SIZE_MAX + 1) > MANGLED_SIZE_MAX)
		return false;
	for (at = name; (at = strstr(at, "cv")); at += strlen("cv"))
		conversions++;
	for (at = name; *at; at++)
		references += reference_length(at) > 0;
	return conversions <= CONVERSIONS_MAX &&
		(references <= REFERENCES_MAX || !has_parameter_packs(name));
}

/*
 * Returns whether AT is the binder of a function pointer ("FG...") or a trait
 * object ("DG...") with too many lifetimes. If an identifier follows, AT is not
 * a binder but the disambiguator of a crate, which has 11 digits of any kind.
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
 * lower case) at offset AT of NAME. Returns the offset of the target, or AT if
 * there is no valid back reference.
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

bool demangle_check_d(const char *name)
{
	/*
	 * The size of NAME up to each character, with back references expanded.
	 */
	uint32_t sizes[MANGLED_SIZE_MAX + 1] = { 0 };
	size_t i;

	for (i = 0; name[i]; i++) {
		size_t target =
			name[i] == 'Q' ? find_reference_target(name, i) : i;
		uint32_t size = 1;

		if (i >= MANGLED_SIZE_MAX)
			return false;
		/* The referenced type ends at an unknown offset before I. */
		if (target < i)
			size += isdigit((unsigned char)name[target])
				? (uint32_t)MIN(
					  strtoul(name + target, NULL, 10),
					  (unsigned long)MANGLED_SIZE_MAX)
				: sizes[i] - sizes[target];
		sizes[i + 1] = sizes[i] + size;
		if (sizes[i + 1] > EXPANDED_SIZE_MAX)
			return false;
	}
	return true;
}

/* --- OCaml --------------------------------------------------------------- */

/* Modules and functions are joined by "__", or by "." since OCaml 5. */
static char *demangle_ocaml(const char *name)
{
	struct strbuf shown = { 0 };
	const char *at = name + strlen("caml");

	while (*at) {
		bool is_joined = string_starts(at, "__");
		char digits[3] = { 0 };
		char escaped = '\0';

		/* "$2b" stands for a printable character. */
		if (at[0] == '$' && isxdigit((unsigned char)at[1]) &&
			isxdigit((unsigned char)at[2])) {
			memcpy(digits, at + 1, 2);
			escaped = (char)strtoul(digits, NULL, 16);
			if (escaped <= ' ' || escaped >= 0x7f)
				escaped = '\0';
		}
		strbuf_putc(&shown, is_joined ? '.' : escaped ?: *at);
		at += is_joined ? 2 : escaped ? 3 : 1;
	}
	return shown.at;
}

/* -------------------------------------------------------------------------- */

static bool is_off;

void demangle_turn(bool is_on)
{
	is_off = !is_on;
}

#ifdef HAVE_DEMANGLE

/*
 * Limit of a demangled name, which is cut there: SHOWN_SIZE_BASE plus
 * SHOWN_SIZE_EACH per mangled byte. Names of libLLVM and libstdc++ grow to 12 times their size at most.
 */
#define SHOWN_SIZE_BASE KIB(1)
#define SHOWN_SIZE_EACH 32u
/* The end of a demangled name that was cut at the limit. */
#define CUT "..."
/* Hexadecimal digits of the largest character of Unicode. */
#define LETTER_DIGITS_MAX 6u
#define MARK '@'

static size_t demangled_size_max(const char *name)
{
	return SHOWN_SIZE_BASE + strlen(name) * SHOWN_SIZE_EACH;
}

/* Cuts SHOWN, the demangled NAME, at the limit. Takes ownership of SHOWN. */
static char *cut_d_name(char *shown, const char *name)
{
	_cleanup_free_ char *whole = shown;
	size_t max = demangled_size_max(name);

	return strlen(whole) <= max ? take_pointer(whole)
				    : xasprintf("%.*s" CUT, (int)max, whole);
}

static char *demangle_d(const char *name)
{
	_cleanup_free_ char *shown = demangle_check_d(name)
		? cplus_demangle(name, DMGL_DLANG)
		: NULL;

	if (!shown)
		return NULL;
	/*
	 * Remove the parameters from a demangled D name like "a.b!(int).c(int)
	 * const". libiberty always prints the parameters of D.
	 */
	char *end = strrchr(shown, ')'), *at = end;
	int depth = 0;

	if (!end || (end[1] && end[1] != ' '))
		return cut_d_name(take_pointer(shown), name);
	for (; at > shown; at--) {
		depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	if (at > shown && at[-1] != '!')
		*at = '\0';
	return cut_d_name(take_pointer(shown), name);
}

/* The demangled name that libiberty prints. */
struct demangled_text {
	struct strbuf text;
	size_t size_max;
	bool is_over; /* the output exceeds .size_max, and .text was cut */
	jmp_buf give_up;
};

/* Adds what fits of the SIZE bytes at DATA, whole UTF-8 characters, and "...". */
static void cut_printed_text(
	struct demangled_text *shown, const char *data, size_t size)
{
	size_t room = MIN(shown->size_max - shown->text.n, size);

	while (room && room < size && (data[room] & '\xc0') == '\x80')
		room--;
	strbuf_put(&shown->text, data, room);
	strbuf_puts(&shown->text, CUT);
	shown->is_over = true;
}

/*
 * Leaves libiberty by longjmp() if the output is too long. Discarding the text
 * is not enough: names of some hundred characters can have gigabytes of output.
 * libiberty decodes Punycode into heap memory and frees the memory after
 * printing, so longjmp() would leak it. All other memory that libiberty uses
 * during a callback is on the stack.
 */
static void add_printed_piece(const char *data, size_t size, void *to)
{
	struct demangled_text *shown = to;
	bool is_punycode = false;
	size_t i;

	if (!shown->is_over && shown->text.n + size <= shown->size_max) {
		strbuf_put(&shown->text, data, size);
		return;
	}
	if (!shown->is_over)
		cut_printed_text(shown, data, size);
	for (i = 0; i < size; i++)
		is_punycode |= data[i] & '\x80';
	if (!is_punycode)
		longjmp(shown->give_up, 1);
}

typedef int print_name(
	const char *name, int options, demangle_callbackref callback, void *to);

static char *print_to_buffer(
	struct demangled_text *shown, print_name *print, const char *name)
{
	if (!setjmp(shown->give_up) &&
		!print(name, DMGL_AUTO, add_printed_piece, shown) &&
		!shown->is_over)
		return NULL;
	return shown->text.at;
}

static char *demangle_bounded(print_name *print, const char *name)
{
	struct demangled_text shown = { .size_max = demangled_size_max(name) };
	/* owned by shown.text */
	char *text = print_to_buffer(&shown, print, name);

	if (!text)
		strbuf_free(&shown.text);
	return text;
}

/* --- letters in names of Rust ------------------------------------------- */

/*
 * Rust's legacy mangling escapes letters that are not ASCII ("$uf6$").
 * libiberty does not decode them, nor any escape behind them in the same
 * identifier. Therefore they are marked ("@uf6@") for libiberty, which prints
 * marks unchanged, and decoded in its output.
 */

/*
 * Returns whether C may be printed: a character of Unicode that is not ASCII,
 * and neither controls the terminal nor the direction or width of the text.
 */
static bool is_shown_letter(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = { { 0, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0xd800, 0xf8ff }, { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
		{ 0xe0000, UINT32_MAX } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hidden); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return false;
	return true;
}

/*
 * Returns the length of the escape at AT, which begins and ends with BORDER, or
 * 0 if there is no escape of a letter that is shown. Sets *LETTER to the letter.
 */
static size_t letter_length(const char *at, char border, uint32_t *letter)
{
	size_t digits;

	if (at[0] != border || at[1] != 'u')
		return 0;
	digits = strspn(at + 2, "0123456789abcdef");
	if (!digits || digits > LETTER_DIGITS_MAX || at[2 + digits] != border)
		return 0;
	*letter = (uint32_t)strtoul(at + 2, NULL, 16);
	return is_shown_letter(*letter) ? digits + 3 : 0;
}

/* Returns NAME with marked letters, owned by the caller; NULL: no letters. */
static char *mark_letters(const char *name)
{
	char *marked = NULL;
	const char *at = name;
	uint32_t letter;

	while ((at = strchr(at, '$'))) {
		size_t size = letter_length(at, '$', &letter);

		if (size) {
			marked = marked ?: xasprintf("%s", name);
			marked[at - name] = MARK;
			marked[at - name + (ptrdiff_t)size - 1] = MARK;
		}
		at += size ? size : 1;
	}
	return marked;
}

/*
 * Returns SHOWN with the marked letters decoded. Takes ownership of SHOWN. Rust
 * puts "_" before an escape at the start of an identifier.
 */
static char *decode_letters(char *shown)
{
	_cleanup_free_ char *marked = shown;
	struct strbuf out = { 0 };
	const char *at = marked;
	uint32_t letter;

	while (*at) {
		size_t size = letter_length(at, MARK, &letter);
		bool is_first = at == marked || at[-1] == ':';

		if (size)
			strbuf_put_utf8(&out, letter);
		else if (*at != '_' || !is_first ||
			!letter_length(at + 1, MARK, &letter))
			strbuf_putc(&out, *at);
		at += size ? size : 1;
	}
	return out.at;
}

static char *demangle_rust(const char *name)
{
	_cleanup_free_ char *marked = NULL;
	char *shown;

	if (!demangle_check_rust(name))
		return NULL;
	if (string_starts(name, "_ZN"))
		marked = mark_letters(name);
	shown = demangle_bounded(rust_demangle_callback, marked ?: name);
	return shown && marked ? decode_letters(shown) : shown;
}

/* ------------------------------------------------------------------------- */

static char *demangle_with_libiberty(const char *name)
{
	/*
	 * Prefixes of mangled names, the most frequent one first. The same
	 * check of libiberty is much slower.
	 */
	static const char *const starts[] = { "_Z", "_R", "__Z", "___Z",
		"_GLOBAL_", "_D" };
	size_t i = 0;
	char *shown;

	if (name[0] != '_')
		return NULL;
	while (!string_starts(name, starts[i]))
		if (++i == ARRAY_SIZE(starts))
			return NULL;
	if (string_starts(name, "_D"))
		return demangle_d(name);
	shown = demangle_rust(name);
	return shown
		?: (demangle_check_itanium(name)
				   ? demangle_bounded(
					     cplus_demangle_v3_callback, name)
				   : NULL);
}

#else

#include "common/util/log.h"

static char *demangle_with_libiberty(const char *name)
{
	if (string_starts(name, "_Z") || string_starts(name, "_R"))
		log_note_once("names of C++ and Rust are not demangled: dwell "
			      "was built without libiberty (Debian package: "
			      "libiberty-dev)");
	return NULL;
}

#endif

char *demangle(const char *name)
{
	if (is_off)
		return NULL;
	/* "caml" and a module, which begins with an upper-case letter. */
	return (string_starts(name, "caml") && isupper((unsigned char)name[4]))
		? demangle_ocaml(name)
		: demangle_with_libiberty(name);
}
