/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/stack_counts_log.h"

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

/* The set of stacks that a count of struct stack_counts is a part of. */
enum counts_part {
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

/* A count and its text in messages. */
static const struct counts_row {
	enum counts_part part;
	const char *verb[2];
	const char *text, *remedy; /* .remedy can be NULL */
	size_t at;
} counts_rows[] = {
	{ OF_COMPLETE, WERE, "completed from the running process", NULL,
		offsetof(struct stack_counts, completed) },
	{ OF_COMPLETE, WERE, "completed from other stacks of their thread",
		NULL, offsetof(struct stack_counts, joined) },
	{ OF_ALL, ARE, "unwound by frame pointers, as --call-graph auto chose",
		NULL, offsetof(struct stack_counts, chosen) },
	{ OF_REST, CONTINUE, "by frame pointers", NULL,
		offsetof(struct stack_counts, spliced) },
	{ OF_REST, ARE, "unwound only by frame pointers", NULL,
		offsetof(struct stack_counts, framed) },
	{ OF_ALL, PASS, "through code without unwind rules", NULL,
		offsetof(struct stack_counts, guessed) },
	{ OF_ALL, HAVE,
		"one call of an interpreter more or less than its list of frames",
		NULL, offsetof(struct stack_counts, shifted) },
	{ OF_ALL, HAVE,
		"interpreted functions that could not be assigned to native "
		"frames",
		NULL, offsetof(struct stack_counts, alone) },
	{ OF_ALL, WERE_NOT, "completed: the process had changed the stack",
		NULL, offsetof(struct stack_counts, refused) },
	{ OF_ALL, WERE_NOT,
		"completed: the rest of the stack is larger than the part that "
		"was read (at most 1 MiB)",
		NULL, offsetof(struct stack_counts, unread) },
	{ OF_ENDS, HAVE,
		"no copy: the program was starting, or unwinding fell behind",
		NULL, offsetof(struct stack_counts, empty) },
	{ OF_ENDS, HAVE,
		"no copy: the page at the stack pointer did not exist yet",
		"Such page faults extend the stack",
		offsetof(struct stack_counts, unfaulted) },
	{ OF_ENDS, END, "at the end of the copy",
		NULL, /* see choose_remedy() */
		offsetof(struct stack_counts, ends[UNWIND_TRUNCATED]) },
	{ OF_ENDS, END, "in code without unwind rules",
		"Compile such code with -fasynchronous-unwind-tables or "
		"-fno-omit-frame-pointer",
		offsetof(struct stack_counts, ends[UNWIND_NO_RULE]) },
	{ OF_ENDS, END, "in files that the recorder could not open",
		"Keep files in place and readable until their programs have "
		"ended",
		offsetof(struct stack_counts, no_file) },
	{ OF_ENDS, END, "at an address where nothing is mapped",
		"Code without unwind rules and frame pointers leads there",
		offsetof(struct stack_counts, ends[UNWIND_NO_CODE]) },
	{ OF_ENDS, END, "at an invalid frame",
		"The code has wrong unwind rules, as assembly code can have, "
		"or no rules and no frame pointers",
		offsetof(struct stack_counts, ends[UNWIND_DAMAGED]) },
	{ OF_ENDS, LACK, "a required register", NULL,
		offsetof(struct stack_counts, ends[UNWIND_REGISTER]) },
	{ OF_ENDS, HAVE, "more callers than a record can contain", NULL,
		offsetof(struct stack_counts, ends[UNWIND_LIMIT]) },
	{ OF_ENDS, CONTINUE, "on another stack",
		"A signal handler has its own stack (sigaltstack(2)), and the "
		"interrupted stack could not be read",
		offsetof(struct stack_counts, ends[UNWIND_ELSEWHERE]) },
	{ OF_ENDS, END, "at a return address of 0",
		"Programs that switch stacks put it at the start of their "
		"stacks; wrong unwind rules also lead there",
		offsetof(struct stack_counts, ends[UNWIND_ZERO]) },
};

static uint64_t stack_count(
	const struct stack_counts *counts, const struct counts_row *row)
{
	uint64_t value;

	memcpy(&value, (const char *)counts + row->at, sizeof(value));
	return value;
}

/* Returns the most frequent reason of incomplete stacks. */
static const struct counts_row *find_main_reason(
	const struct stack_counts *counts)
{
	const struct counts_row *reason = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts_rows); i++)
		if (counts_rows[i].part == OF_ENDS &&
			(!reason ||
				stack_count(counts, &counts_rows[i]) >
					stack_count(counts, reason)))
			reason = &counts_rows[i];
	return reason;
}

static const char *choose_remedy(
	const struct stack_counts *counts, const struct counts_row *row)
{
	uint64_t n = stack_count(counts, row);

	if (row->at != offsetof(struct stack_counts, ends[UNWIND_TRUNCATED]))
		return row->remedy;
	if (counts->small > n / 2)
		return "Use larger copies (--call-graph dwarf,65528), which "
		       "need more locked memory (ulimit -l, "
		       "kernel.perf_event_mlock_kb)";
	/* Root can read all processes. */
	if (counts->unread + counts->refused > n / 2 || geteuid() == 0)
		return NULL;
	return "Reading the processes requires a privilege. To list it: dwell "
	       "doctor";
}

static void print_main_reason(const struct stack_counts *counts)
{
	const struct counts_row *reason = find_main_reason(counts);
	const char *remedy = choose_remedy(counts, reason);
	uint64_t n = stack_count(counts, reason);

	/* See print_kinds_of_code(). */
	if (reason->at == offsetof(struct stack_counts, ends[UNWIND_NO_RULE]) &&
		counts->made + counts->haskell + counts->pascal > n / 2)
		return;
	log_note("%" PRIu64 " stack%s %s %s%s%s. To print all reasons: -v", n,
		plural(n), reason->verb[n == 1], reason->text,
		remedy ? ". " : "", remedy ? remedy : "");
}

/* Prints the stacks that end in code for which there is another remedy, or none. */
static void print_kinds_of_code(const struct stack_counts *counts)
{
	const struct {
		uint64_t n;
		const char *text;
	} kinds[] = {
		{ counts->made,
			"JIT code without unwind rules and frame pointers: see "
			"JIT COMPILERS in dwell-record(1)" },
		{ counts->haskell,
			"code of the Haskell compiler GHC: dwell does not read "
			"callers, which are in memory that is not the stack of "
			"the thread" },
		{ counts->pascal,
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

void stack_counts_log(
	const struct stack_counts *counts, const struct selection *selection)
{
	const char *reason = selection->copy_reason;
	uint64_t n_complete = counts->whole + counts->limited;
	enum counts_part part;

	if (!counts->all)
		return;
	log_note("%" PRIu64 " of %" PRIu64 " stack%s %s complete%s (%.2f %%), "
		 "unwound %s%s%s",
		n_complete, counts->all, plural(counts->all),
		counts->all == 1 ? "is" : "are",
		counts->limited ? ", or as deep as --max-stack allows" : "",
		(double)n_complete * 100 / (double)counts->all,
		selection->unwinds_in_kernel ? "in the kernel" : "from copies",
		reason ? ": " : "", reason ? reason : "");
	print_kinds_of_code(counts);
	if (counts->late * 100 > counts->all * LATE_PERCENT)
		log_note(
			"%" PRIu64
			" stack%s interpreted functions that were read after the "
			"sample: they can be those of a later moment, and "
			"callers can be missing. With BPF, they are read at the "
			"sample: dwell doctor",
			counts->late, counts->late == 1 ? " has" : "s have");
	if (n_complete * 100 < counts->all * COMPLETE_PERCENT)
		print_main_reason(counts);
	for (part = OF_COMPLETE; part < PARTS; part++) {
		size_t i;
		for (i = 0; i < ARRAY_SIZE(counts_rows); i++) {
			uint64_t n = stack_count(counts, &counts_rows[i]);

			if (counts_rows[i].part == part && n)
				log_verbose("%s%" PRIu64 " stack%s %s %s",
					part_names[part], n, plural(n),
					counts_rows[i].verb[n == 1],
					counts_rows[i].text);
		}
	}
}
