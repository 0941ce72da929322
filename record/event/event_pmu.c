/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_pmu.h"

#include <inttypes.h>

#include "record/event/event_name.h"
#include "record/event/event_term.h"

/* linux/perf_event.h, PERF_PMU_TYPE_SHIFT: which core PMU is meant. */
#define PMU_TYPE_SHIFT 32

/* One event of one PMU while its terms are taken. */
struct making {
	const struct pmus *pmus;
	const struct pmu *pmu;
	struct selected *event;
};

/* As perf does it: values of one field add up bit by bit. */
static struct error *take_field(const struct making *making,
	const struct pmu_format *format, const char *name, const char *value)
{
	struct perf_event_attr *attr = &making->event->attr;
	uint64_t max = pmu_format_max(format), number = 1;

	if (!value && max > 1)
		return error_usage("-e: %s of PMU '%s' needs a value: %s=...",
			name, making->pmu->name, name);
	if (value && !event_number(value, &number))
		return error_usage(
			"-e: %s: '%s' is not a number", name, value);
	if (number > max)
		return error_usage("-e: %s: %s is more than PMU '%s' has room "
				   "for, 0x%" PRIx64,
			name, value, making->pmu->name, max);
	return event_set_config(attr, format->config,
		event_get_config(attr, format->config) |
			pmu_format_place(format, number));
}

static void offer(void *data, const char *name)
{
	nearest_offer(data, name);
}

static struct error *unknown_term(
	const struct making *making, const char *name)
{
	struct error *err =
		error_usage("-e: PMU '%s' has no term or event '%s'",
			making->pmu->name, name);
	struct nearest nearest;

	nearest_init(&nearest, name);
	pmu_each_term(making->pmus, making->pmu, offer, &nearest);
	pmu_each_event(making->pmus, making->pmu, offer, &nearest);
	event_term_offer(&nearest);
	return nearest_hint(&nearest, err);
}

/* A term that is a field of the attr or one that all events have. */
static struct error *take_plain(const struct making *making, const char *name,
	const char *value, bool *has_taken_ret)
{
	struct pmu_format format;
	struct error *err = event_term_take(
		name, value, making->event, has_taken_ret);
	int found;

	if (err || *has_taken_ret)
		return err;
	found = pmu_format(making->pmus, making->pmu, name, &format);
	*has_taken_ret = found != -1;
	if (found == -2)
		return error_usage("-e: what sysfs tells of '%s' of PMU '%s' "
				   "can't be understood",
			name, making->pmu->name);
	return found ? NULL : take_field(making, &format, name, value);
}

/* The terms of a named event; a value "?" is for the user to give. */
static struct error *take_meaning(
	const struct making *making, const char *name, char *meaning)
{
	struct error *err = NULL;
	bool has_taken;
	char *word;

	while (!err && (word = strsep(&meaning, ",\n"))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (!*word || (value && *value == '?'))
			continue;
		err = take_plain(making, word, value, &has_taken);
		if (!err && !has_taken)
			err = error_new("-e: '%s' of PMU '%s' in sysfs: there "
					"is no term '%s'",
				name, making->pmu->name, word);
	}
	return err;
}

static struct error *take_named(
	const struct making *making, const char *name, bool *has_taken_ret)
{
	_cleanup_strbuf_ struct strbuf meaning = { 0 };

	*has_taken_ret = pmu_event(making->pmus, making->pmu, name, &meaning);
	if (!*has_taken_ret || !meaning.at)
		return NULL;
	return take_meaning(making, name, meaning.at);
}

/* "cpu_core/cycles/", "cpu/LLC-loads/", "cpu/r1a8/". */
static bool take_common_name(const struct making *making, const char *name)
{
	struct perf_event_attr *attr = &making->event->attr;
	uint64_t config;
	uint32_t type;

	if (!event_name_find(name, &type, &config) ||
		type == PERF_TYPE_SOFTWARE)
		return false;
	if (type == PERF_TYPE_RAW) {
		attr->config |= config;
		return true;
	}
	if (!making->pmu->is_core && !string_is(making->pmu->name, "cpu"))
		return false;
	attr->type = type;
	attr->config = config;
	if (pmus_is_hybrid(making->pmus))
		event_pmu_bind(making->pmu, making->event);
	return true;
}

static struct error *take_term(
	const struct making *making, const char *name, const char *value)
{
	bool has_taken;
	struct error *err = NULL;

	if (value && string_is(name, "event")) {
		err = take_named(making, value, &has_taken);
		if (err || has_taken)
			return err;
	}
	err = take_plain(making, name, value, &has_taken);
	if (err || has_taken)
		return err;
	if (!value) {
		err = take_named(making, name, &has_taken);
		if (err || has_taken || take_common_name(making, name))
			return err;
	}
	return unknown_term(making, name);
}

/* Where the fault is: an unknown name, or the value of a known one. */
static struct span fault_of(const struct making *making, const char *name,
	const struct event_term *term)
{
	struct pmu_format format;
	struct nearest known;

	nearest_init(&known, name);
	event_term_offer(&known);
	if (string_is(known.best, name) ||
		pmu_format(making->pmus, making->pmu, name, &format) != -1)
		return event_term_fault(term);
	return term->name;
}

static void begin(const struct pmu *pmu, struct selected *event)
{
	event->attr.type = pmu->type;
	event_pmu_limit_precise(pmu, event);
	array_each(&pmu->cpus.list, cpu)
		*array_push(&event->cpus.list) = *cpu;
}

struct error *event_pmu_apply(const char *source,
	const struct event_text *text, const struct pmus *pmus,
	const struct pmu *pmu, struct selected *event)
{
	const struct making making = { pmus, pmu, event };

	begin(pmu, event);
	array_each(&text->terms, term) {
		_cleanup_free_ char *name = span_copy(source, term->name);
		_cleanup_free_ char *value = span_copy(source, term->value);
		struct error *err = take_term(
			&making, name, term->has_value ? value : NULL);

		if (err)
			return span_point(
				err, source, fault_of(&making, name, term));
	}
	return NULL;
}

bool event_pmu_named(const struct pmus *pmus, const struct pmu *pmu,
	const char *name, struct selected *event, struct error **err_ret)
{
	const struct making making = { pmus, pmu, event };
	bool has_taken;

	*err_ret = take_named(&making, name, &has_taken);
	if (has_taken)
		begin(pmu, event);
	return has_taken;
}

void event_pmu_limit_precise(const struct pmu *pmu, struct selected *event)
{
	if (event->seeks_precise && pmu->max_precise >= 0)
		event->attr.precise_ip = (unsigned)pmu->max_precise & 3u;
}

void event_pmu_bind(const struct pmu *pmu, struct selected *event)
{
	event_pmu_limit_precise(pmu, event);
	if (event->attr.type == PERF_TYPE_RAW)
		event->attr.type = pmu->type;
	else
		event->attr.config |= (uint64_t)pmu->type << PMU_TYPE_SHIFT;
}
