/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From raw addresses to locations in the code, each distinct address once,
 * after counting. A location is a function (or, where no symbol is known, one
 * address) of a DSO.
 */
#ifndef DWELL_REPORT_RESOLVE_RESOLVE_H
#define DWELL_REPORT_RESOLVE_RESOLVE_H

#include "report/lines/lines.h"
#include "report/scan/stacks.h"
#include "report/symbols/symbols.h"
#include "report/util/filter.h"

struct location {
	uint32_t dso_name;   /* for resolver_dso_name(): one per shown name */
	/*
	 * The first location that is shown the same: two copies of a library
	 * have one row, two programs of one name keep their functions apart.
	 */
	uint32_t shown_as;
	const struct dso_view *dso; /* NULL: no mapping covered it */
	uint32_t input, number; /* DSO: as maps of that input know it */
	const char *symbol;  /* as the file has it, borrowed from its table;
			      * NULL: unresolved */
	uint64_t start, end; /* of the symbol, or the address itself, twice */
	uint64_t place;      /* of RESOLVE_ADDRESSES and RESOLVE_PLACES: in the
			      * symbol; or 0 */
	uint8_t back;        /* of RESOLVE_ADDRESSES: of a caller, how much
			      * before its address its line is; or 0 */
	uint8_t depth;       /* of RESOLVE_ADDRESSES: so many functions are
			      * inlined deeper there, which aren't it */
	bool is_inlined;     /* .symbol is an inlined function's, demangled;
			      * .start and .end are of what it is in */
	uint64_t map_size;   /* of RESOLVE_MAPPINGS: the mapping's; or 0 */
	bool is_nowhere;     /* nobody recorded an address */
	char level;          /* '.', 'k', 'g', 'u', 'H': as perf marks them */
};

/*
 * Whether its place doesn't matter: it is the same function whatever it was inlined
 * into, or wherever the kernel made it.
 */
static inline bool location_is_told_by_name(const struct location *at)
{
	return at->is_inlined || (at->symbol && symbols_is_ksymbol(at->dso));
}

/* Where one address is: its location, and its address within the DSO. */
struct resolved {
	uint32_t location;
	uint64_t address; /* file offset; the ip itself for kernel code */
	uint32_t number;  /* counts the distinct frames from 0 */
};

/* What a location is, or-ed; rows add up functions in any case. */
enum resolver_grain {
	RESOLVE_FUNCTIONS = 0,
	RESOLVE_ADDRESSES = 1, /* each address of a function for itself */
	RESOLVE_MAPPINGS = 2,  /* each size of a DSO's mappings for itself */
	RESOLVE_INLINES = 4,   /* inlined functions are frames of their own */
	RESOLVE_FULL_PATHS = 8, /* files of source code with their folders */
	RESOLVE_PLACES = 16,    /* as RESOLVE_ADDRESSES; nobody asks for lines */
	RESOLVE_FILES = 32,     /* all code of a DSO is one; none has a name */
	RESOLVE_BUILDS = 64,    /* DSO names tell files of one path apart */
};

struct resolver;
struct resolver *resolver_create(unsigned grain);
/*
 * Adds the next input, from 0 as frames number them: its parts are borrowed.
 * What is shown the same of several inputs is shown as one location.
 */
void resolver_add(struct resolver *resolver, struct reader *reader,
	const struct survey *survey, struct files *files);
void resolver_destroy(struct resolver *resolver);

/* Looked up once, then remembered. */
struct resolved resolver_find(
	struct resolver *resolver, const struct frame *frame);

/* Whether a frame may be several locations; whether each address is one. */
bool resolver_expands(const struct resolver *resolver);
bool resolver_wants_lines(const struct resolver *resolver);
/* Where the N FRAMES, of one input, were written, which takes time, is found out at once. */
void resolver_prepare(
	struct resolver *resolver, const struct frame *frames, size_t n);
/*
 * What FRAME is in a callchain, as the SAMPLED code or as a caller: the innermost
 * inlined function first, the function of the frame last. At most LINE_DEPTH_MAX
 * numbers to RET; how many these are, at least 1.
 */
size_t resolver_expand(struct resolver *resolver, const struct frame *frame,
	bool is_sampled, uint32_t ret[LINE_DEPTH_MAX]);

const struct location *resolver_location(
	const struct resolver *resolver, uint32_t location);
uint32_t resolver_n_locations(const struct resolver *resolver);

/*
 * The DSO's name as it is shown; borrowed. With RESOLVE_BUILDS it ends in a mark,
 * " [build 1a2b3c4d]", if other files of the same path are in the inputs.
 */
const char *resolver_dso_name(const struct resolver *resolver, uint32_t name);
/* That mark of the DSO of AT, or ""; borrowed. */
const char *resolver_build_mark(
	const struct resolver *resolver, const struct location *at);
/*
 * Whether FILTER wants code of LOCATION: by the DSO's name (with or without
 * its mark) or path, and by the
 * symbol's name without a mark.
 */
bool resolver_passes(struct resolver *resolver, const struct filter *filter,
	uint32_t location);
/* The first half of that. */
bool resolver_passes_dso(const struct resolver *resolver,
	const struct filter *filter, uint32_t location);
/* Whether TEXT is part of the symbol's name; any location holds NULL. */
bool resolver_has_text(
	struct resolver *resolver, uint32_t location, const char *text);
/* '.', 'k', ...: how perf marks code of CPUMODE. */
char resolver_level(uint8_t cpumode);
/*
 * The symbol as it is shown: demangled, marked with " (?)" where its file may
 * have changed, and with " (inlined)"; "0x..." for an unresolved address,
 * "[not recorded where]" without one. Borrowed from RESOLVER.
 */
const char *resolver_symbol_name(
	struct resolver *resolver, uint32_t location);
/* The same without that: what was inlined reads as what wasn't. */
const char *resolver_function_name(
	struct resolver *resolver, uint32_t location);
/* How a line that isn't known is told; perf's ways. */
enum line_style {
	LINE_BY_SYMBOL, /* "name+12" */
	LINE_BY_OFFSET, /* "+12": the name stands before it */
	LINE_BY_DSO,    /* "libc.so.6[12ab]" */
};
/*
 * "file.c:12", without the folder unless it is asked for; "??:0" of code in a
 * file that is there, but has no line; else as STYLE says. Of RESOLVE_ADDRESSES
 * only.
 */
void resolver_put_line(struct resolver *resolver, uint32_t location,
	enum line_style style, struct strbuf *out);
/*
 * What stands at ADDRESS of LOCATION's DSO, as lines_frames() tells, inlined
 * functions by their readable names.
 */
size_t resolver_frames(struct resolver *resolver, uint32_t location,
	uint64_t address, struct line_frame ret[LINE_DEPTH_MAX]);
/*
 * The readable name of what covers ADDRESS of LOCATION's DSO, sampled or not, and
 * where that starts. The caller's; NULL: not known.
 */
char *resolver_name_at(struct resolver *resolver, uint32_t location,
	uint64_t address, uint64_t *start_ret);
/*
 * The file that its source code is in, as debug information tells; NULL if none
 * does. Borrowed from RESOLVER.
 */
const char *resolver_source_file(
	struct resolver *resolver, uint32_t location);

/* A place in source code, the file with its folder if that was asked for. */
struct code_line {
	const char *file; /* borrowed from the resolver; NULL: nobody tells */
	uint32_t line;    /* 0: nobody tells */
};
/* That of LOCATION. Of RESOLVE_ADDRESSES only. */
struct code_line resolver_line(
	struct resolver *resolver, uint32_t location);
/* Where its function begins; of an inlined one its file at most. */
struct code_line resolver_function_line(
	struct resolver *resolver, uint32_t location);

#endif
