/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_hits.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/scan/record_visit.h"
#include "report/scan/scan.h"

/*
 * Minimum number of hits of a struct pack_intake before pack_intake_add()
 * removes duplicates.
 */
#define INTAKE_MIN ((size_t)1 << 16)
/*
 * Size of the cache of recently added addresses, in elements; a power of two.
 */
#define RECENT 16384u
/*
 * Limit of the addresses that pack_touched_find() adds, for branches and for
 * data: samples may contain any number of addresses.
 */
#define PLACES_MAX ((size_t)1000000)

static int compare_pack_hits(const void *a, const void *b)
{
	const struct pack_hit *left = a, *right = b;

	if (left->dso != right->dso)
		return COMPARE(left->dso, right->dso);
	return COMPARE(left->place, right->place);
}

void pack_hits_sort(struct pack_hits *hits)
{
	size_t kept = 0, i;

	array_sort(&hits->at, compare_pack_hits);
	for (i = 0; i < hits->at.n; i++)
		if (!kept ||
			compare_pack_hits(
				&hits->at.at[i], &hits->at.at[kept - 1]))
			hits->at.at[kept++] = hits->at.at[i];
	hits->at.n = kept;
}

/*
 * Returns the DSO and the file offset of ADDRESS, which MAPPING covers. For the
 * kernel, the offset is ADDRESS.
 */
static struct pack_hit pack_hits_at(const struct maps *maps,
	const struct mapping *mapping, uint64_t address)
{
	struct pack_hit hit = { mapping->dso, address };

	if (maps_dso(maps, hit.dso)->pid != MAPS_KERNEL_PID)
		hit.place = address - mapping->start + mapping->offset;
	return hit;
}

void pack_weights_deinit(struct pack_weights *weights)
{
	array_free(&weights->dsos);
}

/*
 * Returns, for each frame number of PART, the number of samples whose leaf
 * frame is this frame. The caller frees the array. Adds the number of all
 * samples to WEIGHTS.
 */
static uint64_t *count_frame_samples(
	const struct stacks_raw *part, struct pack_weights *weights)
{
	uint64_t *samples = xcalloc(part->frames.n + 1, sizeof(*samples));
	uint32_t i;

	for (i = 0; i < stacks_n(&part->table); i++) {
		const struct stack *stack = stacks_at(&part->table, i);
		const struct context *context =
			&part->table.contexts.at[stack->context];
		struct chain_raw chain = stacks_raw_chain(part, i);

		if (context->is_filtered || context->is_rest ||
			chain_raw_is_empty(&chain))
			continue;
		weights->samples += stack->samples;
		samples[chain_raw_next(&chain)] += stack->samples;
	}
	return samples;
}

void pack_hits_find(struct input *input, const struct filter *filter,
	struct recorded_unwinding *unwinding, struct pack_hits *ret,
	struct pack_weights *weights)
{
	struct scan_request request = {
		.wants_chains = true, .filter = filter, .unwinding = unwinding
	};
	struct scan scan;

	scan_run(input->reader, &input->survey, &request, &scan);
	array_each(&scan.parts, part) {
		_cleanup_free_ uint64_t *samples =
			count_frame_samples(part, weights);
		size_t i;

		for (i = 0; i < part->frames.n; i++) {
			const struct frame *frame = &part->frames.at[i];
			const struct mapping *mapping = maps_find(
				input->survey.maps, frame->space, frame->ip);
			struct pack_hit hit;

			if (!mapping)
				continue;
			hit = pack_hits_at(
				input->survey.maps, mapping, frame->ip);
			*array_push(&ret->at) = hit;
			if (samples[i]) {
				while (weights->dsos.n <= hit.dso)
					array_push(&weights->dsos);
				weights->dsos.at[hit.dso].samples += samples[i];
				weights->dsos.at[hit.dso].place = hit.place;
			}
		}
	}
	scan_deinit(&scan);
}

void pack_intake_add(struct pack_intake *intake, struct pack_hit hit)
{
	if (intake->hits->at.n >= intake->limit) {
		pack_hits_sort(intake->hits);
		intake->limit = MAX(INTAKE_MIN, 2 * intake->hits->at.n);
		intake->is_full = intake->hits->at.n >= intake->most;
	}
	if (intake->is_full)
		intake->has_omitted = true;
	else
		*array_push(&intake->hits->at) = hit;
}

void pack_hits_deinit(struct pack_hits *hits)
{
	array_free(&hits->at);
}

size_t pack_hits_run(const struct pack_hits *hits, size_t first)
{
	size_t i = first;

	while (i < hits->at.n && hits->at.at[i].dso == hits->at.at[first].dso)
		i++;
	return i - first;
}

/* --- functions ----------------------------------------------------------- */

static int compare_pack_functions(const void *a, const void *b)
{
	const struct pack_function *left = a, *right = b;

	if (left->symbol->start != right->symbol->start)
		return COMPARE(left->symbol->start, right->symbol->start);
	return COMPARE(left->symbol->end, right->symbol->end);
}

/*
 * Also looks up the byte before each hit: if a function ends with a call, the
 * return address is the start of the next function.
 */
void pack_functions_find(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct pack_functions *ret)
{
	const struct symbol *last = NULL;
	size_t i;
	int back;

	for (i = 0; i < n; i++)
		for (back = hits[i].place ? 1 : 0; back >= 0; back--) {
			struct pack_function found;

			found.symbol = symbols_find_any(symbols, hits[i].dso,
				hits[i].place - (uint64_t)back, &found.name);
			found.is_guess = !found.symbol;
			if (!found.symbol)
				found.symbol =
					symbols_guess(symbols, hits[i].dso,
						hits[i].place - (uint64_t)back,
						&found.name);
			if (found.symbol && found.symbol != last)
				*array_push(&ret->at) = found;
			last = found.symbol ?: last;
		}
	size_t kept = 0;

	array_sort(&ret->at, compare_pack_functions);
	array_each(&ret->at, function)
		if (!kept ||
			compare_pack_functions(function, &ret->at.at[kept - 1]))
			ret->at.at[kept++] = *function;
	ret->at.n = kept;
}

void pack_functions_deinit(struct pack_functions *functions)
{
	array_free(&functions->at);
}

/* --- branches and accessed data ------------------------------------------ */

struct touched_search {
	struct reader *reader;
	const struct survey *survey;
	struct pack_intake code, data;
	struct {
		uint64_t ip;
		uint32_t space;
		bool is_code, is_used;
	} recent[RECENT];
	/* Thread of the last sample, and the cached context of this thread: */
	uint32_t pid, tid;
	struct maps_context context;
	struct sample sample; /* the last sample */
};

static void add_recent_address(
	struct touched_search *g, uint64_t address, bool is_code)
{
	size_t i = (address ^ address >> 14 ^ g->context.space * 0x9e3779b1u) &
		(RECENT - 1);

	if (g->recent[i].is_used && g->recent[i].ip == address &&
		g->recent[i].space == g->context.space &&
		g->recent[i].is_code == is_code)
		return;
	g->recent[i].ip = address;
	g->recent[i].space = g->context.space;
	g->recent[i].is_code = is_code;
	g->recent[i].is_used = true;
	/* The process before the kernel, as in resolver_find(). */
	const struct maps *maps = g->survey->maps;
	const struct mapping *mapping =
		maps_find(maps, g->context.space, address)
		?: maps_find(maps, MAPS_KERNEL, address);
	const struct dso *dso;

	if (!mapping)
		return;
	dso = maps_dso(g->survey->maps, mapping->dso);
	if (dso->is_data || (!is_code && maps_is_anonymous(dso->path)))
		return;
	pack_intake_add(is_code ? &g->code : &g->data,
		pack_hits_at(g->survey->maps, mapping, address));
}

static void add_sample_hits(struct touched_search *g,
	const struct record *record, uint64_t position)
{
	const struct sample_layout *layout =
		reader_layout(g->reader, reader_event_of(g->reader, record));
	struct sample *sample = &g->sample;
	uint64_t time, i;

	if (!sample_read_next(layout, record, sample))
		return;
	time = survey_time(g->survey, sample->time, position);
	if (sample->pid != g->pid || sample->tid != g->tid ||
		time < g->context.valid_from ||
		time >= g->context.valid_until) {
		g->pid = sample->pid;
		g->tid = sample->tid;
		g->context =
			maps_context(g->survey->maps, g->pid, g->tid, time);
	}
	if (sample->addr)
		add_recent_address(g, sample->addr, false);
	for (i = 0; i < sample->n_branches; i++) {
		uint64_t from = sample_entry_at(sample->branches, 3 * i);
		uint64_t to = sample_entry_at(sample->branches, 3 * i + 1);

		add_recent_address(g, from, true);
		add_recent_address(g, to, true);
	}
}

static void report_omitted_addresses(const struct touched_search *g,
	const struct pack_intake *intake, const char *what)
{
	if (intake->has_omitted)
		log_note("%s: some %s are not packed: the limit is %zu",
			reader_path(g->reader), what, PLACES_MAX);
}

void pack_touched_find(
	struct input *input, struct pack_hits *code, struct pack_hits *data)
{
	struct record_visit visit = { .reader = input->reader,
		.type = RECORD_SAMPLE };
	struct touched_search *g;
	uint64_t types = 0;
	size_t i;

	for (i = 0; i < reader_n_events(input->reader); i++)
		types |= reader_event(input->reader, i)->attr.sample_type;
	if (!(types & (PERF_SAMPLE_ADDR | PERF_SAMPLE_BRANCH_STACK)))
		return;
	g = xcalloc(1, sizeof(*g));
	g->reader = input->reader;
	g->survey = &input->survey;
	/*
	 * The limits do not count the hits that CODE and DATA already contain.
	 */
	g->code = (struct pack_intake){ code, code->at.n + PLACES_MAX };
	g->data = (struct pack_intake){ data, data->at.n + PLACES_MAX };
	while (record_visit_next(&visit))
		add_sample_hits(g, &visit.record, visit.position);
	report_omitted_addresses(g, &g->code, "addresses of branches");
	report_omitted_addresses(g, &g->data, "addresses of accessed data");
	free(g);
}
