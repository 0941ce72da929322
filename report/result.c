/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "common/escape.h"
#include "common/log.h"
#include "common/loss.h"
#include "report/columns.h"
#include "report/group.h"
#include "report/refine.h"

#define DEFAULT_INPUT "dwell.data"
#define PERF_INPUT "perf.data"

struct error *result_open(const struct options *options, struct reader **ret)
{
	const char *path = options->input;
	struct error *err;

	if (!path)
		path = access(DEFAULT_INPUT, F_OK) && !access(PERF_INPUT, F_OK)
			? PERF_INPUT
			: DEFAULT_INPUT;
	err = reader_open(path, ret);
	if (err && !options->input)
		err = error_hint(err,
			"record one with 'dwell record' or name one with -i");
	return err;
}

void result_tell_damage(const struct reader *reader)
{
	if (reader_damage(reader))
		log_note("%s: %s; the rest is shown",
			reader_path(reader), reader_damage(reader));
}

static bool any_chains(struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type &
			PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

void result_tell_stacks(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type &
			PERF_SAMPLE_STACK_USER) {
			log_note("%s: callers in user space are missing: its "
				 "copies of stacks (--call-graph dwarf) aren't "
				 "unwound; record with -g, or see perf report",
				reader_path(reader));
			return;
		}
}

/* Branches that the kernel took for a callchain's sake are no question. */
static bool any_branches(struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		const struct perf_event_attr *attr =
			&reader_event(reader, i)->attr;

		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
			!(attr->branch_sample_type &
				PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

static enum take_mode choose_mode(const struct result *result)
{
	const struct options *options = result->options;

	if (options->weighs_accesses)
		return TAKE_WEIGHTS;
	if (options->branches == CHOICE_ON ||
		(options->branches == CHOICE_DEFAULT &&
			any_branches(result->reader)))
		return TAKE_BRANCHES;
	return TAKE_SAMPLES;
}

static bool wants_parent(const struct options *options,
	const struct hist_request *request)
{
	size_t i;

	for (i = 0; i < request->n_fields; i++)
		if (string_is(request->fields[i]->name, "parent"))
			return true;
	return options->parent;
}

static struct error *make_request(struct result *result)
{
	const struct options *options = result->options;
	struct hist_request *request = &result->request;
	struct error *err;

	request->takes.mode = choose_mode(result);
	request->takes.quantum_ns = options->quantum_ns;
	/* A branch or an access has no callers of its own. */
	result->has_chains = any_chains(result->reader) &&
		request->takes.mode == TAKE_SAMPLES;
	request->filter = &options->filter;
	request->is_relative = options->is_relative;
	request->percent_limit = options->percent_limit;
	/* Without callchains nobody has callers. */
	request->has_children =
		result->has_chains && options->children != CHOICE_OFF &&
		columns_allow_callers(options);
	/* Rows of callers read best with their callees below them. */
	request->is_inverted = options->is_inverted ||
		options->callers_first == CHOICE_ON ||
		(options->callers_first == CHOICE_DEFAULT &&
			request->has_children);
	request->wants_trees = result->has_chains &&
		options->graph.style != GRAPH_NONE &&
		string_is(options->view, "stdio");
	err = columns_make(options, result->reader, request);
	result->names.traces = request->takes.traces;
	request->wants_parent = wants_parent(options, request);
	return err;
}

/* A table without rows shouldn't leave the user guessing. */
static void tell_if_empty(const struct result *result)
{
	array_each(&result->hists, hist)
		array_each(&hist->rows, row)
			if (!row->is_hidden)
				return;
	if (!result->hists.n)
		log_note("%s has no samples", reader_path(result->reader));
	else
		log_note("no sample passes the filters and limits");
}

static void run_scan(struct result *result)
{
	const struct hist_request *rows = &result->request;
	struct scan_request request = {
		.wants_chains = result->has_chains &&
			(result->request.has_children ||
				result->request.wants_trees ||
				result->request.wants_parent ||
				result->options->ignored_callees),
		.max_frames = result->options->script.max_stack,
		.keeps_callers = result->request.is_inverted,
		.takes = rows->takes.n || rows->takes.mode ? &rows->takes
						   : NULL,
		.pick = &result->pick,
		.filter = &result->options->filter,
	};
	size_t i;

	for (i = 0; i < rows->n_fields; i++) {
		request.wants_pid |= rows->fields[i]->needs_pid;
		request.wants_tid |= rows->fields[i]->needs_tid;
		request.wants_cpu |= rows->fields[i]->needs_cpu;
	}
	scan_run(result->reader, &result->survey, &request, &result->scan);
}

struct error *result_prepare(const struct options *options, struct result *ret)
{
	struct error *err;

	memset(ret, 0, sizeof(*ret));
	ret->options = options;
	err = result_open(options, &ret->reader);
	if (!err)
		err = survey_run(ret->reader, false, &ret->survey);
	if (!err)
		err = pick_init(&ret->pick, &options->filter, ret->reader,
			&ret->survey);
	if (err)
		return err;
	result_tell_damage(ret->reader);
	ret->resolver = resolver_create(ret->reader, &ret->survey,
		options->graph.by_address ? RESOLVE_ADDRESSES
					  : RESOLVE_FUNCTIONS);
	ret->names = (struct field_names){ .survey = &ret->survey,
		.resolver = ret->resolver,
		.points = &ret->points,
		.reader = ret->reader };
	return NULL;
}

bool result_wants_sample(const struct result *result, size_t event,
	const struct sample *sample, const struct maps_context *at)
{
	const struct filter *filter = &result->options->filter;
	struct frame frame =
		stacks_frame(at->space, sample->ip, sample->cpumode);
	char comm[SURVEY_COMM_SIZE];

	if (!pick_has_sample(&result->pick, event, sample) ||
		!filter_passes_task(filter, sample->pid, sample->tid) ||
		!filter_passes_name(&filter->comms,
			survey_comm(
				&result->survey, at->comm, sample->tid, comm)))
		return false;
	if (!filter->dsos.names.n && !filter->symbols.names.n)
		return true;
	return resolver_passes(result->resolver, filter,
		resolver_find(result->resolver, &frame).location);
}

static void make_hist(struct result *result, size_t event, struct hist *ret)
{
	hist_build(&result->scan, (uint32_t)event, &result->request,
		&result->names, ret);
}

/* Programs get a table per event unless they ask for groups. */
static void make_hists(struct result *result)
{
	const struct options *options = result->options;
	bool is_grouped = options->groups == CHOICE_ON ||
		(options->groups == CHOICE_DEFAULT &&
			string_is(options->view, "stdio"));
	size_t n = reader_n_events(result->reader), size, i, j;

	for (i = 0; i < n; i += size) {
		struct hist *hist;
		uint64_t samples = 0;
		const char *name;

		size = is_grouped ? group_size(result->reader, i,
					    options->groups == CHOICE_ON,
					    &name)
				  : 1;
		for (j = i; j < i + size; j++)
			samples += result->scan.by_event.at[j].samples;
		if (!samples)
			continue;
		hist = array_push(&result->hists);
		make_hist(result, i, hist);
		for (j = i + 1; j < i + size; j++)
			make_hist(result, j, array_push(&hist->members));
		if (size > 1)
			group_join(hist, &result->request, &result->names);
	}
}

static void tell_damaged_records(const struct result *result)
{
	struct damage damage = result->scan.damaged;

	damage_add(&damage, result->survey.damaged.n,
		result->survey.damaged.first);
	if (damage.n)
		log_note("%s: damaged records left out: %" PRIu64
			 ", the first one at 0x%" PRIx64,
			reader_path(result->reader), damage.n, damage.first);
}

static bool has_rest(const struct hist *hist)
{
	array_each(&hist->members, member)
		if (member->rest_row != HASH_NONE)
			return true;
	return hist->rest_row != HASH_NONE;
}

static void tell_rest(const struct result *result)
{
	array_each(&result->hists, hist) {
		if (!has_rest(hist))
			continue;
		log_note("%s: it holds too many different stacks for its "
			 "size; what there is no memory for is shown as "
			 HIST_REST,
			reader_path(result->reader));
		return;
	}
}

struct error *result_make(const struct options *options, struct result *ret)
{
	struct error *err = result_prepare(options, ret);

	if (err)
		return err;
	result_tell_stacks(ret->reader);
	err = make_request(ret);
	if (err)
		return err;
	run_scan(ret);
	tell_damaged_records(ret);
	late_tell(ret->reader, ret->scan.unjoined);
	hist_resolve(&ret->scan, &ret->names);
	err = refine(&ret->scan, options, &ret->request, &ret->names);
	if (err)
		return err;
	make_hists(ret);
	tell_rest(ret);
	if (ret->request.wants_trees)
		ret->forest = forest_create(&ret->scan, &ret->names);
	tell_if_empty(ret);
	return NULL;
}

void result_deinit(struct result *result)
{
	array_each(&result->hists, hist)
		hist_deinit(hist);
	array_free(&result->hists);
	points_deinit(&result->points);
	forest_destroy(result->forest);
	columns_deinit(&result->request);
	resolver_destroy(result->resolver);
	scan_deinit(&result->scan);
	pick_deinit(&result->pick);
	survey_deinit(&result->survey);
	reader_close(result->reader);
}

uint64_t result_lost(const struct result *result, double *percent_ret)
{
	uint64_t lost = result->survey.lost, samples = 0;

	array_each(&result->scan.by_event, totals)
		samples += totals->samples;
	/* Who takes samples one by one has no scan. */
	if (!result->scan.by_event.n)
		samples = result->survey.by_type[RECORD_SAMPLE];
	*percent_ret = lost ? 100.0 * (double)lost / (double)(lost + samples)
			    : 0;
	return lost;
}

static const char *event_name(const struct reader *reader, uint64_t id)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		const struct event *event = reader_event(reader, i);

		array_each(&event->ids, own)
			if (*own == id)
				return event->name;
	}
	return "event";
}

/* Which event lost samples, where and why, if the recorder wrote that. */
static void put_losses(struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct loss loss;
	struct bytes b;

	if (!reader_section(reader, SECTION_LOSSES, LOSS_VERSION, &raw))
		return;
	b = bytes_of((const uint8_t *)raw.at, raw.n, false);
	while (loss_read(&b, &loss)) {
		if (!loss_is_any(&loss))
			continue;
		strbuf_puts(out, "# losses: ");
		loss_print(&loss, event_name(reader, loss.id), out);
		strbuf_putc(out, '\n');
	}
}

/* Where the recorder didn't tell, the file's time is the best there is. */
static void put_file_time(const struct reader *reader, struct strbuf *out)
{
	struct stat stat_;
	char text[64];
	struct tm tm;

	if (feature_is_present(reader_features(reader), FEATURE_CLOCK_DATA) ||
		stat(reader_path(reader), &stat_) != 0 ||
		!gmtime_r(&stat_.st_mtime, &tm) ||
		!strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	strbuf_printf(out, "# captured on : %s UTC (the file's time)\n", text);
}

void result_header(const struct result *result, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	const struct features *features = reader_features(result->reader);
	double percent;
	uint64_t lost = result_lost(result, &percent);
	unsigned bit;
	size_t i;

	strbuf_puts(&raw, "# ========\n");
	put_file_time(result->reader, &raw);
	for (bit = 0; bit < FEATURE_BITS; bit++)
		if (feature_is_long(bit) && !result->options->shows_info &&
			feature_is_present(features, bit))
			strbuf_printf(&raw,
				"# %s info available, use -I to display\n",
				feature_name(bit));
		else
			feature_print(features, bit, &raw);
	/* A stream describes its events in records. */
	for (i = 0; !feature_is_present(features, FEATURE_EVENT_DESC) &&
		i < reader_n_events(result->reader);
		i++) {
		const struct event *event = reader_event(result->reader, i);

		strbuf_printf(&raw, "# event : name = %s, ", event->name);
		attr_print(&event->attr, &raw);
		strbuf_putc(&raw, '\n');
	}
	strbuf_printf(&raw, "# data size : %" PRIu64 "\n",
		reader_size(result->reader));
	strbuf_printf(
		&raw, "# lost: %" PRIu64 " (%.2f %%)\n", lost, percent);
	put_losses(result->reader, &raw);
	strbuf_puts(&raw, "# ========\n#\n");
	escape_lines(out, raw.at, raw.n);
}
