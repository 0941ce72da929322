/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event.h"

#include "record/event/event_name.h"
#include "record/event/event_pmu.h"
#include "record/event/event_probe.h"
#include "record/event/event_term.h"
#include "record/event/event_trace.h"

/* One event of a -e text while it is being parsed into attributes. */
struct event_parse {
	const char *source;
	const struct event_text *text;
	const struct pmus *pmus;
	struct selection *selection;
	struct selected event; /* the result so far */
};

static struct error *point_at_word(
	const struct event_parse *parse, struct error *err, size_t word)
{
	return span_point(err, parse->source, parse->text->words[word]);
}

/*
 * Copies the event text to RET. In an event with one name, such as "cycles:u",
 * the second word is the modifiers: sets RET->modifiers to it.
 */
static struct error *move_modifiers(
	const struct event_parse *parse, struct event_text *ret)
{
	*ret = *parse->text;
	if (ret->n_words > 2)
		return point_at_word(parse,
			error_usage("-e: the event has modifiers twice; write "
				    "them once, after the terms"),
			2);
	if (ret->n_words == 2 && ret->has_terms)
		return point_at_word(parse,
			error_usage("-e: modifiers come after the terms: "
				    "EVENT/TERMS/MODIFIERS"),
			1);
	if (ret->n_words == 2)
		ret->modifiers = ret->words[1];
	return NULL;
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
	struct event_text text;
	struct error *err = move_modifiers(parse, &text);

	if (!err)
		err = apply_rest(parse, &text);
	if (!err)
		event_core_add(parse->selection, &parse->event, parse->pmus);
	return err;
}

/*
 * Replaces the pattern of a PMU in the name of EVENT by the name of PMU:
 * "uncore_imc/x/" becomes "uncore_imc_3/x/".
 */
static void rename_for_pmu(const struct event_parse *parse,
	const struct pmu *pmu, struct selected *event)
{
	size_t word = parse->text->words[0].n;
	char *old = event->name;

	if (event->is_named)
		return;
	event->name = xasprintf("%s%s", pmu->name, old + word);
	free(old);
}

static struct error *add_event_of_pmu(
	struct event_parse *parse, const struct pmu *pmu)
{
	struct selected *event = array_push(&parse->selection->events);
	struct error *err;

	selected_copy(&parse->event, event);
	rename_for_pmu(parse, pmu, event);
	err = event_modifiers_apply(parse->source, parse->text, event);
	return err ? err
		   : event_pmu_apply(parse->source, parse->text, parse->pmus,
			     pmu, event);
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
		*err_ret = add_event_of_pmu(parse, pmu);
		if (*err_ret)
			break;
	}
	return n;
}

/*
 * Adds an event for each PMU that has a named event NAME. Returns the number of
 * these PMUs.
 */
static size_t add_event_of_any_pmu(
	struct event_parse *parse, const char *name, struct error **err_ret)
{
	struct selected original = parse->event;
	size_t n = 0;

	*err_ret = NULL;
	array_each(&parse->pmus->list, pmu) {
		selected_copy(&original, &parse->event);
		if (event_pmu_named(
			    parse->pmus, pmu, name, &parse->event, err_ret)) {
			n++;
			if (!*err_ret)
				*err_ret = add_named_event(parse);
		}
		selected_deinit(&parse->event);
		if (*err_ret)
			break;
	}
	parse->event = original;
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
	const struct event_parse *parse, struct selected *event)
{
	_cleanup_free_ char *type =
		span_copy(parse->source, parse->text->words[0]);
	_cleanup_free_ char *config =
		span_copy(parse->source, parse->text->words[1]);
	uint64_t type_number, config_number;

	if (parse->text->n_words < 2 || !event_number(type, &type_number) ||
		!event_number(config, &config_number) ||
		type_number > UINT32_MAX)
		return false;
	event->attr.type = (uint32_t)type_number;
	event->attr.config = config_number;
	return true;
}

static struct error *add_numeric_event(struct event_parse *parse)
{
	struct event_text text;
	struct error *err = apply_rest_of_two_words(parse, &text);

	if (!err)
		selected_copy(
			&parse->event, array_push(&parse->selection->events));
	return err;
}

static struct error *add_event_words(struct event_parse *parse)
{
	_cleanup_free_ char *name =
		span_copy(parse->source, parse->text->words[0]);
	struct perf_event_attr *attr = &parse->event.attr;
	bool has_terms = parse->text->has_terms;
	struct error *err;
	uint64_t config;
	uint32_t type;

	if (event_name_find(name, &type, &config)) {
		attr->type = type;
		attr->config = config;
		return add_named_event(parse);
	}
	if (read_numeric_event(parse, &parse->event))
		return add_numeric_event(parse);
	if (has_terms && parse->text->n_words == 1 &&
		add_matching_pmus(parse, name, &err))
		return err;
	if (add_event_of_any_pmu(parse, name, &err))
		return err;
	if (parse->text->n_words > 1)
		return add_tracepoint(parse, name);
	err = has_terms ? event_unknown_pmu(name, parse->pmus)
			: event_unknown(name, parse->pmus);
	return point_at_word(parse, err, 0);
}

static struct error *add_break_or_probe(struct event_parse *parse)
{
	const struct event_text *text = parse->text;
	struct selected *event = &parse->event;
	struct error *err = event_modifiers_apply(parse->source, text, event);

	if (!err && text->kind == EVENT_BREAK)
		err = event_break_apply(
			parse->source, text, parse->selection->program, event);
	else if (!err)
		err = event_probe_apply(
			parse->source, text, parse->pmus, event);
	if (!err)
		selected_copy(event, array_push(&parse->selection->events));
	return err;
}

static struct error *add_event_text(struct selection *selection,
	const char *source, const struct event_text *text,
	const struct pmus *pmus)
{
	struct event_parse parse = {
		.source = source,
		.text = text,
		.pmus = pmus,
		.selection = selection,
		.event = { .attr = { .exclude_guest = 1 },
			.name = span_copy(source, text->whole) },
	};
	struct error *err;

	if (text->kind == EVENT_WORDS)
		err = add_event_words(&parse);
	else
		err = add_break_or_probe(&parse);
	selected_deinit(&parse.event);
	return err;
}

static bool has_same_cpus(const struct cpus *a, const struct cpus *b)
{
	return a->list.n == b->list.n &&
		(!a->list.n ||
			memcmp(a->list.at, b->list.at,
				a->list.n * sizeof(*a->list.at)) == 0);
}

/*
 * Puts the events from index FIRST into the group NUMBER (0: no group). Events
 * of different kinds of cores cannot be in one group.
 */
static void set_event_group(
	struct selection *selection, size_t first, uint32_t number)
{
	const struct selected *events = selection->events.at;
	size_t leader = first;

	while (number && leader && events[leader - 1].group == number)
		leader--;
	for (; first < selection->events.n; first++)
		if (has_same_cpus(&events[leader].cpus, &events[first].cpus))
			selection->events.at[first].group = number;
}

struct error *selection_add(
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
		err = add_event_text(selection, text, event, pmus);
		if (!err && event->group)
			set_event_group(selection, first, last + event->group);
	}
	event_texts_deinit(&texts);
	return err;
}

void selection_add_default(struct selection *selection, const struct pmus *pmus)
{
	char name[] = "cycles:P";
	const struct selected event = {
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
