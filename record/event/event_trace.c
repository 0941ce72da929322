/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_trace.h"

#include "common/util/log.h"
#include "common/util/spell_suggest.h"

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[");
}

/* What stands behind the two words, and so behind the tracepoint's name. */
static char *name_copy(
	const char *source, const struct event_text *text, const char *name)
{
	size_t words_end = text->words[1].at + text->words[1].n;
	size_t end = text->whole.at + text->whole.n;

	return xasprintf(
		"%s%.*s", name, (int)(end - words_end), source + words_end);
}

/* One "group:name" that is there. */
static void add(const char *source, const struct event_text *text,
	const struct selected *model, uint64_t id, char *tracepoint,
	struct selection *selection)
{
	struct selected *event = array_push(&selection->events);

	selected_copy(model, event);
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->takes_each = true;
	event->tracepoint = tracepoint;
	if (event->is_named)
		return;
	free(event->name);
	event->name = name_copy(source, text, tracepoint);
}

static struct error *suggest(struct error *err, const char *wanted,
	const struct tracefs_names *names)
{
	struct nearest nearest;

	nearest_init(&nearest, wanted);
	array_each(&names->list, name)
		nearest_offer(&nearest, *name);
	return nearest_hint(&nearest, err);
}

static struct error *unknown(const char *source, const struct event_text *text,
	const struct tracefs *tracefs, const char *group, const char *name)
{
	struct error *err = error_usage(
		"-e: there is no tracepoint '%s:%s'", group, name);
	struct tracefs_names groups = { 0 }, names = { 0 };
	struct span wrong = text->words[1];

	tracefs_groups(tracefs, group, &groups);
	if (!groups.list.n) {
		wrong = text->words[0];
		tracefs_groups(tracefs, "*", &names);
		err = suggest(err, group, &names);
	} else if (!is_glob(group) && !is_glob(name)) {
		tracefs_events(tracefs, group, "*", &names);
		err = suggest(err, name, &names);
	}
	tracefs_names_deinit(&groups);
	tracefs_names_deinit(&names);
	return span_point(err, source, wrong);
}

/* Those that the kernel doesn't let be sampled, and nobody means by "*". */
static const struct {
	const char *group, *name, *why;
} unfit[] = {
	{ "ftrace", "function", "it is every function of the kernel" },
	/* arch/x86/include/asm/trace/irq_vectors.h */
	{ "irq_vectors", "irq_work_exit", "taking samples causes it" },
};

static bool is_unfit(const char *group, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unfit); i++) {
		if (!string_is(group, unfit[i].group) ||
			!string_is(name, unfit[i].name))
			continue;
		log_note("%s:%s is left out: %s", group, name, unfit[i].why);
		return true;
	}
	return false;
}

static void add_group(const char *source, const struct event_text *text,
	const struct tracefs *tracefs, const char *group, const char *pattern,
	const struct selected *model, struct selection *selection)
{
	struct tracefs_names names = { 0 };

	tracefs_events(tracefs, group, pattern, &names);
	array_each(&names.list, name) {
		uint64_t id;

		if (!is_unfit(group, *name) &&
			tracefs_id(tracefs, group, *name, &id))
			add(source, text, model, id,
				xasprintf("%s:%s", group, *name), selection);
	}
	tracefs_names_deinit(&names);
}

static void add_matching(const char *source, const struct event_text *text,
	const struct tracefs *tracefs, const struct selected *model,
	struct selection *selection)
{
	_cleanup_free_ char *group = span_copy(source, text->words[0]);
	_cleanup_free_ char *name = span_copy(source, text->words[1]);
	struct tracefs_names groups = { 0 };
	uint64_t id;

	if (!is_glob(group) && !is_glob(name)) {
		if (tracefs_id(tracefs, group, name, &id))
			add(source, text, model, id,
				xasprintf("%s:%s", group, name), selection);
		return;
	}
	tracefs_groups(tracefs, group, &groups);
	array_each(&groups.list, each)
		add_group(source, text, tracefs, *each, name, model, selection);
	tracefs_names_deinit(&groups);
}

struct error *event_trace_add(const char *source,
	const struct event_text *text, const struct selected *model,
	struct selection *selection)
{
	_cleanup_free_ char *group = span_copy(source, text->words[0]);
	_cleanup_free_ char *name = span_copy(source, text->words[1]);
	size_t before = selection->events.n;
	struct tracefs tracefs = { -1 };
	struct error *err = tracefs_open(selection->tracefs, &tracefs);

	if (err)
		return err;
	add_matching(source, text, &tracefs, model, selection);
	if (selection->events.n == before)
		err = unknown(source, text, &tracefs, group, name);
	tracefs_close(&tracefs);
	return err;
}
