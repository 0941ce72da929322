/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms, one per event, whose rows are sums of the samples of stacks. */
#ifndef DWELL_REPORT_ROWS_HIST_H
#define DWELL_REPORT_ROWS_HIST_H

#include "report/rows/field.h"
#include "report/rows/stack_prefixes.h"
#include "report/scan/inputs.h"

/* The name of the row for all samples whose rows exceed the memory limit. */
#define HIST_REST "[others]"

/* Maps a location in a context to the row that counts it. */
struct hist_place {
	uint32_t context, location; /* context number, location number */
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
	uint64_t self, children;      /* periods; .children includes .self */
	uint64_t samples;	      /* samples of .self */
	uint64_t by_mode[HIST_MODES]; /* .self by CPU mode, if it is shown */
	uint32_t location;	      /* one of the locations of the row */
	bool is_hidden;		      /* filtered, or below .percent_limit */
	bool is_rest;	/* the row for samples beyond the memory limit */
	bool is_on_way; /* while counting: row is in the current stack */
	/*
	 * For each other event of the group: the row with the same keys, or
	 * NULL.
	 */
	const struct row *const *others;
	uint32_t number; /* index of the row before rows were sorted */
};

/* A ratio of two events, as numbers in the group; 0: the leader. */
struct hist_ratio {
	const struct field *field;
	size_t above, below;
	bool is_per_ns; /* the event .below counts nanoseconds */
};

struct hist {
	uint32_t event;
	bool has_children; /* callers have rows, too */
	/*
	 * The totals of which percentages are taken: all samples of the event,
	 * filtered or not, unless hist_request.is_relative is set.
	 */
	uint64_t samples, period;
	ARRAY(struct row) rows; /* sorted by hist_sort() */
	/*
	 * If the event is the leader of a group: the histograms of the other
	 * events of the group (group.h).
	 */
	ARRAY(struct hist) members;
	/* The ratios that the columns show of this group (ratio.h). */
	ARRAY(struct hist_ratio) ratios;
	const struct row **others;
	ARRAY(struct hist_place) places;
	struct hash_index by_place;
	uint32_t rest_row; /* number of the row with .is_rest, or HASH_NONE */
	/*
	 * With hist_request.wants_trees, for each location: the period of all
	 * stacks that contain the location. Empty if memory is not sufficient.
	 */
	ARRAY(uint64_t) through;
	struct stack_prefixes *prefixes; /* the counted stacks; owned */
	uint64_t
		reserved; /* bytes of rows, reserved from the reader of the scan */
};

#define COLUMNS_MAX (2 * FIELDS_MAX)

struct column {
	const struct field *field;
	uint8_t key; /* index of a FIELD_KEY in row.key */
};

/*
 * Returns whether JSON and CSV show COLUMN in addition to overhead, children,
 * sample and period, which they always show.
 */
static inline bool column_is_named(const struct column *column)
{
	return column->field->kind == FIELD_KEY ||
		column->field->kind == FIELD_RATIO ||
		column->field->number >= FIELD_NUMBER_KERNEL;
}

struct columns {
	struct column at[COLUMNS_MAX];
	size_t n;
};

struct hist_request {
	const struct field *fields[FIELDS_MAX]; /* the keys of rows */
	size_t n_fields;
	struct columns columns;		/* the columns that are shown */
	struct columns order;		/* sort keys; empty: sorted by share */
	struct sample_keys sample_keys; /* sample values that are grouped by */
	ARRAY(struct field *) own;	/* of tracepoints, and ratios; owned */
	bool has_chains;		/* stacks contain callers */
	size_t group_size;		/* events per table */
	bool has_children;		/* callers have rows, too */
	bool wants_trees;
	bool is_inverted;     /* trees begin with the outermost caller */
	bool wants_parent;    /* contexts have a parent function (refine.h) */
	bool wants_waits_in;  /* contexts have a user function (waits_in.h) */
	bool is_relative;     /* percentages of the sum of shown rows */
	double percent_limit; /* rows with a smaller share are hidden */
	const struct filter *filter;
};

/*
 * Builds the histogram of EVENT after resolve_scan(). SCAN is borrowed. The
 * caller frees RET with hist_deinit().
 */
void hist_build(const struct scan *scan, uint32_t event,
	const struct hist_request *request, const struct field_names *names,
	struct hist *ret);
/* Sorts the rows of HIST by REQUEST->order, or by share, the largest first. */
void hist_sort(struct hist *hist, const struct hist_request *request,
	const struct field_names *names);
/* Returns the period by which ROW is compared with other rows. */
static inline uint64_t hist_weight(
	const struct hist_request *request, const struct row *row)
{
	return request->has_children ? row->children : row->self;
}

/* Returns the number that ROW has in column FIELD, which is no key. */
uint64_t hist_number(const struct row *row, const struct field *field);
/*
 * Returns the ratio FIELD of ROW, a row of LEADER: the period of ROW itself,
 * without callees, in one event, divided by that in the other. Returns a number
 * below 0 if it is unknown: ROW has no period of the second event.
 */
double hist_ratio(const struct hist *leader, const struct row *row,
	const struct field *field);
/*
 * Returns the row of group member MEMBER that has the keys of ROW. ROW is of
 * member 0, the leader. Returns NULL if the member has no such row.
 */
static inline const struct row *hist_member_row(
	const struct row *row, size_t member)
{
	return member ? row->others[member - 1] : row;
}

/*
 * Appends the text of the key COLUMN of ROW. The text of a number may begin
 * with blanks.
 */
void hist_key_text(const struct row *row, const struct column *column,
	const struct field_names *names, struct strbuf *out);
/* How JSON and CSV write keys. */
struct hist_key_style {
	void (*escape)(struct strbuf *out, const char *text);
	const char *no_number; /* text for an unknown number */
};
/*
 * Appends the key COLUMN of ROW for JSON or CSV: numbers as numbers, other text
 * escaped.
 */
void hist_put_key(const struct row *row, const struct column *column,
	const struct field_names *names, const struct hist_key_style *style,
	struct strbuf *out);

/*
 * Returns the .number of the row of LOCATION in CONTEXT, or of the row with
 * .is_rest, or HASH_NONE.
 */
uint32_t hist_find(
	const struct hist *hist, uint32_t context, uint32_t location);
void hist_deinit(struct hist *hist);

#endif
