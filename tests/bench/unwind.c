/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind FILE [MIB]: measures how many frames per second one thread unwinds:
 * the same stack repeatedly (hot), stacks right after copying, as in the
 * recorder (copied), and one pass over all stacks (pass). Each is measured with
 * and without reuse of each thread's last stack, and beside libunwind. Also
 * prints how many samples have other frames without that reuse or in libunwind.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "stacks.h"

#define ROOM 16384u
#define COPIED 8u
#define ROUNDS 3u

struct run {
	struct stacks *stacks;
	struct unwinder *unwinder;
	uint64_t *pcs, *slots;
	bool remembers; /* reuses frames of each thread's last stack */
};

/* Stacks for one call of unwind_several(). */
struct some {
	struct stacks_view views[UNWIND_TASKS_MAX];
	struct unwind_space spaces[UNWIND_TASKS_MAX];
	struct unwind_memory memories[UNWIND_TASKS_MAX];
	struct unwind_chain chains[UNWIND_TASKS_MAX];
	struct unwind_task tasks[UNWIND_TASKS_MAX];
};

static void some_add(struct some *some, const struct run *run, size_t k,
	const struct stacks_sample *sample)
{
	some->views[k] = (struct stacks_view){ run->stacks, sample->space };
	some->spaces[k] = (struct unwind_space){ sample->space + 1, stacks_find,
		&some->views[k] };
	some->memories[k] = sample->memory;
	some->memories[k].thread = run->remembers ? sample->tid : 0;
	some->chains[k] = (struct unwind_chain){ .pcs = run->pcs + k * ROOM,
		.slots = run->slots + k * ROOM,
		.room = ROOM };
	some->tasks[k] = (struct unwind_task){ &some->spaces[k],
		&sample->registers, &some->memories[k], &some->chains[k] };
}

/* Returns the CPU time of this thread: other load does not count. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void walk(struct run *run, const struct stacks_sample *sample,
	const struct unwind_memory *memory, struct unwind_chain *ret)
{
	struct stacks_sample copy = *sample;
	struct some some;

	copy.memory = *memory;
	some_add(&some, run, 0, &copy);
	unwind(run->unwinder, &some.spaces[0], &sample->registers,
		&some.memories[0], &some.chains[0]);
	*ret = some.chains[0];
}

/* Unwinds all samples in order, AT_ONCE at a time. Returns the seconds. */
static double pass(struct run *run, size_t at_once, uint64_t *frames)
{
	const struct stacks *stacks = run->stacks;
	double start = now();
	size_t i, k;

	*frames = 0;
	for (i = 0; i + at_once <= stacks->samples.n; i += at_once) {
		struct some some;

		for (k = 0; k < at_once; k++)
			some_add(&some, run, k, &stacks->samples.at[i + k]);
		unwind_several(run->unwinder, some.tasks, at_once);
		for (k = 0; k < at_once; k++)
			*frames += some.chains[k].n;
	}
	return now() - start;
}

static double hot(struct run *run, uint64_t *frames)
{
	struct stacks *stacks = run->stacks;
	double seconds = 0;
	size_t i, k;

	*frames = 0;
	for (i = 0; i < stacks->samples.n; i++) {
		const struct stacks_sample *sample = &stacks->samples.at[i];
		struct unwind_chain chain;
		double start = 0;

		for (k = 0; k < 5; k++) {
			if (k == 1)
				start = now();
			walk(run, sample, &sample->memory, &chain);
			*frames += k ? chain.n : 0;
		}
		seconds += now() - start;
	}
	return seconds;
}

typedef size_t (*unwind_one)(void *data, const struct stacks_sample *sample,
	const struct unwind_memory *memory);

static size_t one_of_ours(void *data, const struct stacks_sample *sample,
	const struct unwind_memory *memory)
{
	struct unwind_chain chain;

	walk(data, sample, memory, &chain);
	return chain.n;
}

struct peer_run {
	void *libunwind; /* state of judge_libunwind, or NULL */
	uint64_t *pcs;
};

static size_t one_of_peer(void *data, const struct stacks_sample *sample,
	const struct unwind_memory *memory)
{
	const struct peer_run *run = data;

	return judge_libunwind.unwind(run->libunwind,
		&(struct judge_stack){
			sample->space, &sample->registers, memory },
		run->pcs, ROOM);
}

/*
 * Copies COPIED stacks, then unwinds them, for all samples. Returns the seconds
 * of unwinding without copying.
 */
static double copied(
	struct stacks *stacks, unwind_one one, void *data, uint64_t *frames)
{
	static uint8_t rooms[COPIED][KIB(64)];
	double seconds = 0;
	size_t i, k;

	*frames = 0;
	for (i = 0; i + COPIED <= stacks->samples.n; i += COPIED) {
		struct unwind_memory memory[COPIED];
		double start;

		for (k = 0; k < COPIED; k++) {
			memory[k] = stacks->samples.at[i + k].memory;
			memcpy(rooms[k], memory[k].bytes, memory[k].size);
			memory[k].bytes = rooms[k];
		}
		start = now();
		for (k = 0; k < COPIED; k++)
			*frames += one(
				data, &stacks->samples.at[i + k], &memory[k]);
		seconds += now() - start;
	}
	return seconds;
}

static double peer_pass(
	struct stacks *stacks, struct peer_run *run, uint64_t *frames)
{
	double start = now();

	*frames = 0;
	array_each(&stacks->samples, sample)
		*frames += one_of_peer(run, sample, &sample->memory);
	return now() - start;
}

/* Unwinds all samples once, to fill the cache of unwind rules. */
static void warm(struct run *run)
{
	uint64_t frames;

	run->remembers = true;
	pass(run, 1, &frames);
}

static void print_ends(const struct unwinder *unwinder)
{
	const struct unwind_counts *counts = unwinder_counts(unwinder);
	unsigned i;

	printf("samples %" PRIu64 ", frames %" PRIu64 ", as before %.2f %%"
	       ", misses %.2f %%, slow %" PRIu64 ", guessed %" PRIu64 "\n",
		counts->n_chains, counts->n_frames,
		100.0 * (double)counts->n_reused / (double)counts->n_frames,
		100.0 * (double)counts->n_misses / (double)counts->n_frames,
		counts->n_slow, counts->n_guessed);
	for (i = 0; i < UNWIND_ENDS; i++)
		printf("end %s: %" PRIu64 " (%.3f %%)\n",
			unwind_end_name((enum unwind_end)i), counts->n_ends[i],
			100.0 * (double)counts->n_ends[i] /
				(double)counts->n_chains);
}

static void print_rate(const char *what, uint64_t frames, double seconds)
{
	printf("rate %s: %.2f M frames/s\n", what,
		(double)frames / seconds / 1e6);
}

struct agreement {
	unsigned long same, longer, shorter, different, callers, strange;
	unsigned long remembered; /* stacks that differ without reuse */
};

static bool is_same(const struct unwind_chain *a, const struct unwind_chain *b)
{
	return a->n == b->n && a->end == b->end && a->n_exact == b->n_exact &&
		a->n_guessed == b->n_guessed && a->n_copied == b->n_copied &&
		!memcmp(&a->oldest, &b->oldest, sizeof(a->oldest)) &&
		!memcmp(a->exact, b->exact, a->n_exact * sizeof(*a->exact)) &&
		!memcmp(a->pcs, b->pcs, a->n * sizeof(*a->pcs)) &&
		!memcmp(a->slots, b->slots, a->n * sizeof(*a->slots));
}

static void compare(const uint64_t *ours, size_t n_ours, const uint64_t *theirs,
	size_t n_theirs, struct agreement *ret)
{
	size_t i = 0;

	while (i < n_ours && i < n_theirs && ours[i] == theirs[i])
		i++;
	if (i == n_ours && i == n_theirs)
		ret->same++;
	else if (i == n_theirs)
		ret->longer++;
	else if (i == n_ours)
		ret->shorter++;
	else
		ret->different++;
}

/*
 * Compares each stack with libunwind's and with unwinding without reuse, and
 * checks that a call precedes each return address.
 */
static void print_agreement(struct run *run, struct peer_run *peer)
{
	struct agreement found = { 0 };
	struct run alone = *run;

	alone.pcs = xmalloc(ROOM * sizeof(*alone.pcs));
	alone.slots = xmalloc(ROOM * sizeof(*alone.slots));
	alone.remembers = false;
	array_each(&run->stacks->samples, sample) {
		struct unwind_chain chain, again;
		size_t i;

		walk(run, sample, &sample->memory, &chain);
		walk(&alone, sample, &sample->memory, &again);
		found.remembered += !is_same(&chain, &again);
		for (i = 1; i < chain.n; i++) {
			found.callers++;
			found.strange += !stacks_is_behind_call(
				run->stacks, sample->space, chain.pcs[i]);
		}
		if (!peer->libunwind)
			continue;
		compare(chain.pcs, chain.n, peer->pcs,
			one_of_peer(peer, sample, &sample->memory), &found);
	}
	free(alone.pcs);
	free(alone.slots);
	printf("not the same as without the last stack %lu\n",
		found.remembered);
	printf("callers %lu, not behind a call %lu\n", found.callers,
		found.strange);
	printf("libunwind: same %lu, dwell longer %lu, shorter %lu, "
	       "different %lu\n",
		found.same, found.longer, found.shorter, found.different);
}

static void measure(struct run *run, struct peer_run *peer)
{
	uint64_t frames;
	double seconds;
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
		run->remembers = false;
		seconds = hot(run, &frames);
		print_rate("hot", frames, seconds);
		seconds = copied(run->stacks, one_of_ours, run, &frames);
		print_rate("copied, each alone", frames, seconds);
		seconds = pass(run, 1, &frames);
		print_rate("pass, each alone", frames, seconds);
		seconds = pass(run, UNWIND_TASKS_MAX, &frames);
		print_rate("pass, eight at a time", frames, seconds);
		run->remembers = true;
		seconds = copied(run->stacks, one_of_ours, run, &frames);
		print_rate("copied", frames, seconds);
		seconds = pass(run, 1, &frames);
		print_rate("pass, with the last stack", frames, seconds);
		seconds = pass(run, UNWIND_TASKS_MAX, &frames);
		print_rate("pass", frames, seconds);
		if (!peer->libunwind)
			continue;
		seconds = copied(run->stacks, one_of_peer, peer, &frames);
		print_rate("libunwind copied", frames, seconds);
		seconds = peer_pass(run->stacks, peer, &frames);
		print_rate("libunwind pass", frames, seconds);
	}
}

int main(int argc, char **argv)
{
	size_t max = argc > 2 ? strtoul(argv[2], NULL, 10) : 2048;
	struct stacks stacks;
	struct run run = { .stacks = &stacks };
	struct peer_run peer;

	if (argc < 2) {
		fprintf(stderr, "usage: unwind FILE [MIB]\n");
		return 2;
	}
	stacks_load(argv[1], MIB(max), &stacks);
	run.unwinder = unwinder_create(stacks.arch);
	run.pcs = xmalloc(UNWIND_TASKS_MAX * ROOM * sizeof(uint64_t));
	peer.pcs = xmalloc(ROOM * sizeof(uint64_t));
	run.slots = xmalloc(UNWIND_TASKS_MAX * ROOM * sizeof(uint64_t));
	peer.libunwind = !judge_libunwind.supports(stacks.arch)
		? NULL
		: judge_libunwind.create(
			  &(struct judge_files){ stacks_find_judged, &stacks },
			  stacks.arch);
	warm(&run);
	print_ends(run.unwinder);
	print_agreement(&run, &peer);
	measure(&run, &peer);
	if (peer.libunwind)
		judge_libunwind.destroy(peer.libunwind);
	unwinder_destroy(run.unwinder);
	free(run.pcs);
	free(peer.pcs);
	free(run.slots);
	stacks_deinit(&stacks);
	return 0;
}
