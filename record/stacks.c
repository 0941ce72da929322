/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stacks.h"

#include <inttypes.h>

#include "common/log.h"

/* One figure, as files and users have it. */
static const struct row {
	const char *key, *text;
	size_t at;
} rows[] = {
	{ "stacks", NULL, offsetof(struct stacks, all) },
	{ "stacks_whole", NULL, offsetof(struct stacks, whole) },
	{ "stacks_completed", "were completed from the living process",
		offsetof(struct stacks, completed) },
	{ "stacks_joined", "were completed from others of their thread",
		offsetof(struct stacks, joined) },
	{ "stacks_chosen", "are by frame pointers, as was chosen",
		offsetof(struct stacks, chosen) },
	{ "stacks_spliced", "go on as frame pointers tell",
		offsetof(struct stacks, spliced) },
	{ "stacks_framed", "are by frame pointers alone",
		offsetof(struct stacks, framed) },
	{ "stacks_guessed", "pass code without rules by frame pointers",
		offsetof(struct stacks, guessed) },
	{ "stacks_refused", "weren't completed: the process had gone on",
		offsetof(struct stacks, refused) },
	{ "stacks_empty", "have no copy, as while a program is started",
		offsetof(struct stacks, empty) },
	{ "stacks_truncated", "end with the copy",
		offsetof(struct stacks, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule", "end in code without rules for it",
		offsetof(struct stacks, ends[UNWIND_NO_RULE]) },
	{ "stacks_made", NULL, offsetof(struct stacks, made) },
	{ "stacks_no_code", "end where nothing is mapped",
		offsetof(struct stacks, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged", "end where they make no sense",
		offsetof(struct stacks, ends[UNWIND_DAMAGED]) },
	{ "stacks_register", "lack a register",
		offsetof(struct stacks, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", "have more callers than a record holds",
		offsetof(struct stacks, ends[UNWIND_LIMIT]) },
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
	sum->whole += stacks->whole;
	sum->completed += stacks->completed;
	sum->joined += stacks->joined;
	sum->spliced += stacks->spliced;
	sum->framed += stacks->framed;
	sum->guessed += stacks->guessed;
	sum->made += stacks->made;
	sum->refused += stacks->refused;
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

void stacks_tell(const struct stacks *stacks)
{
	size_t i;

	if (!stacks->all)
		return;
	log_note("%" PRIu64 " of %" PRIu64 " stacks are whole (%.2f %%)",
		stacks->whole, stacks->all,
		(double)stacks->whole * 100 / (double)stacks->all);
	if (stacks->made)
		log_note("%" PRIu64 " stacks end in code that was made at run "
			 "time, has no unwinding rules and keeps no frame "
			 "pointers: see JIT COMPILERS in dwell-record(1)",
			stacks->made);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].text && value_of(stacks, &rows[i]))
			log_verbose("%" PRIu64 " stacks %s",
				value_of(stacks, &rows[i]), rows[i].text);
}
