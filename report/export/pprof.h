/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a profile of pprof refers to by number: texts, functions, mappings and
 * places in the code. Each is written when it is first asked for, but for the
 * mappings, of which the end is known at the end. For export_pprof.c.
 */
#ifndef DWELL_REPORT_EXPORT_PPROF_H
#define DWELL_REPORT_EXPORT_PPROF_H

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
	struct strbuf *out;          /* borrowed */
	struct code_names functions;
	struct texts texts;
	size_t n_functions;       /* that are written */
	bool has_mark[PPROF_MARKS_MAX];
	ARRAY(struct pprof_place {
		uint32_t id;      /* 0: it isn't written yet */
		uint32_t mapping; /* its number; 0: none */
	}) places; /* by location */
	uint32_t n_places;	  /* that are written */
	ARRAY(struct pprof_mapping {
		const struct dso_view *dso;
		uint32_t input, number; /* as locations have them */
		uint64_t end, weight;
	}) mappings; /* number 1 is the first one */
	struct hash_index by_dso;
};

/* What comes out goes to OUT. */
void pprof_init(struct pprof *pprof, const struct inputs *inputs,
	struct resolver *resolver, struct strbuf *out);
void pprof_deinit(struct pprof *pprof);

/* The number of TEXT, in which what is no text is made visible. */
uint64_t pprof_text(struct pprof *pprof, const char *text);
/*
 * That of the place of a FRAME, which is N locations: what is inlined there,
 * the innermost first, and the function itself.
 */
uint64_t pprof_location(
	struct pprof *pprof, const uint32_t *frame, size_t n);
/* Whether that of LOCATION was asked for. */
static inline bool pprof_has(const struct pprof *pprof, uint32_t location)
{
	return location < pprof->places.n &&
		pprof->places.at[location].id;
}
/*
 * That of what is no code: NAME, of which MARK, below PPROF_MARKS_MAX, is the
 * number.
 */
uint64_t pprof_mark(struct pprof *pprof, unsigned mark, const char *name);
/* A stack of WEIGHT goes through LOCATION, which was asked for. */
void pprof_count(struct pprof *pprof, uint32_t location, uint64_t weight);
/*
 * All of them, first the program with the most weight: pprof calls it that of
 * the profile. Where there is none it is a library, or else the kernel.
 */
void pprof_put_mappings(struct pprof *pprof);

#endif
