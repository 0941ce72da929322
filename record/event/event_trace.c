/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_trace.h"

#include "common/util/log.h"
#include "common/util/spell_suggest.h"

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[");
}

/* Returns the tracepoint NAME with the modifiers and terms of the source. */
static char *tracepoint_event_name(
	const char *source, const struct event_text *text, const char *name)
{
	size_t words_end = text->words[1].at + text->words[1].n;
	size_t end = text->whole.at + text->whole.n;

	return xasprintf(
		"%s%.*s", name, (int)(end - words_end), source + words_end);
}

/*
 * Adds a copy of MODEL for the tracepoint with ID. Takes ownership of
 * TRACEPOINT, the name of the tracepoint.
 */
static void add_tracepoint_event(const char *source,
	const struct event_text *text, const struct selected *model,
	uint64_t id, char *tracepoint, struct selection *selection)
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
	event->name = tracepoint_event_name(source, text, tracepoint);
}

static struct error *suggest_tracepoint(struct error *err, const char *wanted,
	const struct tracefs_names *names)
{
	struct spell_suggest nearest;

	spell_suggest_init(&nearest, wanted);
	array_each(&names->list, name)
		spell_suggest_offer(&nearest, *name);
	return spell_suggest_hint(&nearest, err);
}

static struct error *unknown_tracepoint(const char *source,
	const struct event_text *text, const struct tracefs *tracefs,
	const char *group, const char *name)
{
	struct error *err =
		error_usage("-e: there is no tracepoint '%s:%s'", group, name);
	struct tracefs_names groups = { 0 }, names = { 0 };
	struct span wrong = text->words[1];

	tracefs_groups(tracefs, group, &groups);
	if (!groups.list.n) {
		wrong = text->words[0];
		tracefs_groups(tracefs, "*", &names);
		err = suggest_tracepoint(err, group, &names);
	} else if (!is_glob(group) && !is_glob(name)) {
		tracefs_events(tracefs, group, "*", &names);
		err = suggest_tracepoint(err, name, &names);
	}
	tracefs_names_deinit(&groups);
	tracefs_names_deinit(&names);
	return span_point(err, source, wrong);
}

/*
 * Tracepoints that cannot be sampled. A glob such as "irq_vectors:*" skips
 * these tracepoints with a message.
 */
static const struct {
	const char *group, *name, *why;
} unsampleable[] = {
	{ "ftrace", "function", "it is every function of the kernel" },
	/* arch/x86/include/asm/trace/irq_vectors.h */
	{ "irq_vectors", "irq_work_exit", "taking samples causes it" },
};

static bool is_unsampleable(const char *group, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unsampleable); i++) {
		if (!string_is(group, unsampleable[i].group) ||
			!string_is(name, unsampleable[i].name))
			continue;
		log_note("%s:%s is not recorded: %s", group, name,
			unsampleable[i].why);
		return true;
	}
	return false;
}

static void add_matching_group(const char *source,
	const struct event_text *text, const struct tracefs *tracefs,
	const char *group, const char *pattern, const struct selected *model,
	struct selection *selection)
{
	struct tracefs_names names = { 0 };

	tracefs_events(tracefs, group, pattern, &names);
	array_each(&names.list, name) {
		uint64_t id;

		if (!is_unsampleable(group, *name) &&
			tracefs_id(tracefs, group, *name, &id))
			add_tracepoint_event(source, text, model, id,
				xasprintf("%s:%s", group, *name), selection);
	}
	tracefs_names_deinit(&names);
}

static void add_matching_tracepoints(const char *source,
	const struct event_text *text, const struct tracefs *tracefs,
	const struct selected *model, struct selection *selection)
{
	_cleanup_free_ char *group = span_copy(source, text->words[0]);
	_cleanup_free_ char *name = span_copy(source, text->words[1]);
	struct tracefs_names groups = { 0 };
	uint64_t id;

	if (!is_glob(group) && !is_glob(name)) {
		if (tracefs_id(tracefs, group, name, &id))
			add_tracepoint_event(source, text, model, id,
				xasprintf("%s:%s", group, name), selection);
		return;
	}
	tracefs_groups(tracefs, group, &groups);
	array_each(&groups.list, each)
		add_matching_group(
			source, text, tracefs, *each, name, model, selection);
	tracefs_names_deinit(&groups);
}

struct error *event_trace_add(const char *source, const struct event_text *text,
	const struct selected *model, struct selection *selection)
{
	_cleanup_free_ char *group = span_copy(source, text->words[0]);
	_cleanup_free_ char *name = span_copy(source, text->words[1]);
	size_t before = selection->events.n;
	struct tracefs tracefs = { -1 };
	struct error *err = tracefs_open(selection->tracefs, &tracefs);

	if (err)
		return err;
	add_matching_tracepoints(source, text, &tracefs, model, selection);
	if (selection->events.n == before)
		err = unknown_tracepoint(source, text, &tracefs, group, name);
	tracefs_close(&tracefs);
	return err;
}
