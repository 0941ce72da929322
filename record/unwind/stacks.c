/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/stacks.h"

#include <inttypes.h>
#include <unistd.h>

#include "common/util/log.h"

/*
 * If fewer stacks are complete, the main reason of incomplete stacks is shown.
 */
#define COMPLETE_PERCENT 90u
/*
 * If more stacks have interpreted functions that were read after the sample, a note says
 * so. Also with BPF, such are the stacks before BPF knows the interpreter.
 */
#define LATE_PERCENT 5u

/* The set of stacks that a count of struct stacks is a part of. */
enum stacks_part {
	OF_NOTHING,
	OF_COMPLETE,
	OF_ENDS, /* reasons of incomplete stacks, one per stack */
	OF_REST, /* how incomplete stacks continue */
	OF_ALL,
	PARTS
};
static const char *const part_names[] = {
	[OF_COMPLETE] = "complete: ",
	[OF_ENDS] = "incomplete: ",
	[OF_REST] = "incomplete, continued: ",
	[OF_ALL] = "",
};

/* Verbs for several stacks and for one stack. */
#define NONE         \
	{            \
		NULL \
	}
#define ARE                 \
	{                   \
		"are", "is" \
	}
#define END                   \
	{                     \
		"end", "ends" \
	}
#define CONTINUE                        \
	{                               \
		"continue", "continues" \
	}
#define HAVE                  \
	{                     \
		"have", "has" \
	}
#define LACK                    \
	{                       \
		"lack", "lacks" \
	}
#define PASS                     \
	{                        \
		"pass", "passes" \
	}
#define WERE                  \
	{                     \
		"were", "was" \
	}
#define WERE_NOT                      \
	{                             \
		"were not", "was not" \
	}

/* A count of struct stacks: the key in the file and the text in messages. */
static const struct stacks_row {
	const char *key;
	enum stacks_part part;
	const char *verb[2];
	const char *text, *remedy; /* each can be NULL */
	size_t at;
} stacks_rows[] = {
	{ "stacks", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, all) },
	{ "stacks_limited", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, limited) },
	{ "stacks_whole", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, whole) },
	{ "stacks_completed", OF_COMPLETE, WERE,
		"completed from the running process", NULL,
		offsetof(struct stacks, completed) },
	{ "stacks_joined", OF_COMPLETE, WERE,
		"completed from other stacks of their thread", NULL,
		offsetof(struct stacks, joined) },
	{ "stacks_chosen", OF_ALL, ARE,
		"unwound by frame pointers, as --call-graph auto chose", NULL,
		offsetof(struct stacks, chosen) },
	{ "stacks_spliced", OF_REST, CONTINUE, "by frame pointers", NULL,
		offsetof(struct stacks, spliced) },
	{ "stacks_framed", OF_REST, ARE, "unwound only by frame pointers", NULL,
		offsetof(struct stacks, framed) },
	{ "stacks_guessed", OF_ALL, PASS, "through code without unwind rules",
		NULL, offsetof(struct stacks, guessed) },
	{ "stacks_late", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, late) },
	{ "stacks_shifted", OF_ALL, HAVE,
		"one call of an interpreter more or less than its list of frames",
		NULL, offsetof(struct stacks, shifted) },
	{ "stacks_alone", OF_ALL, HAVE,
		"interpreted functions that could not be assigned to native "
		"frames",
		NULL, offsetof(struct stacks, alone) },
	{ "stacks_refused", OF_ALL, WERE_NOT,
		"completed: the process had changed the stack", NULL,
		offsetof(struct stacks, refused) },
	{ "stacks_unread", OF_ALL, WERE_NOT,
		"completed: the rest of the stack is larger than the part that "
		"was read (at most 1 MiB)",
		NULL, offsetof(struct stacks, unread) },
	{ "stacks_empty", OF_ENDS, HAVE,
		"no copy: the program was starting, or unwinding fell behind",
		NULL, offsetof(struct stacks, empty) },
	{ "stacks_unfaulted", OF_ENDS, HAVE,
		"no copy: the page at the stack pointer did not exist yet",
		"Such page faults extend the stack",
		offsetof(struct stacks, unfaulted) },
	{ "stacks_truncated", OF_ENDS, END, "at the end of the copy",
		NULL, /* see choose_remedy() */
		offsetof(struct stacks, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule", OF_ENDS, END, "in code without unwind rules",
		"Compile such code with -fasynchronous-unwind-tables or "
		"-fno-omit-frame-pointer",
		offsetof(struct stacks, ends[UNWIND_NO_RULE]) },
	{ "stacks_no_file", OF_ENDS, END,
		"in files that the recorder could not open",
		"Keep files in place and readable until their programs have "
		"ended",
		offsetof(struct stacks, no_file) },
	{ "stacks_made", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, made) },
	{ "stacks_haskell", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, haskell) },
	{ "stacks_pascal", OF_NOTHING, NONE, NULL, NULL,
		offsetof(struct stacks, pascal) },
	{ "stacks_no_code", OF_ENDS, END,
		"at an address where nothing is mapped",
		"Code without unwind rules and frame pointers leads there",
		offsetof(struct stacks, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged", OF_ENDS, END, "at an invalid frame",
		"The code has wrong unwind rules, as assembly code can have, "
		"or no rules and no frame pointers",
		offsetof(struct stacks, ends[UNWIND_DAMAGED]) },
	{ "stacks_register", OF_ENDS, LACK, "a required register", NULL,
		offsetof(struct stacks, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", OF_ENDS, HAVE,
		"more callers than a record can contain", NULL,
		offsetof(struct stacks, ends[UNWIND_LIMIT]) },
	{ "stacks_elsewhere", OF_ENDS, CONTINUE, "on another stack",
		"A signal handler has its own stack (sigaltstack(2)), and the "
		"interrupted stack could not be read",
		offsetof(struct stacks, ends[UNWIND_ELSEWHERE]) },
	{ "stacks_zero", OF_ENDS, END, "at a return address of 0",
		"Programs that switch stacks put it at the start of their "
		"stacks; wrong unwind rules also lead there",
		offsetof(struct stacks, ends[UNWIND_ZERO]) },
};

static uint64_t stack_count(
	const struct stacks *stacks, const struct stacks_row *row)
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
	sum->late += stacks->late;
	sum->shifted += stacks->shifted;
	sum->alone += stacks->alone;
	sum->made += stacks->made;
	sum->haskell += stacks->haskell;
	sum->pascal += stacks->pascal;
	sum->no_file += stacks->no_file;
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

	for (i = 0; i < ARRAY_SIZE(stacks_rows); i++) {
		strbuf_put(out, stacks_rows[i].key,
			strlen(stacks_rows[i].key) + 1);
		strbuf_printf(
			out, "%" PRIu64, stack_count(stacks, &stacks_rows[i]));
		strbuf_put(out, "", 1);
	}
}

/* Returns the most frequent reason of incomplete stacks. */
static const struct stacks_row *find_main_reason(const struct stacks *stacks)
{
	const struct stacks_row *reason = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stacks_rows); i++)
		if (stacks_rows[i].part == OF_ENDS &&
			(!reason ||
				stack_count(stacks, &stacks_rows[i]) >
					stack_count(stacks, reason)))
			reason = &stacks_rows[i];
	return reason;
}

static const char *choose_remedy(
	const struct stacks *stacks, const struct stacks_row *row)
{
	uint64_t n = stack_count(stacks, row);

	if (row->at != offsetof(struct stacks, ends[UNWIND_TRUNCATED]))
		return row->remedy;
	if (stacks->small > n / 2)
		return "Use larger copies (--call-graph dwarf,65528), which "
		       "need more locked memory (ulimit -l, "
		       "kernel.perf_event_mlock_kb)";
	/* Root can read all processes. */
	if (stacks->unread + stacks->refused > n / 2 || geteuid() == 0)
		return NULL;
	return "Reading the processes requires a privilege. To list it: dwell "
	       "doctor";
}

static void print_main_reason(const struct stacks *stacks)
{
	const struct stacks_row *reason = find_main_reason(stacks);
	const char *remedy = choose_remedy(stacks, reason);
	uint64_t n = stack_count(stacks, reason);

	/* See print_kinds_of_code(). */
	if (reason->at == offsetof(struct stacks, ends[UNWIND_NO_RULE]) &&
		stacks->made + stacks->haskell + stacks->pascal > n / 2)
		return;
	log_note("%" PRIu64 " stack%s %s %s%s%s. To print all reasons: -v", n,
		plural(n), reason->verb[n == 1], reason->text,
		remedy ? ". " : "", remedy ? remedy : "");
}

/* Prints the stacks that end in code for which there is another remedy, or none. */
static void print_kinds_of_code(const struct stacks *stacks)
{
	const struct {
		uint64_t n;
		const char *text;
	} kinds[] = {
		{ stacks->made,
			"JIT code without unwind rules and frame pointers: see "
			"JIT COMPILERS in dwell-record(1)" },
		{ stacks->haskell,
			"code of the Haskell compiler GHC: dwell does not read "
			"callers, which are in memory that is not the stack of "
			"the thread" },
		{ stacks->pascal,
			"code of Free Pascal without frame pointers. Compile "
			"it with -OoNOSTACKFRAME" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].n)
			log_note("%" PRIu64 " stack%s in %s", kinds[i].n,
				kinds[i].n == 1 ? " ends" : "s end",
				kinds[i].text);
}

void stacks_report(
	const struct stacks *stacks, const struct selection *selection)
{
	const char *reason = selection->copy_reason;
	uint64_t n_complete = stacks->whole + stacks->limited;
	enum stacks_part part;

	if (!stacks->all)
		return;
	log_note("%" PRIu64 " of %" PRIu64 " stack%s %s complete%s (%.2f %%), "
		 "unwound %s%s%s",
		n_complete, stacks->all, plural(stacks->all),
		stacks->all == 1 ? "is" : "are",
		stacks->limited ? ", or as deep as --max-stack allows" : "",
		(double)n_complete * 100 / (double)stacks->all,
		selection->unwinds_in_kernel ? "in the kernel" : "from copies",
		reason ? ": " : "", reason ? reason : "");
	print_kinds_of_code(stacks);
	if (stacks->late * 100 > stacks->all * LATE_PERCENT)
		log_note(
			"%" PRIu64
			" stack%s interpreted functions that were read after the "
			"sample: they can be those of a later moment, and "
			"callers can be missing. With BPF, they are read at the "
			"sample: dwell doctor",
			stacks->late, stacks->late == 1 ? " has" : "s have");
	if (n_complete * 100 < stacks->all * COMPLETE_PERCENT)
		print_main_reason(stacks);
	for (part = OF_COMPLETE; part < PARTS; part++) {
		size_t i;
		for (i = 0; i < ARRAY_SIZE(stacks_rows); i++) {
			uint64_t n = stack_count(stacks, &stacks_rows[i]);

			if (stacks_rows[i].part == part && n)
				log_verbose("%s%" PRIu64 " stack%s %s %s",
					part_names[part], n, plural(n),
					stacks_rows[i].verb[n == 1],
					stacks_rows[i].text);
		}
	}
}
