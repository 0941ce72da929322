/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stacks.h"

#include <inttypes.h>

#include "common/log.h"

/* If less is whole, it is told why. */
#define WHOLE_PERCENT 90u

/* What a figure is a part of. */
enum part {
	OF_NOTHING,
	OF_WHOLE,
	OF_ENDS, /* why those end that aren't: they add up */
	OF_REST, /* and how these go on */
	OF_ALL,
	PARTS
};
static const char *const part_names[] = {
	[OF_WHOLE] = "of the whole ones ",
	[OF_ENDS] = "of the others ",
	[OF_REST] = "of these others ",
	[OF_ALL] = "",
};

/* One figure, as files and users have it. */
static const struct row {
	const char *key;
	enum part part;
	const char *text, *remedy; /* either may be NULL */
	size_t at;
} rows[] = {
	{ "stacks", OF_NOTHING, NULL, NULL, offsetof(struct stacks, all) },
	{ "stacks_limited", OF_NOTHING, NULL, NULL,
		offsetof(struct stacks, limited) },
	{ "stacks_whole", OF_NOTHING, NULL, NULL,
		offsetof(struct stacks, whole) },
	{ "stacks_completed", OF_WHOLE, "were completed from the living process",
		NULL, offsetof(struct stacks, completed) },
	{ "stacks_joined", OF_WHOLE, "were completed from others of their thread",
		NULL, offsetof(struct stacks, joined) },
	{ "stacks_chosen", OF_ALL, "are by frame pointers, as was chosen", NULL,
		offsetof(struct stacks, chosen) },
	{ "stacks_spliced", OF_REST, "go on as frame pointers tell", NULL,
		offsetof(struct stacks, spliced) },
	{ "stacks_framed", OF_REST, "are by frame pointers alone", NULL,
		offsetof(struct stacks, framed) },
	{ "stacks_guessed", OF_ALL, "pass code without rules",
		NULL, offsetof(struct stacks, guessed) },
	{ "stacks_refused", OF_ALL,
		"weren't completed: the process had gone on", NULL,
		offsetof(struct stacks, refused) },
	{ "stacks_unread", OF_ALL,
		"weren't completed: more lies behind the copy than is read (1 "
		"MiB at most), or than a record holds",
		NULL, offsetof(struct stacks, unread) },
	{ "stacks_empty", OF_ENDS, "have no copy, as while a program is started, or as unwinding "
		"fell behind",
		NULL, offsetof(struct stacks, empty) },
	{ "stacks_truncated", OF_ENDS, "end with the copy",
		"larger copies help (--call-graph dwarf,65528), or to be "
		"allowed to read the processes: dwell doctor",
		offsetof(struct stacks, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule", OF_ENDS, "end in code without rules for it",
		"such code needs -fasynchronous-unwind-tables or "
		"-fno-omit-frame-pointer",
		offsetof(struct stacks, ends[UNWIND_NO_RULE]) },
	{ "stacks_made", OF_NOTHING, NULL, NULL,
		offsetof(struct stacks, made) },
	{ "stacks_no_code", OF_ENDS, "end where nothing is mapped",
		"code without rules and frame pointers leads there, if nothing "
		"is damaged",
		offsetof(struct stacks, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged", OF_ENDS, "end where they make no sense",
		"their code has wrong rules, as assembly may, or none and no "
		"frame pointers",
		offsetof(struct stacks, ends[UNWIND_DAMAGED]) },
	{ "stacks_register", OF_ENDS, "lack a register", NULL,
		offsetof(struct stacks, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", OF_ENDS, "have more callers than a record holds",
		NULL, offsetof(struct stacks, ends[UNWIND_LIMIT]) },
};

static uint64_t value_of(const struct stacks *stacks, const struct row *row)
{
	uint64_t value;

	memcpy(&value, (const char *)stacks + row->at, sizeof(value));
	return value;
}

void stacks_add(struct stacks *sum, const struct stacks *stacks)
{
	size_t i;

	sum->chosen += stacks->chosen;
	sum->all += stacks->all;
	sum->limited += stacks->limited;
	sum->whole += stacks->whole;
	sum->completed += stacks->completed;
	sum->joined += stacks->joined;
	sum->spliced += stacks->spliced;
	sum->framed += stacks->framed;
	sum->guessed += stacks->guessed;
	sum->made += stacks->made;
	sum->refused += stacks->refused;
	sum->unread += stacks->unread;
	sum->empty += stacks->empty;
	for (i = 0; i < UNWIND_ENDS; i++)
		sum->ends[i] += stacks->ends[i];
}

void stacks_write(const struct stacks *stacks, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		strbuf_put(out, rows[i].key, strlen(rows[i].key) + 1);
		strbuf_printf(out, "%" PRIu64, value_of(stacks, &rows[i]));
		strbuf_put(out, "", 1);
	}
}

/* Why most of the others end. */
static const struct row *find_reason(const struct stacks *stacks)
{
	const struct row *reason = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].part == OF_ENDS &&
			(!reason ||
				value_of(stacks, &rows[i]) >
					value_of(stacks, reason)))
			reason = &rows[i];
	return reason;
}

static void tell_reason(const struct stacks *stacks)
{
	const struct row *reason = find_reason(stacks);
	uint64_t n = value_of(stacks, reason);

	/* What there is to do about made code is told already. */
	if (reason->at == offsetof(struct stacks, ends[UNWIND_NO_RULE]) &&
		stacks->made > n / 2)
		return;
	log_note("%" PRIu64 " stacks %s%s%s; -v tells more", n, reason->text,
		reason->remedy ? "; " : "",
		reason->remedy ? reason->remedy : "");
}

static void tell_part(const struct stacks *stacks, enum part part)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].part == part && value_of(stacks, &rows[i]))
			log_verbose("%s%" PRIu64 " stacks %s",
				part_names[part], value_of(stacks, &rows[i]),
				rows[i].text);
}

void stacks_tell(const struct stacks *stacks)
{
	uint64_t good = stacks->whole + stacks->limited;
	enum part part;

	if (!stacks->all)
		return;
	log_note("%" PRIu64 " of %" PRIu64 " stacks are whole%s (%.2f %%)",
		good, stacks->all,
		stacks->limited ? ", or as deep as --max-stack allows" : "",
		(double)good * 100 / (double)stacks->all);
	if (stacks->made)
		log_note("%" PRIu64 " stacks end in code that was made at run "
			 "time, has no unwinding rules and keeps no frame "
			 "pointers: see JIT COMPILERS in dwell-record(1)",
			stacks->made);
	if (good * 100 < stacks->all * WHOLE_PERCENT)
		tell_reason(stacks);
	for (part = OF_WHOLE; part < PARTS; part++)
		tell_part(stacks, part);
}
