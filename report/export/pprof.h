/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that samples of a pprof profile refer to by number: texts,
 * functions, mappings and locations. A text, function or location is written at
 * its first use. Mappings are written last, because the order of mappings
 * depends on their weights. For export_pprof.c.
 */
#ifndef DWELL_REPORT_EXPORT_PPROF_H
#define DWELL_REPORT_EXPORT_PPROF_H

#include "report/export/code_segments.h"
#include "report/resolve/function_numbers.h"
#include "report/scan/inputs.h"
#include "report/util/string_table.h"

/* Fields of the message Profile (profile.proto of github.com/google/pprof). */
enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_TEXT = 6,
	PPROF_TIME_NS = 9,
	PPROF_DURATION_NS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_TYPE = 14,
};

#define PPROF_MARKS_MAX 8u

struct pprof {
	const struct inputs *inputs; /* borrowed */
	struct strbuf *out;	     /* borrowed */
	struct function_numbers functions;
	struct string_table texts;
	struct code_segments segments;
	size_t n_functions; /* number of written functions */
	bool has_mark[PPROF_MARKS_MAX];
	ARRAY(struct pprof_place {
		uint32_t id;	  /* location ID; 0: not written yet */
		uint32_t mapping; /* number of the mapping; 0: none */
		bool is_used;	  /* passed to pprof_use() */
		size_t segment;	  /* number in .segments, if .is_used */
	})
	places;		   /* for each location of the resolver */
	uint32_t n_places; /* number of written locations */
	ARRAY(struct pprof_mapping {
		const struct symbols_source_dso *dso;
		size_t segment; /* number in .segments */
		uint64_t weight;
		/* what at least one location of the mapping has */
		bool has_files, has_lines, has_inlines;
	})
	mappings;	      /* mapping N is element N - 1 */
	uint32_t *by_segment; /* for each segment: number of the mapping; 0: not
			       * used yet; owned */
};

/* Initializes PPROF. The tables are appended to OUT. */
void pprof_init(struct pprof *pprof, const struct inputs *inputs,
	struct resolver *resolver, struct strbuf *out);
void pprof_deinit(struct pprof *pprof);
/*
 * pprof_use() adds WEIGHT to the code that contains LOCATION. Returns false, and
 * adds no weight, if LOCATION is in the kernel or in no mapping. pprof_place()
 * then sets the addresses of the code. Call pprof_use() for all locations of
 * frames before pprof_place(), and pprof_place() before pprof_location().
 */
bool pprof_use(struct pprof *pprof, uint32_t location, uint64_t weight);
void pprof_place(struct pprof *pprof);

/*
 * Returns the number of TEXT in the string table, to which TEXT is added
 * escaped.
 */
uint64_t pprof_text(struct pprof *pprof, const char *text);
/*
 * Returns the ID of the pprof location of one address. FRAME has the N
 * locations of the address: inlined functions, the innermost first, and the
 * function that contains them.
 */
uint64_t pprof_location(struct pprof *pprof, const uint32_t *frame, size_t n);
/*
 * Returns the ID of a pseudo-location, which is not code, called NAME. MARK,
 * below PPROF_MARKS_MAX, identifies the pseudo-location.
 */
uint64_t pprof_mark(struct pprof *pprof, unsigned mark, const char *name);
/*
 * Adds WEIGHT to the mapping of LOCATION, the last element of a FRAME that was
 * passed to pprof_location().
 */
void pprof_count(struct pprof *pprof, uint32_t location, uint64_t weight);
/*
 * Writes all mappings. The first one is the program with the most weight or,
 * without a program, a library or the kernel: pprof uses the first mapping as
 * the program of the profile.
 */
void pprof_put_mappings(struct pprof *pprof);

#endif
