/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolves addresses to locations after counting, each distinct address once. A
 * location is a function of a DSO or, without a symbol, an address.
 */
#ifndef DWELL_REPORT_RESOLVE_RESOLVE_H
#define DWELL_REPORT_RESOLVE_RESOLVE_H

#include "report/lines/lines.h"
#include "report/scan/stacks.h"
#include "report/symbols/symbols.h"
#include "report/util/filter.h"

struct location {
	uint32_t dso_name; /* for resolver_dso_name(); same for equal names */
	/*
	 * The first location that is displayed in the same way: two copies of a
	 * library have one row; equally named programs have separate functions.
	 */
	uint32_t shown_as;
	const struct symbols_source_dso
		*dso; /* NULL: no mapping covers the address */
	/* number of the DSO in the maps of .input */
	uint32_t input, number;
	/*
	 * Name as in the file, borrowed from the symbol table; NULL: the
	 * address has no symbol.
	 */
	const char *symbol;
	uint64_t start, end; /* of the symbol; without symbol: the address */
	uint64_t
		place; /* for RESOLVE_ADDRESSES: offset in the symbol; else 0 */
	/*
	 * For RESOLVE_ADDRESSES: distance from a return address back to the
	 * address whose source line is used; else 0.
	 */
	uint8_t back;
	/*
	 * For RESOLVE_ADDRESSES: number of functions that are inlined into this
	 * function at the address; else 0.
	 */
	uint8_t depth;
	/*
	 * .symbol is the name of an inlined function, without scopes and
	 * position, and .inlined its number; .start and .end are of the
	 * function that it is inlined into.
	 */
	bool is_inlined;
	uint32_t inlined;
	/*
	 * The location stands for frames of .dso that --collapse-dso joined, or
	 * for no code (resolver_mark()): .symbol is "[NAME]", and .start, .end
	 * and .place are 0.
	 */
	bool is_collapsed;
	uint64_t map_size; /* size of the mapping if RESOLVE_MAPPINGS, or 0 */
	bool is_nowhere;   /* the sample has no address */
	bool is_guessed;   /* .symbol is made up: symbols_guess() */
	/* perf's privilege level: '.', 'k', 'g', 'u', 'H' */
	char level;
};

/*
 * Returns whether .symbol alone identifies the function of AT: the pointer for
 * an inlined function and for joined frames, the text for code that the kernel
 * generated.
 */
static inline bool location_is_identified_by_name(const struct location *at)
{
	return at->is_inlined || at->is_collapsed ||
		(at->symbol && symbols_is_ksymbol(at->dso));
}

/* The location of one address, and the position of the address in its DSO. */
struct resolver_frame {
	uint32_t location;
	uint64_t address; /* file offset; kernel code: the address itself */
	uint32_t number;  /* number of the distinct frame, from 0 */
};

/* Flags that define what one location is. Rows always sum up functions. */
enum resolver_grain {
	RESOLVE_FUNCTIONS = 0,
	RESOLVE_ADDRESSES = 1,	/* each address of a function is one location */
	RESOLVE_MAPPINGS = 2,	/* each mapping size of a DSO is one location */
	RESOLVE_INLINES = 4,	/* inlined functions are frames */
	RESOLVE_FULL_PATHS = 8, /* source file names include folders */
	RESOLVE_FILES = 32,	/* each DSO is one location; no symbols */
	/* DSO names distinguish files of the same path */
	RESOLVE_BUILDS = 64,
	/* code without symbols has functions by its unwind rules */
	RESOLVE_GUESSES = 128,
};

struct resolver;
struct resolver *resolver_create(unsigned grain);
/*
 * Adds a recording as the next input, numbered from 0 as in struct frame. The
 * parameters are borrowed. Locations of several inputs that are displayed in
 * the same way have one .shown_as.
 */
void resolver_add(struct resolver *resolver, struct reader *reader,
	const struct survey *survey, struct files *files);
void resolver_destroy(struct resolver *resolver);

/* Resolves FRAME; results are cached. */
struct resolver_frame resolver_find(
	struct resolver *resolver, const struct frame *frame);

/*
 * Returns the distance from the address of FRAME, a caller, back to an address
 * in its call instruction: 1 for a return address, else 0. Callers from unwound
 * stack copies are addresses inside the call already.
 */
uint8_t resolver_call_distance(
	const struct resolver *resolver, const struct frame *frame);
/* Returns the flags that were passed to resolver_create(). */
unsigned resolver_grain(const struct resolver *resolver);
/* Finds the source lines of N FRAMES of one input at once, which is faster. */
void resolver_prepare(
	struct resolver *resolver, const struct frame *frames, size_t n);
/*
 * Writes the locations of FRAME, a frame of a call chain, to RET: the innermost
 * inlined function first, the function of the frame last. If IS_SAMPLED, FRAME
 * is the sampled frame, not a caller. Returns the number of locations, 1 to
 * LINE_DEPTH_MAX.
 */
size_t resolver_expand(struct resolver *resolver, const struct frame *frame,
	bool is_sampled, uint32_t ret[LINE_DEPTH_MAX]);

/*
 * Returns the location, with .is_collapsed set, that stands for joined frames
 * of the DSO of LOCATION.
 */
uint32_t resolver_collapse_dso(struct resolver *resolver, uint32_t location);

/*
 * Returns the location, with .is_collapsed set and without a DSO, of frames
 * named NAME that stand for no code.
 */
uint32_t resolver_mark(struct resolver *resolver, const char *name);

const struct location *resolver_location(
	const struct resolver *resolver, uint32_t location);
uint32_t resolver_n_locations(const struct resolver *resolver);

/*
 * Returns the displayed DSO name with number NAME; borrowed. With
 * RESOLVE_BUILDS the name ends with " [build 1a2b3c4d]" if the inputs have
 * other files of the same path.
 */
const char *resolver_dso_name(const struct resolver *resolver, uint32_t name);
/*
 * Returns the mark " [build 1a2b3c4d]" that the name of AT's DSO ends with, or
 * ""; borrowed.
 */
const char *resolver_build_mark(
	const struct resolver *resolver, const struct location *at);
/*
 * Returns the hash of the build ID of AT's DSO, which is not NULL; 0: not
 * known.
 */
uint64_t resolver_build(
	const struct resolver *resolver, const struct location *at);
/*
 * Returns whether FILTER passes LOCATION, by the DSO's name (with or without
 * the build mark) or path, and by the symbol's name without marks.
 */
bool resolver_passes(struct resolver *resolver, const struct filter *filter,
	uint32_t location);
/* Whether FILTER passes the DSO of LOCATION. */
bool resolver_passes_dso(const struct resolver *resolver,
	const struct filter *filter, uint32_t location);
/* Whether the symbol name of LOCATION contains TEXT; true if TEXT is NULL. */
bool resolver_has_text(
	struct resolver *resolver, uint32_t location, const char *text);
/* Returns perf's letter for the privilege level CPUMODE: '.', 'k', ... */
char resolver_level(uint8_t cpumode);
/*
 * Returns the displayed symbol of LOCATION: demangled, with " (?)" if the DSO's
 * file may have changed and with " (inlined)" for an inlined function; "0x..."
 * for an address without a symbol, "[not recorded where]" without an address.
 * The name of an inlined function contains the position of its declaration,
 * "f a.c:12", if it is a lambda, or if the locations so far include another
 * function of the DSO with that name. Borrowed from RESOLVER.
 */
const char *resolver_symbol_name(struct resolver *resolver, uint32_t location);
/* Returns resolver_symbol_name(), but without " (inlined)". */
const char *resolver_function_name(
	struct resolver *resolver, uint32_t location);
/*
 * Returns resolver_function_name(), but the name of an inlined function as perf
 * prints it: demangled, or without its scopes if there is no linkage name.
 */
const char *resolver_peer_name(struct resolver *resolver, uint32_t location);
/*
 * Adds the other names of LOCATION's function to RET, demangled, without
 * versions, and not the name that resolver_function_name() returns. A linker
 * that folds equal functions gives one function several names; only one of them
 * is shown.
 */
struct string_table;
void resolver_other_names(
	struct resolver *resolver, uint32_t location, struct string_table *ret);
/*
 * Appends "and 3 more names: f, g, h" to OUT, unescaped, for LOCATION's other
 * names, of which at most 10 are listed; nothing if it has none.
 */
void resolver_put_other_names(
	struct resolver *resolver, uint32_t location, struct strbuf *out);
/* The text for an unknown source line, as in perf. */
enum resolver_line_style {
	RESOLVE_LINE_BY_SYMBOL, /* "name+12" */
	RESOLVE_LINE_BY_OFFSET, /* "+12": the name is in another column */
	RESOLVE_LINE_BY_DSO,	/* "libc.so.6[12ab]" */
};
/*
 * Appends the source line of LOCATION to OUT: "file.c:12", with the folder if
 * RESOLVE_FULL_PATHS; "??:0" if there is no DSO, or if the DSO's file was found
 * but has no line for the code; else a text of STYLE. Only for
 * RESOLVE_ADDRESSES.
 */
void resolver_put_line(struct resolver *resolver, uint32_t location,
	enum resolver_line_style style, struct strbuf *out);
/*
 * Writes the source lines at ADDRESS of LOCATION's DSO to RET, with the
 * displayed names of inlined functions; the innermost function is first.
 * Returns the number of lines.
 */
size_t resolver_frames(struct resolver *resolver, uint32_t location,
	uint64_t address, struct line_frame ret[LINE_DEPTH_MAX]);
/*
 * Returns the demangled name of the symbol that covers ADDRESS of LOCATION's
 * DSO, even if it has no samples, and its start in *START_RET. The caller frees
 * the name. NULL: not known.
 */
char *resolver_name_at(struct resolver *resolver, uint32_t location,
	uint64_t address, uint64_t *start_ret);
/*
 * Returns the source file of LOCATION from debug information, or NULL. Borrowed
 * from RESOLVER.
 */
const char *resolver_source_file(struct resolver *resolver, uint32_t location);

/* A source line. The file name includes the folder if RESOLVE_FULL_PATHS. */
struct resolver_line {
	const char *file; /* borrowed from the resolver; NULL: not known */
	uint32_t line;	  /* 0: not known */
};
/* Returns the source line of LOCATION. Only for RESOLVE_ADDRESSES. */
struct resolver_line resolver_line(
	struct resolver *resolver, uint32_t location);
/*
 * Returns the source line of the start of LOCATION's function; for an inlined
 * function at most the file.
 */
struct resolver_line resolver_function_line(
	struct resolver *resolver, uint32_t location);
/*
 * Returns resolver_function_line(), or for an inlined function the line of its
 * declaration.
 */
struct resolver_line resolver_declaration(
	struct resolver *resolver, uint32_t location);
/*
 * Returns the path of the source file of LOCATION's function, or NULL if it is
 * not known; borrowed from RESOLVER.
 */
const char *resolver_function_file(
	struct resolver *resolver, uint32_t location);

#endif
