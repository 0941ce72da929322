/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: adds the samples of stacks up to rows, one histogram per event.
 */
#ifndef DWELL_REPORT_ROWS_HIST_H
#define DWELL_REPORT_ROWS_HIST_H

#include "report/rows/field.h"
#include "report/rows/prefixes.h"
#include "report/scan/inputs.h"

/* The name of the row for all samples whose rows exceed the memory limit. */
#define HIST_REST "[others]"

/* The row of the code LOCATION in one context. */
struct hist_place {
	uint32_t context, location; /* numbers */
	uint32_t row;		    /* number of the row */
};

/* The modes of a CPU in which a period was spent. */
enum hist_mode {
	HIST_KERNEL,
	HIST_USER,
	HIST_GUEST_KERNEL,
	HIST_GUEST_USER,
	HIST_MODES,
};

struct row {
	uint64_t key[FIELDS_MAX];
	uint64_t self, children;      /* periods; children includes self */
	uint64_t samples;	      /* self */
	uint64_t by_mode[HIST_MODES]; /* of .self, if a column needs it */
	uint32_t location;	      /* one of the locations of the row */
	bool is_hidden;		      /* filtered, or below the limit */
	bool is_rest;	/* the row for samples beyond the memory limit */
	bool is_on_way; /* used while rows are counted */
	/* The same row of each other event of the group, or NULL. */
	const struct row *const *others;
	uint32_t number; /* index of the row before rows were sorted */
};

struct hist {
	uint32_t event;
	bool has_children; /* rows for callers too */
	/*
	 * The totals that shares are relative to: those of the whole event,
	 * filtered or not, unless .is_relative.
	 */
	uint64_t samples, period;
	ARRAY(struct row) rows; /* largest first */
	/*
	 * If the event leads a group: the histograms of the other events; see
	 * group.h.
	 */
	ARRAY(struct hist) members;
	const struct row **others;
	ARRAY(struct hist_place) places;
	struct hash_index by_place;
	uint32_t rest_row; /* number of the row for the rest; HASH_NONE: there
			      is none */
	/*
	 * With .wants_trees, by location: the period of all stacks that contain
	 * it. Empty if there is no memory for it.
	 */
	ARRAY(uint64_t) through;
	struct prefixes *prefixes; /* the counted stacks; owned */
};

#define COLUMNS_MAX (2 * FIELDS_MAX)

struct column {
	const struct field *field;
	uint8_t key; /* index of a FIELD_KEY in row.key */
};

/*
 * JSON and CSV have overhead, children, sample and period of each row in any
 * case. Returns whether they show COLUMN in addition.
 */
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
	struct columns columns; /* the columns that are shown */
	struct columns order;	/* the sort keys, if not by share */
	struct sample_keys sample_keys; /* values that the scan takes */
	ARRAY(struct field *) own; /* fields of tracepoints; owned */
	bool has_chains;	   /* stacks contain callers */
	size_t group_size;	   /* events per table */
	bool has_children;	   /* rows for callers too */
	bool wants_trees;
	bool is_inverted;     /* trees begin with the outermost caller */
	bool wants_parent;    /* contexts have a parent function (refine.h) */
	bool is_relative;     /* totals are those of the shown rows */
	double percent_limit; /* rows with a smaller share are hidden */
	const struct filter *filter;
};

/*
 * Resolves one frame per DSO, those with most samples first. If debuginfod
 * servers are used, the most important files are then requested first. Uses the
 * frames in the parts of SCAN, which belong to INPUT, number NUMBER.
 */
void hottest_resolve(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan);
/*
 * Moves the stacks of FROM into the one table of INTO and empties FROM. Frames
 * become locations; each distinct address is resolved once. Numbers of INPUT
 * (commands, events) become numbers for all inputs.
 */
void hist_resolve(struct scan *into, struct scan *from,
	const struct input *input, const struct field_names *names);

/*
 * Builds the histogram of EVENT after hist_resolve(). SCAN is borrowed. The
 * caller frees RET with hist_deinit().
 */
void hist_build(const struct scan *scan, uint32_t event,
	const struct hist_request *request, const struct field_names *names,
	struct hist *ret);
/* Sorts rows by the keys of REQUEST, or by share, the largest first. */
void hist_sort(struct hist *hist, const struct hist_request *request,
	const struct field_names *names);
/* Returns the weight of a row in comparisons with other rows. */
static inline uint64_t hist_weight(
	const struct hist_request *request, const struct row *row)
{
	return request->has_children ? row->children : row->self;
}

/* Returns the number of ROW in the column FIELD, which is no key. */
uint64_t hist_number(const struct row *row, const struct field *field);
/*
 * Returns the row of event number MEMBER of the group, 0 for ROW itself; NULL
 * if that event has no such row.
 */
static inline const struct row *hist_member_row(
	const struct row *row, size_t member)
{
	return member ? row->others[member - 1] : row;
}

/* Writes the text of a key. The text of a number may begin with blanks. */
void hist_key_text(const struct row *row, const struct column *column,
	const struct field_names *names, struct strbuf *out);
/* How JSON and CSV write keys. */
struct hist_key_style {
	void (*escape)(struct strbuf *out, const char *text);
	const char *no_number; /* text for an unknown number */
};
/* Writes the key for JSON or CSV: numbers as numbers, other text escaped. */
void hist_put_key(const struct row *row, const struct column *column,
	const struct field_names *names, const struct hist_key_style *style,
	struct strbuf *out);

/* Returns the number of the row of LOCATION in CONTEXT, or HASH_NONE. */
uint32_t hist_find(
	const struct hist *hist, uint32_t context, uint32_t location);
void hist_deinit(struct hist *hist);

#endif
