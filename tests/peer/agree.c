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

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "common/util/alloc.h"
#include "peer.h"

#define ROOM 4096u
/* The number of the pc for libdw; the others are DWARF register numbers. */
#define NUMBER_PC 16u

struct chain {
	uint64_t pcs[ROOM];
	size_t n;
	bool is_whole; /* complete; set only for dwell's chain */
};

struct judge {
	struct stacks *stacks;
	ARRAY(struct judged_space {
		Dwfl *dwfl;
		ARRAY(bool) reported; /* indexed by DSO */
	}) spaces;
	const struct stacks_sample *sample;
	struct chain *chain; /* result of dwfl_getthread_frames() */
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
	VERDICTS
};

struct agreement {
	struct stacks *stacks;
	unsigned long n[VERDICTS];
	ARRAY(struct place {
		enum verdict verdict;
		const char *path; /* borrowed */
		uint64_t address;
		unsigned long n;
	}) places;
};

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = data;
	return 1;
}

static bool read_memory(
	Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *data)
{
	const struct judge *judge = data;
	const struct unwind_memory *memory = &judge->sample->memory;
	uint64_t at = address - memory->start;

	(void)dwfl;
	if (memory->size < 8 || at > memory->size - 8)
		return false;
	memcpy(ret, memory->bytes + at, 8);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
	const struct judge *judge = data;
	Dwarf_Word values[NUMBER_PC + 1];

	memcpy(values, judge->sample->registers.value, sizeof(values));
	values[NUMBER_PC] = judge->sample->registers.pc;
	return dwfl_thread_state_registers(thread, 0, NUMBER_PC + 1, values);
}

static int take_frame(Dwfl_Frame *frame, void *data)
{
	struct judge *judge = data;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc ||
		judge->chain->n == ROOM)
		return DWARF_CB_ABORT;
	judge->chain->pcs[judge->chain->n++] = pc;
	return DWARF_CB_OK;
}

static const Dwfl_Thread_Callbacks state = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int no_debug_file(Dwfl_Module *module, void **data, const char *name,
	Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
	char **ret)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)ret;
	return -1;
}

static int no_elf(Dwfl_Module *module, void **data, const char *name,
	Dwarf_Addr base, char **file_ret, Elf **ret)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file_ret;
	(void)ret;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = no_elf,
	.find_debuginfo = no_debug_file,
	.section_address = dwfl_offline_section_address,
};

static struct judged_space *find_space(struct judge *judge, uint32_t number)
{
	struct judged_space *space;

	while (judge->spaces.n <= number)
		*array_push(&judge->spaces) = (struct judged_space){ 0 };
	space = &judge->spaces.at[number];
	if (!space->dwfl)
		space->dwfl = dwfl_begin(&callbacks);
	return space;
}

/* Reports the file at PC to libdw. */
static void report_file(struct judge *judge, uint64_t pc)
{
	struct judged_space *space = find_space(judge, judge->sample->space);
	uint64_t bias;
	const struct stacks_file *file = stacks_file_at(
		judge->stacks, judge->sample->space, pc, &bias);

	if (!file || !file->elf)
		return;
	while (space->reported.n <= file->dso)
		*array_push(&space->reported) = false;
	if (space->reported.at[file->dso])
		return;
	space->reported.at[file->dso] = true;
	dwfl_report_begin_add(space->dwfl);
	dwfl_report_elf(space->dwfl, "", "",
		fcntl(elf_file_fd(file->elf), F_DUPFD_CLOEXEC, 3), bias, true);
	dwfl_report_end(space->dwfl, NULL, NULL);
}

static void unwind_with_libdw(struct judge *judge, struct chain *ret)
{
	struct judged_space *space = find_space(judge, judge->sample->space);

	ret->n = 0;
	judge->chain = ret;
	/* Fails after the first call for this address space. */
	dwfl_attach_state(space->dwfl, NULL, 1, &state, judge);
	dwfl_getthread_frames(space->dwfl, 1, take_frame, judge);
	if (!ret->n)
		ret->pcs[ret->n++] = judge->sample->registers.pc;
}

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
static void keep_place(struct agreement *agreement, uint32_t space,
	uint64_t pc, enum verdict verdict)
{
	uint64_t bias = 0;
	const struct stacks_file *file =
		stacks_file_at(agreement->stacks, space, pc, &bias);
	const char *path = file ? maps_dso(agreement->stacks->maps, file->dso)->path
				: "?";

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

	for (i = 0; i < VERDICTS; i++)
		printf("%s: %lu\n", names[i], agreement->n[i]);
	array_each(&agreement->places, place)
		printf("  %lu at %s+0x%" PRIx64 ": %s\n", place->n, place->path,
			place->address, names[place->verdict]);
}

/* Raises the limit of descriptors: each address space opens its own files. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void judge_sample(struct judge *judge, struct unwinder *unwinder,
	struct peer *peer, struct agreement *agreement)
{
	static struct chain ours, theirs, judges;
	const struct stacks_sample *sample = judge->sample;
	struct stacks *stacks = judge->stacks;
	enum verdict verdict;
	size_t at, i;

	unwind_with_dwell(unwinder, stacks, sample, &ours);
	theirs.n = peer_unwind(peer, sample, theirs.pcs, ROOM);
	cut(stacks, sample->space, &theirs);
	for (i = 0; i < ours.n || i < theirs.n; i++) {
		report_file(judge, frame_of(&ours, i));
		report_file(judge, frame_of(&theirs, i));
	}
	unwind_with_libdw(judge, &judges);
	cut(stacks, sample->space, &judges);
	verdict = decide(stacks, sample, &ours, &theirs, &judges, &at);
	agreement->n[verdict]++;
	if (verdict != SAME)
		keep_place(agreement, sample->space, ours.pcs[at], verdict);
}

int main(int argc, char **argv)
{
	struct stacks stacks;
	struct agreement agreement = { .stacks = &stacks };
	struct judge judge = { .stacks = &stacks };
	struct unwinder *unwinder;
	struct peer *peer;

	if (argc != 2) {
		fprintf(stderr, "usage: agree FILE\n");
		return 2;
	}
	allow_files();
	stacks_load(argv[1], MIB(512), &stacks);
	unwinder = unwinder_create(stacks.arch);
	peer = peer_create(&stacks);
	if (!peer) {
		printf("built without libunwind\n");
		return 77;
	}
	array_each(&stacks.samples, sample) {
		judge.sample = sample;
		judge_sample(&judge, unwinder, peer, &agreement);
	}
	show(&agreement);
	peer_destroy(peer);
	unwinder_destroy(unwinder);
	return !agreement.n[SAME] || agreement.n[DWELL_ALONE];
}
