/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_pmu.h"

#include <inttypes.h>

#include "record/event/event_name.h"
#include "record/event/event_term.h"

/* linux/perf_event.h, PERF_PMU_TYPE_SHIFT: config selects the core PMU. */
#define PMU_TYPE_SHIFT 32

/* A PMU event while its terms are being parsed. */
struct pmu_event_parse {
	const struct pmus *pmus;
	const struct pmu *pmu;
	struct selection_event *event;
};

/*
 * If EVENT has the modifier P, sets precise_ip to the highest value that PMU
 * supports, if known.
 */
static void event_pmu_limit_precise(
	const struct pmu *pmu, struct selection_event *event)
{
	if (event->seeks_precise && pmu->max_precise >= 0)
		event->attr.precise_ip = (unsigned)pmu->max_precise & 3u;
}

/*
 * Binds a hardware, cache or raw event to one kind of core of a hybrid machine.
 */
static void event_pmu_bind(const struct pmu *pmu, struct selection_event *event)
{
	event_pmu_limit_precise(pmu, event);
	if (event->attr.type == PERF_TYPE_RAW)
		event->attr.type = pmu->type;
	else
		event->attr.config |= (uint64_t)pmu->type << PMU_TYPE_SHIFT;
}

/*
 * Sets the field NAME to VALUE. As in perf, several values of one field are
 * combined by bitwise or.
 */
static struct error *take_pmu_field(const struct pmu_event_parse *parse,
	const struct pmu_format *format, const char *name, const char *value)
{
	struct perf_event_attr *attr = &parse->event->attr;
	uint64_t max = pmu_format_max(format), number = 1;

	if (!value && max > 1)
		return error_usage("-e: %s of PMU '%s' needs a value: %s=...",
			name, parse->pmu->name, name);
	if (value && !event_number(value, &number))
		return error_usage("-e: %s: '%s' is not a number", name, value);
	if (number > max)
		return error_usage("-e: %s: %s is above the maximum of PMU "
				   "'%s', 0x%" PRIx64,
			name, value, parse->pmu->name, max);
	return event_set_config(attr, format->config,
		event_get_config(attr, format->config) |
			pmu_format_place(format, number));
}

static void suggest_pmu_name(void *data, const char *name)
{
	spell_suggest_offer(data, name);
}

/*
 * Applies a term that is a field of the PMU or a term of all events. Sets
 * HAS_TAKEN_RET to false if NAME is neither.
 */
static struct error *take_simple_term(const struct pmu_event_parse *parse,
	const char *name, const char *value, bool *has_taken_ret)
{
	struct pmu_format format;
	struct error *err =
		event_term_take(name, value, parse->event, has_taken_ret);
	int found;

	if (err || *has_taken_ret)
		return err;
	found = pmu_format(parse->pmus, parse->pmu, name, &format);
	*has_taken_ret = found != -1;
	if (found == -2)
		return error_usage("-e: cannot parse '%s' of PMU '%s' in sysfs",
			name, parse->pmu->name);
	return found ? NULL : take_pmu_field(parse, &format, name, value);
}

static struct error *take_named_event(const struct pmu_event_parse *parse,
	const char *name, bool *has_taken_ret)
{
	_cleanup_strbuf_ struct strbuf terms = { 0 };
	struct error *err = NULL;
	char *at, *word;
	bool has_taken;

	*has_taken_ret = pmu_event(parse->pmus, parse->pmu, name, &terms);
	if (!*has_taken_ret || !terms.at)
		return NULL;
	parse->event->unit = pmu_event_unit(parse->pmus, parse->pmu, name);
	at = terms.at;
	while (!err && (word = strsep(&at, ",\n"))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		/* The user must set a term with the value "?". */
		if (!*word || (value && *value == '?'))
			continue;
		err = take_simple_term(parse, word, value, &has_taken);
		if (!err && !has_taken)
			err = error_new("-e: '%s' of PMU '%s' in sysfs has the "
					"unknown term '%s'",
				name, parse->pmu->name, word);
	}
	return err;
}

/*
 * Parses generic event names and raw codes of a core PMU, as in
 * "cpu_core/cycles/", "cpu/LLC-loads/" and "cpu/r1a8/".
 */
static bool take_generic_event(
	const struct pmu_event_parse *parse, const char *name)
{
	struct perf_event_attr *attr = &parse->event->attr;
	uint64_t config;
	uint32_t type;

	if (!event_name_find(name, &type, &config) ||
		type == PERF_TYPE_SOFTWARE)
		return false;
	if (type == PERF_TYPE_RAW) {
		attr->config |= config;
		return true;
	}
	if (!parse->pmu->is_core && !string_is(parse->pmu->name, "cpu"))
		return false;
	attr->type = type;
	attr->config = config;
	if (pmus_is_hybrid(parse->pmus))
		event_pmu_bind(parse->pmu, parse->event);
	return true;
}

static struct error *take_pmu_term(const struct pmu_event_parse *parse,
	const char *name, const char *value)
{
	bool has_taken;
	struct error *err = NULL;

	if (value && string_is(name, "event")) {
		err = take_named_event(parse, value, &has_taken);
		if (err || has_taken)
			return err;
	}
	err = take_simple_term(parse, name, value, &has_taken);
	if (err || has_taken)
		return err;
	if (!value) {
		err = take_named_event(parse, name, &has_taken);
		if (err || has_taken || take_generic_event(parse, name))
			return err;
	}
	err = error_usage("-e: PMU '%s' has no term or event '%s'",
		parse->pmu->name, name);
	struct spell_suggest nearest;

	spell_suggest_init(&nearest, name);
	pmu_each_term(parse->pmus, parse->pmu, suggest_pmu_name, &nearest);
	pmu_each_event(parse->pmus, parse->pmu, suggest_pmu_name, &nearest);
	event_term_offer(&nearest);
	return spell_suggest_hint(&nearest, err);
}

static void set_pmu_type(const struct pmu *pmu, struct selection_event *event)
{
	event->attr.type = pmu->type;
	event_pmu_limit_precise(pmu, event);
	array_each(&pmu->cpus.list, cpu)
		*array_push(&event->cpus.list) = *cpu;
}

struct error *event_pmu_apply(const char *source, const struct event_text *text,
	const struct pmus *pmus, const struct pmu *pmu,
	struct selection_event *event)
{
	const struct pmu_event_parse parse = { pmus, pmu, event };

	set_pmu_type(pmu, event);
	array_each(&text->terms, term) {
		_cleanup_free_ char *name = event_span_copy(source, term->name);
		_cleanup_free_ char *value =
			event_span_copy(source, term->value);
		struct error *err = take_pmu_term(
			&parse, name, term->has_value ? value : NULL);
		struct pmu_format format;
		struct spell_suggest known;

		if (!err)
			continue;
		/* Point at the value, or at the name if it is unknown. */
		spell_suggest_init(&known, name);
		event_term_offer(&known);
		return event_span_point(err, source,
			string_is(known.best, name) ||
					pmu_format(pmus, pmu, name, &format) !=
						-1
				? event_term_fault(term)
				: term->name);
	}
	return NULL;
}

bool event_pmu_named(const struct pmus *pmus, const struct pmu *pmu,
	const char *name, struct selection_event *event, struct error **err_ret)
{
	const struct pmu_event_parse parse = { pmus, pmu, event };
	bool has_taken;

	*err_ret = take_named_event(&parse, name, &has_taken);
	if (has_taken)
		set_pmu_type(pmu, event);
	return has_taken;
}

/*
 * Returns whether ATTR is a hardware, cache or raw event, which each kind of
 * core of a hybrid machine counts with its own PMU.
 */
static bool is_core_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE ||
		attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;
}

/*
 * Returns the name of an event on one kind of core: "cpu_core/cycles/u" for
 * "cycles:u".
 */
static char *core_event_name(const char *core, const char *name)
{
	size_t length = strcspn(name, ":/");
	const char *rest = name + length;

	if (*rest == '/' && rest[1] != '/')
		return xasprintf(
			"%s/%.*s,%s", core, (int)length, name, rest + 1);
	rest += strspn(rest, ":/");
	return xasprintf("%s/%.*s/%s", core, (int)length, name, rest);
}

void event_core_add(struct selection *selection,
	const struct selection_event *event, const struct pmus *pmus)
{
	if (!is_core_event(&event->attr) || !pmus_is_hybrid(pmus)) {
		struct selection_event *copy = array_push(&selection->events);

		selection_event_copy(event, copy);
		if (is_core_event(&event->attr) && pmus_find(pmus, "cpu"))
			event_pmu_limit_precise(pmus_find(pmus, "cpu"), copy);
		return;
	}
	array_each(&pmus->list, pmu) {
		struct selection_event *copy;

		if (!pmu->is_core)
			continue;
		copy = array_push(&selection->events);
		selection_event_copy(event, copy);
		event_pmu_bind(pmu, copy);
		array_each(&pmu->cpus.list, cpu)
			*array_push(&copy->cpus.list) = *cpu;
		if (copy->is_named)
			continue;
		free(copy->name);
		copy->name = core_event_name(pmu->name, event->name);
		copy->ends_in_modifiers = true;
	}
}
