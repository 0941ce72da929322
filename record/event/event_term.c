/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_term.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

bool event_number(const char *text, uint64_t *ret)
{
	bool is_hex = string_starts(text, "0x") || string_starts(text, "0X");
	char *end;

	if (is_hex ? !isxdigit((unsigned char)text[2])
		   : !isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, is_hex ? 16 : 10);
	return !*end && !errno;
}

#ifdef HAVE_STRUCT_PERF_EVENT_ATTR_CONFIG3
static __u64 *config3_of(struct perf_event_attr *attr)
{
	return &attr->config3;
}
#else
static __u64 *config3_of(struct perf_event_attr *attr _unused_)
{
	return NULL;
}
#endif

static __u64 *config_of(struct perf_event_attr *attr, unsigned config)
{
	switch (config) {
	case 0:
		return &attr->config;
	case 1:
		return &attr->config1;
	case 2:
		return &attr->config2;
	default:
		return config3_of(attr);
	}
}

struct error *event_set_config(
	struct perf_event_attr *attr, unsigned config, uint64_t value)
{
	__u64 *place = config_of(attr, config);

	if (!place)
		return error_usage("-e: this dwell was built without config3, "
				   "which Linux has since 6.3");
	*place = value;
	return NULL;
}

uint64_t event_get_config(const struct perf_event_attr *attr, unsigned config)
{
	struct perf_event_attr copy = *attr;
	const __u64 *place = config_of(&copy, config);

	return place ? *place : 0;
}

static struct error *take_number(const char *name, const char *value,
	uint64_t min, uint64_t max, uint64_t *ret)
{
	if (!event_number(value, ret))
		return error_usage("-e: %s: '%s' is not a number", name, value);
	if (*ret < min || *ret > max)
		return error_usage("-e: %s: %s is not between %" PRIu64
				   " and %" PRIu64,
			name, value, min, max);
	return NULL;
}

static struct error *take_config(
	const char *name, const char *value, struct selected *event)
{
	char last = name[strlen(name) - 1];
	unsigned config = last == 'g' ? 0 : (unsigned)(last - '0');
	uint64_t number;
	struct error *err = take_number(name, value, 0, UINT64_MAX, &number);

	return err ? err : event_set_config(&event->attr, config, number);
}

static struct error *take_name(
	const char *name _unused_, const char *value, struct selected *event)
{
	free(event->name);
	event->name = xstrdup(value);
	event->is_named = true;
	return NULL;
}

/* Of a period and a frequency the last one counts, as with perf. */
static struct error *take_period(
	const char *name, const char *value, struct selected *event)
{
	event->frequency = 0;
	return take_number(name, value, 1, INT64_MAX, &event->period);
}

static struct error *take_frequency(
	const char *name, const char *value, struct selected *event)
{
	event->period = 0;
	return take_number(name, value, 1, UINT32_MAX, &event->frequency);
}

static struct error *take_callchains(
	const char *name _unused_, const char *value, struct selected *event)
{
	struct callgraph graph;
	struct error *err;

	event->callchains = WISH_NO;
	if (string_is(value, "no"))
		return NULL;
	event->callchains = WISH_YES;
	err = callgraph_parse(value, "-e: call-graph", &graph);
	if (!err)
		event->callgraph.kind = graph.kind;
	if (!err && graph.dump_size)
		event->callgraph.dump_size = graph.dump_size;
	return err;
}

static struct error *take_stack_size(
	const char *name _unused_, const char *value, struct selected *event)
{
	return callgraph_parse_size(
		value, "-e: stack-size", &event->callgraph.dump_size);
}

static struct error *take_max_stack(
	const char *name, const char *value, struct selected *event)
{
	uint64_t number = 0;
	struct error *err = take_number(name, value, 1, UINT16_MAX, &number);

	event->max_stack = (uint32_t)number;
	return err;
}

/* "inherit", also "inherit=0". */
static struct error *take_inherit(
	const char *name, const char *value, struct selected *event)
{
	bool is_yes = string_is(name, "inherit");
	uint64_t number = 1;
	struct error *err =
		value ? take_number(name, value, 0, 1, &number) : NULL;

	event->inherits = is_yes == (number == 1) ? WISH_YES : WISH_NO;
	return err;
}

static struct error *refuse(const char *name, const char *value _unused_,
	struct selected *event _unused_)
{
	return error_usage("-e: perf's term '%s' is not for dwell", name);
}

enum need {
	NEEDS_VALUE,
	MAY_HAVE_VALUE,
};

static const struct row {
	const char *name;
	enum need need;
	struct error *(*take)(const char *name, const char *value,
		struct selected *event);
} table[] = {
	{ "config", NEEDS_VALUE, take_config },
	{ "config1", NEEDS_VALUE, take_config },
	{ "config2", NEEDS_VALUE, take_config },
	{ "config3", NEEDS_VALUE, take_config },
	{ "name", NEEDS_VALUE, take_name },
	{ "period", NEEDS_VALUE, take_period },
	{ "freq", NEEDS_VALUE, take_frequency },
	{ "call-graph", NEEDS_VALUE, take_callchains },
	{ "stack-size", NEEDS_VALUE, take_stack_size },
	{ "max-stack", NEEDS_VALUE, take_max_stack },
	{ "inherit", MAY_HAVE_VALUE, take_inherit },
	{ "no-inherit", MAY_HAVE_VALUE, take_inherit },
	{ "branch_type", MAY_HAVE_VALUE, refuse },
	{ "time", MAY_HAVE_VALUE, refuse },
	{ "overwrite", MAY_HAVE_VALUE, refuse },
	{ "no-overwrite", MAY_HAVE_VALUE, refuse },
	{ "nr", MAY_HAVE_VALUE, refuse },
	{ "percore", MAY_HAVE_VALUE, refuse },
	{ "aux-output", MAY_HAVE_VALUE, refuse },
	{ "aux-sample-size", MAY_HAVE_VALUE, refuse },
	{ "driver-config", MAY_HAVE_VALUE, refuse },
	{ "metric-id", MAY_HAVE_VALUE, refuse },
};

struct error *event_term_take(const char *name, const char *value,
	struct selected *event, bool *has_taken_ret)
{
	size_t i;

	*has_taken_ret = false;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!string_is(table[i].name, name))
			continue;
		*has_taken_ret = true;
		if (!value && table[i].need == NEEDS_VALUE)
			return error_usage("-e: %s needs a value: %s=...", name,
				name);
		return table[i].take(name, value, event);
	}
	return NULL;
}

struct span event_term_fault(const struct event_term *term)
{
	return term->has_value ? term->value : term->name;
}

static struct error *apply_one(const char *source,
	const struct event_term *term, struct selected *event)
{
	_cleanup_free_ char *name = span_copy(source, term->name);
	_cleanup_free_ char *value = span_copy(source, term->value);
	struct nearest nearest;
	struct error *err;
	bool has_taken;

	err = event_term_take(
		name, term->has_value ? value : NULL, event, &has_taken);
	if (has_taken)
		return span_point(err, source, event_term_fault(term));
	err = error_usage("-e: there is no term '%s'", name);
	nearest_init(&nearest, name);
	event_term_offer(&nearest);
	return span_point(nearest_hint(&nearest, err), source, term->name);
}

struct error *event_terms_apply(const char *source,
	const struct event_text *text, struct selected *event)
{
	array_each(&text->terms, term) {
		struct error *err = apply_one(source, term, event);

		if (err)
			return err;
	}
	return NULL;
}

void event_term_offer(struct nearest *nearest)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].take != refuse)
			nearest_offer(nearest, table[i].name);
}
