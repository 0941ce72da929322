/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agree FILE: unwinds each stack copy of a recording with dwell, libunwind and
 * libdw, with the same mappings. If the frames differ, libdw decides between
 * dwell and libunwind; the place is printed as file and link-time address.
 * Fails if libdw and libunwind agree on other frames than dwell. They may end
 * earlier: they read popped registers from below the stack pointer, where a
 * sample has no memory, and dwell does not. For x86-64.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "report/check/judge.h"
#include "stacks.h"

#define ROOM 4096u

struct chain {
	uint64_t pcs[ROOM];
	size_t n;
	bool is_whole; /* complete; set only for dwell's chain */
};

/* Another library that unwinds the stacks. */
struct library {
	const struct judge *judge;
	void *state;
};

/* Names the unwinder with the first differing frame. */
enum verdict {
	SAME,
	LIBUNWIND_ALONE,
	LIBDW_ALONE,
	/*
	 * Only dwell continues. Its chain is complete, and a call precedes each
	 * return address.
	 */
	DWELL_GOES_ON,
	DWELL_ALONE,
	ALL_DIFFER,
	UNWIND_VERDICTS
};

struct agreement {
	struct stacks *stacks;
	unsigned long n[UNWIND_VERDICTS];
	ARRAY(struct place {
		enum verdict verdict;
		const char *path; /* borrowed */
		uint64_t address;
		unsigned long n;
	})
	places;
};

static void unwind_with_dwell(struct unwinder *unwinder, struct stacks *stacks,
	const struct stacks_sample *sample, struct chain *ret)
{
	struct stacks_view view = { stacks, sample->space };
	const struct unwind_space space = { sample->space + 1, stacks_find,
		&view };
	struct unwind_chain chain = { .pcs = ret->pcs, .room = ROOM };

	unwind(unwinder, &space, &sample->registers, &sample->memory, &chain);
	ret->n = chain.n;
	ret->is_whole = chain.end == UNWIND_ROOT;
}

/*
 * Cuts a chain before its first frame outside of the mappings; dwell has none.
 */
static void cut(struct stacks *stacks, uint32_t space, struct chain *chain)
{
	struct stacks_view view = { stacks, space };
	struct unwind_code code;
	size_t i;

	for (i = 1; i < chain->n; i++)
		if (!stacks_find(&view, chain->pcs[i] - 1, &code))
			chain->n = i;
}

/*
 * Returns true if CHAIN is complete and each frame from AT on follows a call.
 */
static bool makes_sense(struct stacks *stacks, uint32_t space,
	const struct chain *chain, size_t at)
{
	for (; at < chain->n; at++)
		if (!stacks_is_behind_call(stacks, space, chain->pcs[at]))
			return false;
	return chain->is_whole;
}

static uint64_t frame_of(const struct chain *chain, size_t i)
{
	return i < chain->n ? chain->pcs[i] : 0;
}

/* Compares the chains. *AT_RET is the index of the first differing frame. */
static enum verdict compare(const struct chain *dwell,
	const struct chain *libunwind, const struct chain *libdw,
	size_t *at_ret)
{
	size_t n = MAX(dwell->n, libunwind->n), i;

	for (i = 0; i < n || i < libdw->n; i++) {
		uint64_t ours = frame_of(dwell, i);
		uint64_t theirs = frame_of(libunwind, i);
		uint64_t judges = frame_of(libdw, i);

		*at_ret = i;
		if (ours == judges && ours == theirs)
			continue;
		if (ours == judges)
			return LIBUNWIND_ALONE;
		if (ours == theirs)
			return LIBDW_ALONE;
		if (theirs != judges)
			return ALL_DIFFER;
		return theirs ? DWELL_ALONE : DWELL_GOES_ON;
	}
	return SAME;
}

/*
 * Compares the chains of SAMPLE and checks frames that only dwell has. *AT_RET
 * is the last common frame, from which the unwinders find different callers.
 */
static enum verdict decide(struct stacks *stacks,
	const struct stacks_sample *sample, const struct chain *dwell,
	const struct chain *libunwind, const struct chain *libdw,
	size_t *at_ret)
{
	enum verdict verdict = compare(dwell, libunwind, libdw, at_ret);

	if (verdict == DWELL_GOES_ON &&
		!makes_sense(stacks, sample->space, dwell, *at_ret))
		verdict = DWELL_ALONE;
	*at_ret -= *at_ret > 0;
	return verdict;
}

/* Counts the verdict at PC, the last common frame. */
static void keep_place(struct agreement *agreement, uint32_t space, uint64_t pc,
	enum verdict verdict)
{
	uint64_t bias = 0;
	const struct stacks_file *file =
		stacks_file_at(agreement->stacks, space, pc, &bias);
	const char *path =
		file ? maps_dso(agreement->stacks->maps, file->dso)->path : "?";

	array_each(&agreement->places, place)
		if (place->path == path && place->address == pc - bias &&
			place->verdict == verdict) {
			place->n++;
			return;
		}
	*array_push(&agreement->places) =
		(struct place){ verdict, path, pc - bias, 1 };
}

static void show(const struct agreement *agreement)
{
	static const char *const names[] = { [SAME] = "same",
		[LIBUNWIND_ALONE] = "libunwind alone",
		[LIBDW_ALONE] = "libdw alone",
		[DWELL_GOES_ON] = "dwell goes on",
		[DWELL_ALONE] = "dwell alone",
		[ALL_DIFFER] = "all differ" };
	unsigned i;

	for (i = 0; i < UNWIND_VERDICTS; i++)
		printf("%s: %lu\n", names[i], agreement->n[i]);
	array_each(&agreement->places, place)
		printf("  %lu at %s+0x%" PRIx64 ": %s\n", place->n, place->path,
			place->address, names[place->verdict]);
}

static void judge_sample(struct stacks *stacks,
	const struct stacks_sample *sample, struct unwinder *unwinder,
	const struct library libraries[2], struct agreement *agreement)
{
	static struct chain ours, libunwind, libdw;
	struct chain *chains[] = { &libunwind, &libdw };
	const struct judge_stack stack = { sample->space, &sample->registers,
		&sample->memory };
	enum verdict verdict;
	size_t at, i;

	unwind_with_dwell(unwinder, stacks, sample, &ours);
	for (i = 0; i < ARRAY_SIZE(chains); i++) {
		chains[i]->n = libraries[i].judge->unwind(
			libraries[i].state, &stack, chains[i]->pcs, ROOM);
		cut(stacks, sample->space, chains[i]);
	}
	verdict = decide(stacks, sample, &ours, &libunwind, &libdw, &at);
	agreement->n[verdict]++;
	if (verdict != SAME)
		keep_place(agreement, sample->space, ours.pcs[at], verdict);
}

int main(int argc, char **argv)
{
	struct stacks stacks;
	const struct judge_files files = { stacks_find_judged, &stacks };
	struct library libraries[] = { { &judge_libunwind, NULL },
		{ &judge_libdw, NULL } };
	struct agreement agreement = { .stacks = &stacks };
	struct unwinder *unwinder;
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: agree FILE\n");
		return 2;
	}
	if (!judge_libunwind.supports(UNWIND_X86_64)) {
		printf("built without libunwind\n");
		return 77;
	}
	stacks_load(argv[1], MIB(512), &stacks);
	unwinder = unwinder_create(stacks.arch);
	for (i = 0; i < ARRAY_SIZE(libraries); i++)
		libraries[i].state =
			libraries[i].judge->create(&files, stacks.arch);
	array_each(&stacks.samples, sample)
		judge_sample(&stacks, sample, unwinder, libraries, &agreement);
	show(&agreement);
	for (i = 0; i < ARRAY_SIZE(libraries); i++)
		libraries[i].judge->destroy(libraries[i].state);
	unwinder_destroy(unwinder);
	return !agreement.n[SAME] || agreement.n[DWELL_ALONE];
}
