/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/branch_runs.h"

#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "report/result/request.h"
#include "report/scan/record_visit.h"
#include "report/util/branch_flags.h"

/*
 * Limit of the code between the start and the end of a run, in bytes; a longer
 * run contains an interrupt.
 */
#define RUN_MAX KIB(16)
#define RUN_COST (sizeof(struct raw_run) + 16u)

/* A run of branch_runs.h with unresolved addresses. */
struct raw_run {
	struct frame start;
	uint64_t end;
	struct branch_run sums; /* branch_runs_find() sets the others */
};

struct run_finding {
	struct result *result;
	struct input *input;
	ARRAY(struct raw_run) raw;
	struct hash_index by_raw;
	bool is_full; /* the memory limit is reached */
};

static struct branch_run *find_raw_run(
	struct run_finding *finding, const struct raw_run *like)
{
	uint64_t hash =
		hash_words(like->start.ip ^ (uint64_t)like->sums.event << 48,
			like->end ^ (uint64_t)like->start.space << 40);

	hash_each_match(&finding->by_raw, hash, i) {
		struct raw_run *raw = &finding->raw.at[i];

		if (raw->start.ip == like->start.ip && raw->end == like->end &&
			raw->start.space == like->start.space &&
			raw->start.input == like->start.input &&
			raw->sums.event == like->sums.event)
			return &raw->sums;
	}
	if (finding->is_full ||
		!budget_reserve(
			reader_budget(finding->input->reader), RUN_COST)) {
		finding->is_full = true;
		return NULL;
	}
	hash_insert(&finding->by_raw, hash, (uint32_t)finding->raw.n);
	*array_push(&finding->raw) = *like;
	return &finding->raw.at[finding->raw.n - 1].sums;
}

static struct sample_key_branch branch_entry_at(
	const struct sample *sample, uint64_t i)
{
	struct sample_key_branch branch;

	memcpy(&branch, sample->branches + i * sizeof(branch), sizeof(branch));
	return branch;
}

static void read_branch_sample(struct run_finding *finding,
	const struct record *record, uint64_t position)
{
	struct input *input = finding->input;
	size_t event = reader_event_of(input->reader, record);
	struct maps_context at;
	struct sample sample;

	if (!sample_read(
		    reader_layout(input->reader, event), record, &sample) ||
		sample.n_branches < 2)
		return;
	at = maps_context(input->survey.maps, sample.pid, sample.tid,
		survey_time(&input->survey, sample.time, position));
	if (input_wants_sample(input, &finding->result->options->filter, event,
		    &sample, &at)) {
		/*
		 * Add the runs between the branches of SAMPLE. The first branch
		 * is the newest. The run before the oldest branch is left out,
		 * because its start is unknown.
		 */
		uint64_t i;

		for (i = 0; i + 1 < sample.n_branches; i++) {
			struct sample_key_branch branch =
				branch_entry_at(&sample, i);
			struct raw_run like = {
				.start = { branch_entry_at(&sample, i + 1).to,
					at.space,
					inputs_number(&finding->result->inputs,
						finding->input),
					STACKS_ANY_MODE },
				.end = branch.from,
				.sums = { .event = input->events.at[event] },
			};
			uint64_t cycles = branch_cycles(branch.flags);
			struct branch_run *run;

			if (like.end - like.start.ip >= RUN_MAX)
				continue;
			run = find_raw_run(finding, &like);
			if (!run)
				continue;
			run->times++;
			run->mispredicted += branch.flags & BRANCH_MISPREDICTED;
			run->cycles += cycles;
			run->timed += cycles > 0;
		}
	}
}

static int compare_branch_runs(const void *a, const void *b)
{
	const struct branch_run *left = a, *right = b;

	if (left->event != right->event)
		return COMPARE(left->event, right->event);
	return COMPARE(left->shown_as, right->shown_as);
}

void branch_runs_find(struct result *result, struct branch_runs *ret)
{
	struct run_finding finding = { .result = result };

	*ret = (struct branch_runs){ 0 };
	array_each(&result->inputs.at, input) {
		struct record_visit visit = { .reader = input->reader,
			.type = RECORD_SAMPLE,
			.selection = &input->selection };

		finding.input = input;
		if (!request_has_branches(input->reader))
			continue;
		while (record_visit_next(&visit))
			read_branch_sample(
				&finding, &visit.record, visit.position);
	}
	array_each(&finding.raw, raw) {
		/*
		 * Add RAW with resolved addresses to RET, unless RAW begins and
		 * ends in different functions.
		 */
		struct resolver *resolver = finding.result->resolver;
		struct frame end = raw->start;
		struct branch_run run = raw->sums;
		struct resolver_frame first, last;
		struct location from, to;

		end.ip = raw->end;
		first = resolver_find(resolver, &raw->start);
		last = resolver_find(resolver, &end);
		from = *resolver_location(resolver, first.location);
		to = *resolver_location(resolver, last.location);
		if (!from.symbol || from.shown_as != to.shown_as)
			continue;
		run.shown_as = from.shown_as;
		run.first = first.address - from.start;
		run.last = last.address - to.start;
		*array_push(&ret->at) = run;
	}
	array_sort(&ret->at, compare_branch_runs);
	array_free(&finding.raw);
	hash_free(&finding.by_raw);
}

void branch_runs_deinit(struct branch_runs *runs)
{
	array_free(&runs->at);
}

static size_t count_runs_before(
	const struct branch_runs *runs, uint32_t event, uint64_t shown_as)
{
	return array_count_before(&runs->at, run,
		run->event < event ||
			(run->event == event && run->shown_as < shown_as));
}

const struct branch_run *branch_runs_of(const struct branch_runs *runs,
	uint32_t event, uint32_t shown_as, size_t *n_ret)
{
	size_t first = count_runs_before(runs, event, shown_as);

	*n_ret = count_runs_before(runs, event, (uint64_t)shown_as + 1) - first;
	return *n_ret ? &runs->at.at[first] : NULL;
}

/* --- blocks -------------------------------------------------------------- */

struct run_counting {
	const struct disassembly *code;
	const struct flow *flow;
	const struct branch_run *run;
	uint32_t first, last; /* first and last instruction of .run */
	struct branch_block *blocks;
};

/*
 * Counts the current run for block NUMBER. If the run covers several blocks,
 * each block gets a part of the cycles, in proportion to the number of
 * instructions.
 */
static void count_block_run(
	const struct run_counting *counting, uint32_t number)
{
	const struct flow_block *at = &counting->flow->blocks.at[number];
	const struct branch_run *run = counting->run;
	struct branch_block *block = &counting->blocks[number];
	uint32_t first = MAX(counting->first, at->first);
	uint32_t last = MIN(counting->last, at->last);

	block->cycles += (double)run->cycles * (last - first + 1) /
		(counting->last - counting->first + 1);
	/*
	 * A run that begins inside of a block, behind a call, does not enter
	 * the block again.
	 */
	if (first == at->first) {
		block->entered += run->times;
		block->timed += run->timed;
	}
	/*
	 * Count the outcome of the jump at the end of block NUMBER in the
	 * current run. A call does not end a block.
	 */
	uint8_t kind = counting->code->at.at[at->last].kind;

	if (counting->last < at->last)
		return;
	if (counting->last == at->last && kind != INSTRUCTION_CALL) {
		block->taken += counting->run->times;
		block->mispredicted += counting->run->mispredicted;
	} else if (counting->last > at->last && kind == INSTRUCTION_BRANCH) {
		block->not_taken += counting->run->times;
	}
}

void branch_blocks_count(const struct disassembly *code,
	const struct flow *flow, const struct branch_run *runs, size_t n,
	struct branch_block *ret)
{
	uint64_t start = code->at.n ? code->at.at[0].address : 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct run_counting counting = { code, flow, &runs[i],
			flow_instruction(code, start + runs[i].first),
			flow_instruction(code, start + runs[i].last), ret };
		uint32_t block;

		if (counting.first == FLOW_NONE || counting.last == FLOW_NONE ||
			counting.first > counting.last)
			continue;
		for (block = flow->places[counting.first].block;
			block <= flow->places[counting.last].block; block++)
			count_block_run(&counting, block);
	}
}
