/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event.h"

#include "common/util/log.h"
#include "common/util/spell_suggest.h"
#include "record/event/event_name.h"
#include "record/event/event_pmu.h"
#include "record/event/event_probe.h"
#include "record/event/event_syntax.h"
#include "record/event/event_term.h"
#include "record/event/selection.h"
#include "record/event/tracefs.h"

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[");
}

/*
 * Adds a copy of MODEL for the tracepoint with ID. Takes ownership of
 * TRACEPOINT, the name of the tracepoint.
 */
static void add_tracepoint_event(const char *source,
	const struct event_text *text, const struct selection_event *model,
	uint64_t id, char *tracepoint, struct selection *selection)
{
	struct selection_event *event = array_push(&selection->events);

	selection_event_copy(model, event);
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->takes_each = true;
	event->tracepoint = tracepoint;
	if (event->is_named)
		return;
	free(event->name);
	size_t words_end = text->words[1].at + text->words[1].n;
	size_t end = text->whole.at + text->whole.n;
	event->name = xasprintf("%s%.*s", tracepoint, (int)(end - words_end),
		source + words_end);
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

static void add_matching_tracepoints(const char *source,
	const struct event_text *text, const struct tracefs *tracefs,
	const struct selection_event *model, struct selection *selection)
{
	_cleanup_free_ char *group = event_span_copy(source, text->words[0]);
	_cleanup_free_ char *name = event_span_copy(source, text->words[1]);
	struct tracefs_names groups = { 0 };
	uint64_t id;

	if (!is_glob(group) && !is_glob(name)) {
		if (tracefs_id(tracefs, group, name, &id))
			add_tracepoint_event(source, text, model, id,
				xasprintf("%s:%s", group, name), selection);
		return;
	}
	/* Both words can be globs, as in "*:sched_[sw]*". */
	tracefs_groups(tracefs, group, &groups);
	array_each(&groups.list, each) {
		struct tracefs_names names = { 0 };

		tracefs_events(tracefs, *each, name, &names);
		array_each(&names.list, match)
			if (!is_unsampleable(*each, *match) &&
				tracefs_id(tracefs, *each, *match, &id))
				add_tracepoint_event(source, text, model, id,
					xasprintf("%s:%s", *each, *match),
					selection);
		tracefs_names_deinit(&names);
	}
	tracefs_names_deinit(&groups);
}

/*
 * Adds a copy of MODEL for each tracepoint that the first two words of TEXT
 * match. Each copy is named after its tracepoint, followed by the modifiers,
 * unless MODEL->is_named.
 */
static struct error *event_trace_add(const char *source,
	const struct event_text *text, const struct selection_event *model,
	struct selection *selection)
{
	_cleanup_free_ char *group = event_span_copy(source, text->words[0]);
	_cleanup_free_ char *name = event_span_copy(source, text->words[1]);
	size_t before = selection->events.n;
	struct tracefs tracefs = { -1 };
	struct error *err = tracefs_open(selection->tracefs, &tracefs);

	if (err)
		return err;
	add_matching_tracepoints(source, text, &tracefs, model, selection);
	if (selection->events.n == before) {
		err = error_usage(
			"-e: there is no tracepoint '%s:%s'", group, name);
		struct tracefs_names groups = { 0 }, names = { 0 };
		struct event_span wrong = text->words[1];

		tracefs_groups(&tracefs, group, &groups);
		if (!groups.list.n) {
			wrong = text->words[0];
			tracefs_groups(&tracefs, "*", &names);
			err = suggest_tracepoint(err, group, &names);
		} else if (!is_glob(group) && !is_glob(name)) {
			tracefs_events(&tracefs, group, "*", &names);
			err = suggest_tracepoint(err, name, &names);
		}
		tracefs_names_deinit(&groups);
		tracefs_names_deinit(&names);
		err = event_span_point(err, source, wrong);
	}
	tracefs_close(&tracefs);
	return err;
}

/* One event of a -e text while it is being parsed into attributes. */
struct event_parse {
	const char *source;
	const struct event_text *text;
	const struct pmus *pmus;
	struct selection *selection;
	struct selection_event event; /* the result so far */
};

static struct error *point_at_word(
	const struct event_parse *parse, struct error *err, size_t word)
{
	return event_span_point(err, parse->source, parse->text->words[word]);
}

/* Applies the modifiers and the terms of TEXT to the parsed event. */
static struct error *apply_rest(
	struct event_parse *parse, const struct event_text *text)
{
	struct error *err =
		event_modifiers_apply(parse->source, text, &parse->event);

	return err ? err
		   : event_terms_apply(parse->source, text, &parse->event);
}

static struct error *add_named_event(struct event_parse *parse)
{
	struct event_text text = *parse->text;
	struct error *err;

	if (text.n_words > 2)
		return point_at_word(parse,
			error_usage("-e: the event has modifiers twice; write "
				    "them once, after the terms"),
			2);
	if (text.n_words == 2 && text.has_terms)
		return point_at_word(parse,
			error_usage("-e: modifiers come after the terms: "
				    "EVENT/TERMS/MODIFIERS"),
			1);
	/* The second word of an event such as "cycles:u" is the modifiers. */
	if (text.n_words == 2)
		text.modifiers = text.words[1];
	err = apply_rest(parse, &text);
	if (!err)
		event_core_add(parse->selection, &parse->event, parse->pmus);
	return err;
}

/*
 * Adds an event for each PMU that PATTERN matches. Returns the number of
 * matching PMUs.
 */
static size_t add_matching_pmus(
	struct event_parse *parse, const char *pattern, struct error **err_ret)
{
	const struct pmu *exact = pmus_find(parse->pmus, pattern);
	size_t n = 0;

	*err_ret = NULL;
	array_each(&parse->pmus->list, pmu) {
		if (exact ? pmu != exact : !pmu_matches(pmu, pattern))
			continue;
		n++;
		struct selection_event *event =
			array_push(&parse->selection->events);
		struct error *err;

		selection_event_copy(&parse->event, event);
		/*
		 * Replace the pattern of a PMU in the name of EVENT by the name
		 * of PMU: "uncore_imc/x/" becomes "uncore_imc_3/x/".
		 */
		size_t word = parse->text->words[0].n;
		char *old = event->name;

		if (!event->is_named) {
			event->name = xasprintf("%s%s", pmu->name, old + word);
			free(old);
		}
		err = event_modifiers_apply(parse->source, parse->text, event);
		*err_ret = err ? err
			       : event_pmu_apply(parse->source, parse->text,
					 parse->pmus, pmu, event);
		if (*err_ret)
			break;
	}
	return n;
}

/*
 * Applies the modifiers and the terms of an event of two words, such as a
 * tracepoint, whose third word contains modifiers. Sets RET to the event text
 * with these modifiers.
 */
static struct error *apply_rest_of_two_words(
	struct event_parse *parse, struct event_text *ret)
{
	*ret = *parse->text;
	if (ret->n_words == 3)
		ret->modifiers = ret->words[2];
	return apply_rest(parse, ret);
}

static struct error *add_tracepoint(struct event_parse *parse, const char *name)
{
	const struct event_text *whole = parse->text;
	struct event_text text;
	struct error *err;

	/* "cycels:u" is a misspelled event, not a tracepoint. */
	if (whole->n_words == 2 && !whole->has_terms &&
		event_modifiers_fit(parse->source, whole->words[1]))
		return point_at_word(
			parse, event_unknown(name, parse->pmus), 0);
	err = apply_rest_of_two_words(parse, &text);
	return err ? err
		   : event_trace_add(parse->source, &text, &parse->event,
			     parse->selection);
}

/* Parses perf's numeric form "1:0": type and config. */
static bool read_numeric_event(
	const struct event_parse *parse, struct selection_event *event)
{
	_cleanup_free_ char *type =
		event_span_copy(parse->source, parse->text->words[0]);
	_cleanup_free_ char *config =
		event_span_copy(parse->source, parse->text->words[1]);
	uint64_t type_number, config_number;

	if (parse->text->n_words < 2 || !event_number(type, &type_number) ||
		!event_number(config, &config_number) ||
		type_number > UINT32_MAX)
		return false;
	event->attr.type = (uint32_t)type_number;
	event->attr.config = config_number;
	return true;
}

static struct error *add_event_words(struct event_parse *parse)
{
	_cleanup_free_ char *name =
		event_span_copy(parse->source, parse->text->words[0]);
	struct perf_event_attr *attr = &parse->event.attr;
	bool has_terms = parse->text->has_terms;
	struct selection_event original;
	struct error *err;
	uint64_t config;
	uint32_t type;
	size_t n = 0;

	if (event_name_find(name, &type, &config)) {
		attr->type = type;
		attr->config = config;
		return add_named_event(parse);
	}
	if (read_numeric_event(parse, &parse->event)) {
		struct event_text text;

		err = apply_rest_of_two_words(parse, &text);
		if (!err)
			selection_event_copy(&parse->event,
				array_push(&parse->selection->events));
		return err;
	}
	if (has_terms && parse->text->n_words == 1 &&
		add_matching_pmus(parse, name, &err))
		return err;
	/* Add an event for each PMU that has a named event NAME. */
	original = parse->event;
	err = NULL;
	array_each(&parse->pmus->list, pmu) {
		selection_event_copy(&original, &parse->event);
		if (event_pmu_named(
			    parse->pmus, pmu, name, &parse->event, &err)) {
			n++;
			if (!err)
				err = add_named_event(parse);
		}
		selection_event_deinit(&parse->event);
		if (err)
			break;
	}
	parse->event = original;
	if (n)
		return err;
	if (parse->text->n_words > 1)
		return add_tracepoint(parse, name);
	err = has_terms ? event_unknown_pmu(name, parse->pmus)
			: event_unknown(name, parse->pmus);
	return point_at_word(parse, err, 0);
}

/*
 * Puts the events from index FIRST into the group NUMBER (0: no group). Events
 * of different kinds of cores cannot be in one group.
 */
static void set_event_group(
	struct selection *selection, size_t first, uint32_t number)
{
	struct selection_event *events = selection->events.at;
	const struct cpus *cpus;
	size_t leader = first;

	while (number && leader && events[leader - 1].group == number)
		leader--;
	for (; first < selection->events.n; first++) {
		cpus = &events[first].cpus;
		if (cpus->list.n == events[leader].cpus.list.n &&
			(!cpus->list.n ||
				!memcmp(cpus->list.at,
					events[leader].cpus.list.at,
					cpus->list.n * sizeof(*cpus->list.at))))
			events[first].group = number;
	}
}

struct error *event_select(
	struct selection *selection, const char *text, const struct pmus *pmus)
{
	struct event_texts texts;
	struct error *err = event_syntax_read(text, &texts);
	uint32_t last = 0;

	array_each(&selection->events, event)
		last = MAX(last, event->group);
	array_each(&texts.events, event) {
		size_t first = selection->events.n;

		if (err)
			break;
		struct event_parse parse = {
			.source = text,
			.text = event,
			.pmus = pmus,
			.selection = selection,
			.event = { .attr = { .exclude_guest = 1 },
				.name = event_span_copy(text, event->whole) },
		};

		if (event->kind == EVENT_WORDS) {
			err = add_event_words(&parse);
		} else {
			err = event_modifiers_apply(text, event, &parse.event);
			if (!err && event->kind == EVENT_BREAK)
				err = event_break_apply(text, event,
					selection->program, &parse.event);
			else if (!err)
				err = event_probe_apply(
					text, event, pmus, &parse.event);
			if (!err)
				selection_event_copy(&parse.event,
					array_push(&selection->events));
		}
		selection_event_deinit(&parse.event);
		if (!err && event->group)
			set_event_group(selection, first, last + event->group);
	}
	event_texts_deinit(&texts);
	return err;
}

void event_select_default(struct selection *selection, const struct pmus *pmus)
{
	char name[] = "cycles:P";
	const struct selection_event event = {
		.attr = { .type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_CPU_CYCLES,
			.exclude_guest = 1,
			.precise_ip = 3 },
		.name = name,
		.seeks_precise = true,
		.ends_in_modifiers = true,
		.is_default = true,
	};

	event_core_add(selection, &event, pmus);
}
