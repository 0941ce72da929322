/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event.h"

#include "record/event/event_break.h"
#include "record/event/event_core.h"
#include "record/event/event_modifier.h"
#include "record/event/event_name.h"
#include "record/event/event_pmu.h"
#include "record/event/event_probe.h"
#include "record/event/event_term.h"
#include "record/event/event_trace.h"
#include "record/event/event_unknown.h"

/* One event on its way from text to attr. */
struct making {
	const char *source;
	const struct event_text *text;
	const struct pmus *pmus;
	struct selection *selection;
	struct selected event; /* what is known already; owned */
};

static struct error *point(
	const struct making *making, struct error *err, size_t word)
{
	return span_point(err, making->source, making->text->words[word]);
}

/* The second word of a name that has one: its modifiers. */
static struct error *move_modifiers(
	const struct making *making, struct event_text *ret)
{
	*ret = *making->text;
	if (ret->n_words > 2)
		return point(making,
			error_usage("-e: modifiers stand there twice"), 2);
	if (ret->n_words == 2 && ret->has_terms)
		return point(making,
			error_usage("-e: modifiers go behind the terms"), 1);
	if (ret->n_words == 2)
		ret->modifiers = ret->words[1];
	return NULL;
}

/* What stands behind the event's name. */
static struct error *apply_rest(
	struct making *making, const struct event_text *text)
{
	struct error *err =
		event_modifiers_apply(making->source, text, &making->event);

	return err ? err
		   : event_terms_apply(
			     making->source, text, &making->event);
}

static struct error *add_named(struct making *making)
{
	struct event_text text;
	struct error *err = move_modifiers(making, &text);

	if (!err)
		err = apply_rest(making, &text);
	if (!err)
		event_core_add(
			making->selection, &making->event, making->pmus);
	return err;
}

/* "uncore_imc/x/" of uncore_imc_3 is "uncore_imc_3/x/". */
static void name_after(const struct making *making, const struct pmu *pmu,
	struct selected *event)
{
	size_t word = making->text->words[0].n;
	char *old = event->name;

	if (event->is_named)
		return;
	event->name = xasprintf("%s%s", pmu->name, old + word);
	free(old);
}

static struct error *add_of_pmu(struct making *making, const struct pmu *pmu)
{
	struct selected *event = array_push(&making->selection->events);
	struct error *err;

	selected_copy(&making->event, event);
	name_after(making, pmu, event);
	err = event_modifiers_apply(making->source, making->text, event);
	return err ? err
		   : event_pmu_apply(making->source, making->text,
			     making->pmus, pmu, event);
}

/* All PMUs that the word before the slash means; 0: none. */
static size_t add_of_pmus(
	struct making *making, const char *pattern, struct error **err_ret)
{
	const struct pmu *exact = pmus_find(making->pmus, pattern);
	size_t n = 0;

	*err_ret = NULL;
	array_each(&making->pmus->list, pmu) {
		if (exact ? pmu != exact : !pmu_matches(pmu, pattern))
			continue;
		n++;
		*err_ret = add_of_pmu(making, pmu);
		if (*err_ret)
			break;
	}
	return n;
}

/* An event that PMUs name, without their name before it. */
static size_t add_of_any_pmu(
	struct making *making, const char *name, struct error **err_ret)
{
	struct selected bare = making->event;
	size_t n = 0;

	*err_ret = NULL;
	array_each(&making->pmus->list, pmu) {
		selected_copy(&bare, &making->event);
		if (event_pmu_named(making->pmus, pmu, name, &making->event,
			    err_ret)) {
			n++;
			if (!*err_ret)
				*err_ret = add_named(making);
		}
		selected_deinit(&making->event);
		if (*err_ret)
			break;
	}
	making->event = bare;
	return n;
}

/* The same of a name of two words: its modifiers may be the third. */
static struct error *apply_rest_of_two(
	struct making *making, struct event_text *ret)
{
	*ret = *making->text;
	if (ret->n_words == 3)
		ret->modifiers = ret->words[2];
	return apply_rest(making, ret);
}

static struct error *add_tracepoint(struct making *making, const char *name)
{
	const struct event_text *whole = making->text;
	struct event_text text;
	struct error *err;

	/* "cycels:u" is a typing error, not a tracepoint. */
	if (whole->n_words == 2 && !whole->has_terms &&
		event_modifiers_fit(making->source, whole->words[1]))
		return point(making,
			event_unknown(name, making->pmus), 0);
	err = apply_rest_of_two(making, &text);
	return err ? err
		   : event_trace_add(making->source, &text, &making->event,
			     making->selection);
}

/* "1:0": type and config, as perf has it. */
static bool is_numeric(const struct making *making, struct selected *event)
{
	_cleanup_free_ char *type =
		span_copy(making->source, making->text->words[0]);
	_cleanup_free_ char *config =
		span_copy(making->source, making->text->words[1]);
	uint64_t type_number, config_number;

	if (making->text->n_words < 2 || !event_number(type, &type_number) ||
		!event_number(config, &config_number) ||
		type_number > UINT32_MAX)
		return false;
	event->attr.type = (uint32_t)type_number;
	event->attr.config = config_number;
	return true;
}

static struct error *add_numeric(struct making *making)
{
	struct event_text text;
	struct error *err = apply_rest_of_two(making, &text);

	if (!err)
		selected_copy(&making->event,
			array_push(&making->selection->events));
	return err;
}

static struct error *add_words(struct making *making)
{
	_cleanup_free_ char *name =
		span_copy(making->source, making->text->words[0]);
	struct perf_event_attr *attr = &making->event.attr;
	bool has_terms = making->text->has_terms;
	struct error *err;
	uint64_t config;
	uint32_t type;

	if (event_name_find(name, &type, &config)) {
		attr->type = type;
		attr->config = config;
		return add_named(making);
	}
	if (is_numeric(making, &making->event))
		return add_numeric(making);
	if (has_terms && making->text->n_words == 1 &&
		add_of_pmus(making, name, &err))
		return err;
	if (add_of_any_pmu(making, name, &err))
		return err;
	if (making->text->n_words > 1)
		return add_tracepoint(making, name);
	err = has_terms ? event_unknown_pmu(name, making->pmus)
			: event_unknown(name, making->pmus);
	return point(making, err, 0);
}

static struct error *add_special(struct making *making)
{
	const struct event_text *text = making->text;
	struct selected *event = &making->event;
	struct error *err =
		event_modifiers_apply(making->source, text, event);

	if (!err && text->kind == EVENT_BREAK)
		err = event_break_apply(making->source, text,
			making->selection->program, event);
	else if (!err)
		err = event_probe_apply(
			making->source, text, making->pmus, event);
	if (!err)
		selected_copy(event, array_push(&making->selection->events));
	return err;
}

static struct error *add_one(struct selection *selection, const char *source,
	const struct event_text *text, const struct pmus *pmus)
{
	struct making making = {
		.source = source,
		.text = text,
		.pmus = pmus,
		.selection = selection,
		.event = { .attr = { .exclude_guest = 1 },
			.name = span_copy(source, text->whole) },
	};
	struct error *err;

	if (text->kind == EVENT_WORDS)
		err = add_words(&making);
	else
		err = add_special(&making);
	selected_deinit(&making.event);
	return err;
}

static bool has_same_cpus(const struct cpus *a, const struct cpus *b)
{
	return a->list.n == b->list.n &&
		(!a->list.n || memcmp(a->list.at, b->list.at,
				       a->list.n * sizeof(*a->list.at)) == 0);
}

/*
 * Those from FIRST on are what TEXT has become, in the group of NUMBER (0:
 * none). Different kinds of cores can't count together.
 */
static void set_group(
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

struct error *selection_add(struct selection *selection, const char *text,
	const struct pmus *pmus)
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
		err = add_one(selection, text, event, pmus);
		if (!err && event->group)
			set_group(selection, first, last + event->group);
	}
	event_texts_deinit(&texts);
	return err;
}

void selection_add_default(
	struct selection *selection, const struct pmus *pmus)
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
