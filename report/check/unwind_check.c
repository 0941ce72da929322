/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/check/unwind_check.h"

#include <inttypes.h>

#include "common/perf/userchain.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "report/check/judge.h"
#include "report/result/ordered_samples.h"
#include "report/symbols/files.h"
#include "report/unwind/address_rules.h"
#include "report/util/progress.h"

/* --- files by address ---------------------------------------------------- */

/*
 * The ELF files of a recording by address. A file is opened when its code is
 * first looked up, and stays open.
 */

struct mapped_files {
	const struct maps *maps; /* borrowed */
	struct files *files;	 /* borrowed */
	ARRAY(struct mapped_file {
		bool is_searched;
		struct judge_code code; /* .elf is owned; .bias is unused */
	})
	at; /* by DSO number */
};

/* Limit of the size of .eh_frame and .eh_frame_hdr. */
#define SECTION_MAX MIB(128)

/* FILES is borrowed until mapped_files_deinit(). */
static void mapped_files_init(struct mapped_files *mapped, struct files *files)
{
	*mapped = (struct mapped_files){ .maps = files_maps(files),
		.files = files };
}

static void mapped_files_deinit(struct mapped_files *mapped)
{
	array_each(&mapped->at, file)
		elf_file_close(file->code.elf);
	array_free(&mapped->at);
}

/*
 * The .find of struct judge_files: DATA is a struct mapped_files, and SPACE an
 * address space of its maps. RET is borrowed until mapped_files_deinit().
 */
static bool mapped_files_find(
	void *data, uint32_t space, uint64_t pc, struct judge_code *ret)
{
	struct mapped_files *mapped = data;
	const struct mapping *mapping = maps_find(mapped->maps, space, pc);
	uint64_t offset;

	if (!mapping || mapping->is_data)
		return false;
	offset = pc - mapping->start + mapping->offset;
	while (mapped->at.n <= mapping->dso)
		*array_push(&mapped->at) = (struct mapped_file){ 0 };
	if (!mapped->at.at[mapping->dso].is_searched) {
		/* OFFSET is an offset in the file that samples hit. */
		uint32_t dso = mapping->dso;
		struct mapped_file *file = &mapped->at.at[dso];
		struct judge_code *code = &file->code;
		enum buildid_trust trust;

		file->is_searched = true;
		code->dso = dso;
		code->elf = files_fetch(mapped->files, dso, offset, &trust);
		if (code->elf) {
			elf_file_section(code->elf, ".eh_frame", SECTION_MAX,
				&code->eh_frame);
			elf_file_section(code->elf, ".eh_frame_hdr",
				SECTION_MAX, &code->eh_frame_hdr);
		}
	}
	*ret = mapped->at.at[mapping->dso].code;
	ret->bias =
		pc - (ret->elf ? elf_file_address(ret->elf, offset) : offset);
	return true;
}

/* --- the check ----------------------------------------------------------- */

/* Limit of kept examples: a wrong rule shows in a few places. */
#define EXAMPLES_MAX 1000u

static const struct judge *const judges[] = { &judge_libunwind, &judge_libdw,
	&judge_kernel };

struct checking_state {
	struct unwind_check *check;
	struct reader *reader;	     /* borrowed */
	struct address_rules *rules; /* owned, like the following members */
	struct mapped_files files;
	struct unwinder *unwinder;
	void *judge_state;
	enum unwind_arch arch;
	uint64_t *dwell_pcs, *judge_pcs; /* UNWIND_FRAMES_MAX elements */
	uint64_t *chain; /* the sample's call chain, as many elements */
	uint64_t size;	 /* of all samples, for the progress */
};

struct error *unwind_check_find_judge(
	const char *name, const struct judge **ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(judges); i++) {
		bool is_there = judges[i]->supports(UNWIND_X86_64) ||
			judges[i]->supports(UNWIND_AARCH64);

		if (name && !string_is(name, judges[i]->name))
			continue;
		*ret = judges[i];
		if (is_there)
			return NULL;
		if (name)
			return error_new("--check-unwinding: dwell was built "
					 "without %s; use another library",
				name);
	}
	return error_usage("--check-unwinding: unknown judge '%s'; use "
			   "libunwind, libdw or kernel",
		name);
}

/* --- both chains --------------------------------------------------------- */

/* Cuts the judge's chain before its first caller outside of the mappings. */
static size_t unwind_by_judge(
	struct checking_state *checking, const struct judge_stack *stack)
{
	const struct judge *judge = checking->check->judge;
	size_t n = judge->unwind(checking->judge_state, stack,
		checking->judge_pcs, UNWIND_FRAMES_MAX);
	size_t i;

	for (i = 1; i < n; i++) {
		const struct mapping *mapping = maps_find(checking->check->maps,
			stack->space, checking->judge_pcs[i] - 1);

		if (!mapping || mapping->is_data)
			return i;
	}
	return n;
}

/* --- verdicts ------------------------------------------------------------- */

static struct unwind_dso *checked_dso(struct unwind_check *check, uint32_t dso)
{
	while (check->dsos.n <= dso)
		*array_push(&check->dsos) = (struct unwind_dso){ 0 };
	return &check->dsos.at[dso];
}

/* Returns frame I of a chain as linked address and DSO. */
static struct unwind_caller place_of(struct checking_state *checking,
	uint32_t space, const uint64_t *pcs, size_t i)
{
	struct judge_code code;

	/* A return address is behind its call. */
	if (!mapped_files_find(
		    &checking->files, space, pcs[i] - (i > 0), &code))
		return (struct unwind_caller){ .address = pcs[i] };
	return (struct unwind_caller){ pcs[i] - code.bias, code.dso, true };
}

/* Keeps LAST, the place behind which the chains differ, and both frames I. */
static void keep_example(struct checking_state *checking,
	const struct judge_stack *stack, const struct unwind_caller *last,
	size_t i)
{
	struct unwind_check *check = checking->check;

	array_each(&check->examples, known)
		if (known->dso == last->dso &&
			known->address == last->address) {
			known->stacks++;
			return;
		}
	if (check->examples.n == EXAMPLES_MAX)
		return;
	*array_push(&check->examples) = (struct unwind_example){
		.dso = last->dso,
		.address = last->address,
		.stacks = 1,
		.dwell = place_of(
			checking, stack->space, checking->dwell_pcs, i),
		.judge = place_of(
			checking, stack->space, checking->judge_pcs, i),
	};
}

static void compare_stack(
	struct checking_state *checking, const struct judge_stack *stack)
{
	struct unwind_check *check = checking->check;
	const uint64_t *ours = checking->dwell_pcs;
	struct address_rules_space code = { checking->rules, stack->space };
	const struct unwind_space space = address_rules_space(&code);
	struct unwind_chain chain = { .pcs = checking->dwell_pcs,
		.room = UNWIND_FRAMES_MAX };

	unwind(checking->unwinder, &space, stack->registers, stack->memory,
		&chain);
	size_t n_ours = chain.n;
	size_t n_theirs = unwind_by_judge(checking, stack), common = 0;
	struct unwind_caller last = { 0 };
	enum unwind_verdict verdict;

	while (common < n_ours && common < n_theirs &&
		ours[common] == checking->judge_pcs[common]) {
		if (last.has_dso)
			checked_dso(check, last.dso)->steps++;
		last = place_of(checking, stack->space, ours, common++);
	}
	if (common == n_ours)
		verdict = n_ours == n_theirs ? UNWIND_VERDICT_SAME
					     : UNWIND_VERDICT_DWELL_SHORTER;
	else
		verdict = common == n_theirs ? UNWIND_VERDICT_JUDGE_SHORTER
					     : UNWIND_VERDICT_DIFFERENT;
	check->stacks++;
	check->n[verdict]++;
	if (verdict == UNWIND_VERDICT_SAME || !common)
		return;
	if (last.has_dso)
		checked_dso(check, last.dso)->n[verdict]++;
	if (verdict == UNWIND_VERDICT_DIFFERENT && last.has_dso)
		keep_example(checking, stack, &last, common);
}

/* --- the pass over the samples ------------------------------------------- */

/*
 * Writes the user part of SAMPLE's call chain to RET, which has
 * UNWIND_FRAMES_MAX elements. Returns the number of frames.
 */
static size_t read_user_chain(const struct sample *sample, uint64_t *ret)
{
	struct sample joined = *sample;
	uint64_t at = 0, n;

	userchain_frames_join(&joined, ret, UNWIND_FRAMES_MAX);
	while (at < joined.n_chain &&
		sample_chain_entry(&joined, at) != PERF_CONTEXT_USER)
		at++;
	if (at == joined.n_chain)
		return 0;
	n = MIN(joined.n_chain - at - 1, (uint64_t)UNWIND_FRAMES_MAX);
	memmove(ret, joined.chain + sizeof(*ret) * (at + 1), sizeof(*ret) * n);
	return n;
}

static bool check_sample(void *data, const struct ordered_sample *one)
{
	struct checking_state *checking = data;
	const struct sample *sample = one->sample;
	const struct perf_event_attr *attr =
		&reader_event(checking->reader, one->event)->attr;
	struct unwind_registers registers;
	struct unwind_memory memory;
	struct judge_stack stack;

	progress_show("unwinding", one->read, checking->size);
	if (progress_is_given_up())
		return false;
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER) ||
		!sample->regs_user_abi)
		return true;
	if (sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_64) {
		checking->check->unsupported++;
		return true;
	}
	if (!sample->stack_size ||
		!unwind_registers_read(checking->arch, attr->sample_regs_user,
			sample->regs_user, &registers)) {
		checking->check->empty++;
		return true;
	}
	memory = (struct unwind_memory){
		.start = registers.value[unwind_numbers[checking->arch].sp],
		.bytes = sample->stack,
		.size = sample->stack_size,
		.thread = sample->tid,
	};
	stack = (struct judge_stack){ .space = one->at.space,
		.registers = &registers,
		.memory = &memory,
		.recorded = checking->chain,
		.n_recorded = read_user_chain(sample, checking->chain) };
	compare_stack(checking, &stack);
	return true;
}

static int compare_examples(const void *a, const void *b)
{
	const struct unwind_example *x = a, *y = b;

	if (x->stacks != y->stacks)
		return x->stacks < y->stacks ? 1 : -1;
	return COMPARE(x->address, y->address);
}

struct error *unwind_check_run(struct result *result, const struct judge *judge,
	struct unwind_check *ret)
{
	const struct input *input = result_input(result);
	struct checking_state checking = { .check = ret,
		.reader = input->reader,
		.arch = recorded_unwinding_arch(input->reader) };
	const char *unused;

	*ret = (struct unwind_check){ .judge = judge,
		.maps = input->survey.maps };
	if (!reader_has_stack_copies(input->reader))
		return error_new("--check-unwinding: %s has no stack copies; "
				 "record them with 'dwell record --call-graph "
				 "dwarf --keep-stacks'",
			input_path(input));
	if (!judge->supports(checking.arch))
		return error_new("--check-unwinding: %s cannot unwind stacks "
				 "of the recorded processor on this machine; "
				 "use --check-unwinding=libdw",
			judge->name);
	checking.rules = address_rules_create(&input->survey, input->files);
	mapped_files_init(&checking.files, input->files);
	checking.unwinder = unwinder_create(checking.arch);
	if (judge->create)
		checking.judge_state =
			judge->create(&(struct judge_files){ mapped_files_find,
					      &checking.files },
				checking.arch);
	checking.dwell_pcs =
		xcalloc(UNWIND_FRAMES_MAX, sizeof(*checking.dwell_pcs));
	checking.judge_pcs =
		xcalloc(UNWIND_FRAMES_MAX, sizeof(*checking.judge_pcs));
	checking.chain = xcalloc(UNWIND_FRAMES_MAX, sizeof(*checking.chain));
	const struct ordered_samples_config config = {
		.is_unsorted = true, .take = check_sample, .data = &checking
	};
	struct ordered_samples *ordered = ordered_samples_create(result, false);

	checking.size = ordered_samples_size(ordered);
	ordered_samples_run(ordered, &config);
	ordered_samples_destroy(ordered);
	ret->missing = address_rules_missing(checking.rules, &unused);
	array_sort(&ret->examples, compare_examples);
	free(checking.dwell_pcs);
	free(checking.judge_pcs);
	free(checking.chain);
	if (judge->destroy)
		judge->destroy(checking.judge_state);
	unwinder_destroy(checking.unwinder);
	mapped_files_deinit(&checking.files);
	address_rules_destroy(checking.rules);
	return NULL;
}

void unwind_check_deinit(struct unwind_check *check)
{
	array_free(&check->dsos);
	array_free(&check->examples);
}

struct error *unwind_check_limit(
	const struct unwind_check *check, double max_percent)
{
	uint64_t n = check->n[UNWIND_VERDICT_DIFFERENT];
	double percent =
		check->stacks ? 100.0 * (double)n / (double)check->stacks : 0;

	if (percent <= max_percent)
		return NULL;
	return error_new("%" PRIu64 " of %" PRIu64 " stacks (%.2f %%) have "
			 "different frames than %s, more than --max-differ "
			 "allows (%g %%)",
		n, check->stacks, percent, check->judge->name, max_percent);
}
