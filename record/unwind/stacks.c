/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/stacks.h"

#include <inttypes.h>
#include <unistd.h>

#include "common/util/log.h"

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

/* Of several stacks, and of one. */
#define NONE { NULL }
#define ARE { "are", "is" }
#define END { "end", "ends" }
#define GO { "go", "goes" }
#define HAVE { "have", "has" }
#define LACK { "lack", "lacks" }
#define PASS { "pass", "passes" }
#define WERE { "were", "was" }
#define WERENT { "weren't", "wasn't" }

/* One figure, as files and users have it. */
static const struct row {
	const char *key;
	enum part part;
	const char *verb[2];
	const char *text, *remedy; /* either may be NULL */
	size_t at;
} rows[] = {
	{ "stacks", OF_NOTHING, NONE, NULL, NULL, offsetof(struct stacks, all) },
	{ "stacks_limited", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, limited) },
	{ "stacks_whole", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, whole) },
	{ "stacks_completed", OF_WHOLE, WERE, "completed from the living process",
		NULL, offsetof(struct stacks, completed) },
	{ "stacks_joined", OF_WHOLE, WERE, "completed from others of their thread",
		NULL, offsetof(struct stacks, joined) },
	{ "stacks_chosen", OF_ALL, ARE, "by frame pointers, as was chosen", NULL,
		offsetof(struct stacks, chosen) },
	{ "stacks_spliced", OF_REST, GO, "on as frame pointers tell", NULL,
		offsetof(struct stacks, spliced) },
	{ "stacks_framed", OF_REST, ARE, "by frame pointers alone", NULL,
		offsetof(struct stacks, framed) },
	{ "stacks_guessed", OF_ALL, PASS, "code without rules",
		NULL, offsetof(struct stacks, guessed) },
	{ "stacks_refused", OF_ALL,
		WERENT, "completed: the process had gone on", NULL,
		offsetof(struct stacks, refused) },
	{ "stacks_unread", OF_ALL,
		WERENT, "completed: more lies behind the copy than is read (1 "
		"MiB at most)",
		NULL, offsetof(struct stacks, unread) },
	{ "stacks_empty", OF_ENDS, HAVE, "no copy, as while a program is started, or as unwinding "
		"fell behind",
		NULL, offsetof(struct stacks, empty) },
	{ "stacks_unfaulted", OF_ENDS, HAVE, "no copy: the page at the stack pointer wasn't there yet",
		"such page faults make the stack grow",
		offsetof(struct stacks, unfaulted) },
	{ "stacks_truncated", OF_ENDS, END, "with the copy",
		NULL, /* see remedy_of() */
		offsetof(struct stacks, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule", OF_ENDS, END, "in code without rules for it",
		"such code needs -fasynchronous-unwind-tables or "
		"-fno-omit-frame-pointer",
		offsetof(struct stacks, ends[UNWIND_NO_RULE]) },
	{ "stacks_made", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, made) },
	{ "stacks_no_code", OF_ENDS, END, "where nothing is mapped",
		"code without rules and frame pointers leads there, if nothing "
		"is damaged",
		offsetof(struct stacks, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged", OF_ENDS, END, "where they make no sense",
		"their code has wrong rules, as assembly may, or none and no "
		"frame pointers",
		offsetof(struct stacks, ends[UNWIND_DAMAGED]) },
	{ "stacks_register", OF_ENDS, LACK, "a register", NULL,
		offsetof(struct stacks, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", OF_ENDS, HAVE, "more callers than a record holds",
		NULL, offsetof(struct stacks, ends[UNWIND_LIMIT]) },
	{ "stacks_elsewhere", OF_ENDS, GO, "on on another stack",
		"a signal's handler has its own (sigaltstack(2)), and what it "
		"interrupted couldn't be read",
		offsetof(struct stacks, ends[UNWIND_ELSEWHERE]) },
	{ "stacks_zero", OF_ENDS, END, "at a return address of 0",
		"programs that switch stacks put it where theirs begin; rules "
		"that are wrong lead there, too",
		offsetof(struct stacks, ends[UNWIND_ZERO]) },
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
	sum->unfaulted += stacks->unfaulted;
	sum->small += stacks->small;
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

static const char *remedy_of(const struct stacks *stacks, const struct row *row)
{
	uint64_t n = value_of(stacks, row);

	if (row->at != offsetof(struct stacks, ends[UNWIND_TRUNCATED]))
		return row->remedy;
	if (stacks->small > n / 2)
		return "larger copies help (--call-graph dwarf,65528), which "
		       "need more memory that may be locked (ulimit -l, "
		       "kernel.perf_event_mlock_kb)";
	/* Root may read them all. */
	if (stacks->unread + stacks->refused > n / 2 || geteuid() == 0)
		return NULL;
	return "to be allowed to read the processes helps: dwell doctor";
}

static void tell_reason(const struct stacks *stacks)
{
	const struct row *reason = find_reason(stacks);
	const char *remedy = remedy_of(stacks, reason);
	uint64_t n = value_of(stacks, reason);

	/* What there is to do about made code is told already. */
	if (reason->at == offsetof(struct stacks, ends[UNWIND_NO_RULE]) &&
		stacks->made > n / 2)
		return;
	log_note("%" PRIu64 " stack%s %s %s%s%s; -v tells more", n, plural(n),
		reason->verb[n == 1], reason->text,
		remedy ? "; " : "", remedy ? remedy : "");
}

static void tell_part(const struct stacks *stacks, enum part part)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t n = value_of(stacks, &rows[i]);

		if (rows[i].part == part && n)
			log_verbose("%s%" PRIu64 " stack%s %s %s",
				part_names[part], n, plural(n),
				rows[i].verb[n == 1], rows[i].text);
	}
}

void stacks_tell(const struct stacks *stacks)
{
	uint64_t good = stacks->whole + stacks->limited;
	enum part part;

	if (!stacks->all)
		return;
	log_note("%" PRIu64 " of %" PRIu64 " stack%s %s whole%s (%.2f %%)",
		good, stacks->all, plural(stacks->all),
		stacks->all == 1 ? "is" : "are",
		stacks->limited ? ", or as deep as --max-stack allows" : "",
		(double)good * 100 / (double)stacks->all);
	if (stacks->made)
		log_note("%" PRIu64 " stack%s in code that was made at run "
			 "time, has no unwinding rules and keeps no frame "
			 "pointers: see JIT COMPILERS in dwell-record(1)",
			stacks->made, stacks->made == 1 ? " ends" : "s end");
	if (good * 100 < stacks->all * WHOLE_PERCENT)
		tell_reason(stacks);
	for (part = OF_WHOLE; part < PARTS; part++)
		tell_part(stacks, part);
}
