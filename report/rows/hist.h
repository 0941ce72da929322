/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: stacks added up into rows, one histogram per event.
 */
#ifndef DWELL_REPORT_ROWS_HIST_H
#define DWELL_REPORT_ROWS_HIST_H

#include "report/rows/field.h"
#include "report/rows/prefixes.h"
#include "report/scan/inputs.h"

/* How that is called which there was no memory for. */
#define HIST_REST "[others]"

/* Where code is that is ROW's, for each context that it was seen in. */
struct hist_place {
	uint32_t context, location; /* numbers */
	uint32_t row;               /* its number */
};

/* Whose code a period was spent in. */
enum hist_mode {
	HIST_KERNEL,
	HIST_USER,
	HIST_GUEST_KERNEL,
	HIST_GUEST_USER,
	HIST_MODES,
};

struct row {
	uint64_t key[FIELDS_MAX];
	uint64_t self, children; /* periods; children includes self */
	uint64_t samples;        /* self */
	uint64_t by_mode[HIST_MODES]; /* of self, if it was asked for */
	uint32_t location;       /* some location that fell into it */
	bool is_hidden;          /* filtered, or below the limit */
	bool is_rest;            /* of what there was no memory for */
	bool is_on_way;          /* while rows are counted */
	/* The same row of each other event of its group, or NULL. */
	const struct row *const *others;
	uint32_t number;         /* which it was before rows were sorted */
};

struct hist {
	uint32_t event;
	bool has_children;        /* rows for callers too */
	uint64_t samples, period; /* what shares are of: the whole event's,
				   * filtered or not, unless .is_relative */
	ARRAY(struct row) rows;   /* largest first */
	/* Of a group's leader: the others, built like it; see group.h. */
	ARRAY(struct hist) members;
	const struct row **others;
	ARRAY(struct hist_place) places;
	struct hash_index by_place;
	uint32_t rest_row;        /* its number; HASH_NONE: none is needed */
	/*
	 * With wants_trees, by location: the period of all stacks with it. None
	 * where there is no memory for it.
	 */
	ARRAY(uint64_t) through;
	struct prefixes *prefixes; /* the stacks that were counted; owned */
};

#define COLUMNS_MAX (2 * FIELDS_MAX)

struct column {
	const struct field *field;
	uint8_t key; /* its place in a row's, of a FIELD_KEY */
};

/* Programs get overhead, children, sample and period of every row anyway. */
static inline bool column_is_named(const struct column *column)
{
	return column->field->kind == FIELD_KEY ||
		column->field->number >= NUMBER_KERNEL;
}

struct columns {
	struct column at[COLUMNS_MAX];
	size_t n;
};

struct hist_request {
	const struct field *fields[FIELDS_MAX]; /* keys */
	size_t n_fields;
	struct columns columns; /* as they are shown */
	struct columns order;   /* what rows are sorted by, if not by share */
	struct takes takes;     /* of the scan: what the fields need */
	ARRAY(struct field *) own; /* fields of this report alone; owned */
	bool has_chains;       /* stacks have more than one frame */
	size_t group_size;     /* events that one table is of */
	bool has_children;     /* rows for callers too */
	bool wants_trees;
	bool is_inverted;      /* trees start at callers: caller order */
	bool wants_parent;     /* stacks get one (refine.h) */
	bool is_relative;      /* the total is that of the rows shown */
	double percent_limit;  /* rows below are hidden */
	const struct filter *filter;
};

/*
 * Puts the parts of FROM, which then is empty, into INTO's one table, in which
 * locations stand for frames: each distinct address is looked up once. What
 * had numbers of its INPUT (names of commands, events) then has those for all.
 */
void hist_resolve(struct scan *into, struct scan *from,
	const struct input *input, const struct field_names *names);

/* After hist_resolve(). SCAN is borrowed. */
void hist_build(const struct scan *scan, uint32_t event,
	const struct hist_request *request, const struct field_names *names,
	struct hist *ret);
/* By what REQUEST names, otherwise the largest first. */
void hist_sort(struct hist *hist, const struct hist_request *request,
	const struct field_names *names);
/* What a row counts when it is compared with others. */
static inline uint64_t hist_weight(
	const struct hist_request *request, const struct row *row)
{
	return request->has_children ? row->children : row->self;
}

/* The number of ROW that FIELD, no key, shows. */
uint64_t hist_number(const struct row *row, const struct field *field);
/* ROW itself, or what the group's event number MEMBER has there, or NULL. */
static inline const struct row *hist_member_row(
	const struct row *row, size_t member)
{
	return member ? row->others[member - 1] : row;
}

/* The text of a key, without blanks that align it. */
void hist_key_text(const struct row *row, const struct column *column,
	const struct field_names *names, struct strbuf *out);
/* How programs get keys. */
struct hist_key_style {
	void (*escape)(struct strbuf *out, const char *text);
	const char *no_number; /* where a number isn't known */
};
/* The same for programs: what is a number as one, other text escaped. */
void hist_put_key(const struct row *row, const struct column *column,
	const struct field_names *names, const struct hist_key_style *style,
	struct strbuf *out);

/* The number of the row that LOCATION is in, or HASH_NONE. */
uint32_t hist_find(
	const struct hist *hist, uint32_t context, uint32_t location);
void hist_deinit(struct hist *hist);

#endif
