/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/file_head.h"

#include "common/file/block.h"
#include "record/event/group.h"
#include "record/event/tracefs.h"
#include "record/queue/deferred.h"
#include "record/stream/host.h"
#include "record/unwind/callchain_rewrite.h"

static void add_event(struct features *head, const char *name,
	const struct perf_event_attr *attr, uint64_t id)
{
	struct event *event = array_push(&head->events);

	event->attr = *attr;
	deferred_hide(&event->attr);
	event->name = xstrdup(name);
	*array_push(&event->ids) = id;
}

/* What lets other tools show the raw bytes of tracepoints. */
static void add_tracing_data(
	const char *const *names, size_t n, struct features *head)
{
	struct tracefs tracefs = { -1 };
	struct strbuf blob = { 0 };
	struct error *err = tracefs_open(NULL, &tracefs);

	if (!err && tracefs_tracing_data(&tracefs, names, n, &blob)) {
		head->tracing_data_size = blob.n;
		head->tracing_data = (uint8_t *)take_pointer(blob.at);
		features_mark(head, FEATURE_TRACING_DATA);
	}
	error_free(err);
	tracefs_close(&tracefs);
	strbuf_free(&blob);
}

static void describe_tracepoints(
	const struct selection *selection, struct features *head)
{
	ARRAY(const char *) names = { 0 };

	array_each(&selection->events, event)
		if (event->tracepoint)
			*array_push(&names) = event->tracepoint;
	if (names.n)
		add_tracing_data(names.at, names.n, head);
	array_free(&names);
}

/* perf calls all groups so, too, that have no name. */
#define GROUP_NAME "{anon_group}"

static void describe_groups(
	const struct selection *selection, struct features *head)
{
	size_t i, n;

	for (i = 0; i < selection->events.n; i += n) {
		n = group_size(selection, i);
		if (n > 1)
			*array_push(&head->groups) = (struct feature_group){
				xstrdup(GROUP_NAME), (uint32_t)i, (uint32_t)n };
	}
	if (head->groups.n)
		features_mark(head, FEATURE_GROUP_DESC);
}

/* perf report shows branches by itself where the header tells of them. */
static void describe_branches(
	const struct selection *selection, struct features *head)
{
	array_each(&selection->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
			!(event->attr.branch_sample_type &
				PERF_SAMPLE_BRANCH_CALL_STACK))
			features_mark(head, FEATURE_BRANCH_STACK);
}

/*
 * The counters that a sample tells have the ids that the kernel gave them: each
 * counts for itself, and readers must not take two for one.
 */
void head_add_ids(const struct opened *opened, struct features *head)
{
	array_each(&head->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_READ)
			event->ids.n = 1;
	array_each(&opened->fds, fd) {
		struct event *event = &head->events.at[fd->event];

		if (event->attr.sample_type & PERF_SAMPLE_READ)
			*array_push(&event->ids) = fd->id;
	}
}

void head_describe(const struct opened *opened, const struct pmus *pmus,
	int level, int argc, char **argv, struct features *ret)
{
	_cleanup_free_ char *sideband = attr_name(&opened->sideband_attr);

	host_describe(argc, argv, pmus, ret);
	array_each(&opened->selection->events, event) {
		struct perf_event_attr attr =
			plain_written(opened->selection, event);

		/* An address in the recorder tells others nothing. */
		if (event->probed)
			attr.config1 = 0;
		add_event(ret, event->name, &attr, event->id);
	}
	add_event(ret, sideband, &opened->sideband_attr, opened->sideband_id);
	features_mark(ret, FEATURE_EVENT_DESC);
	head_add_ids(opened, ret);
	describe_groups(opened->selection, ret);
	describe_branches(opened->selection, ret);
	describe_tracepoints(opened->selection, ret);
	if (!level)
		return;
	ret->compression_level = (uint32_t)level;
	ret->compression_ratio = 1;
	ret->mmap_len = BLOCK_MMAP_LEN;
	features_mark(ret, FEATURE_COMPRESSED);
}
