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
static __u64 *config3_field(struct perf_event_attr *attr)
{
	return &attr->config3;
}
#else
static __u64 *config3_field(struct perf_event_attr *attr _unused_)
{
	return NULL;
}
#endif

static __u64 *config_field(struct perf_event_attr *attr, unsigned config)
{
	switch (config) {
	case 0: return &attr->config;
	case 1: return &attr->config1;
	case 2: return &attr->config2;
	default: return config3_field(attr);
	}
}

struct error *event_set_config(
	struct perf_event_attr *attr, unsigned config, uint64_t value)
{
	__u64 *place = config_field(attr, config);

	if (!place)
		return error_usage("-e: config3 is not supported: dwell was "
				   "built with headers before Linux 6.3");
	*place = value;
	return NULL;
}

uint64_t event_get_config(const struct perf_event_attr *attr, unsigned config)
{
	struct perf_event_attr copy = *attr;
	const __u64 *place = config_field(&copy, config);

	return place ? *place : 0;
}

static struct error *take_term_number(const char *name, const char *value,
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

static struct error *take_config_term(
	const char *name, const char *value, struct selection_event *event)
{
	char last = name[strlen(name) - 1];
	unsigned config = last == 'g' ? 0 : (unsigned)(last - '0');
	uint64_t number;
	struct error *err =
		take_term_number(name, value, 0, UINT64_MAX, &number);

	return err ? err : event_set_config(&event->attr, config, number);
}

static struct error *take_name_term(const char *name _unused_,
	const char *value, struct selection_event *event)
{
	free(event->name);
	event->name = xstrdup(value);
	event->is_named = true;
	return NULL;
}

/*
 * As in perf, if an event has the terms period and freq, the last term is used.
 */
static struct error *take_period_term(
	const char *name, const char *value, struct selection_event *event)
{
	event->frequency = 0;
	return take_term_number(name, value, 1, INT64_MAX, &event->period);
}

static struct error *take_frequency_term(
	const char *name, const char *value, struct selection_event *event)
{
	event->period = 0;
	return take_term_number(name, value, 1, UINT32_MAX, &event->frequency);
}

static struct error *take_callgraph_term(const char *name _unused_,
	const char *value, struct selection_event *event)
{
	struct callgraph graph;
	struct error *err;

	event->callchains = SELECTION_CHOICE_NO;
	if (string_is(value, "no"))
		return NULL;
	event->callchains = SELECTION_CHOICE_YES;
	err = callgraph_parse(value, "-e: call-graph", &graph);
	if (!err && graph.in_kernel)
		return error_usage("-e: call-graph=bpf is not possible for "
				   "single events; use --call-graph bpf");
	if (!err)
		event->callgraph.kind = graph.kind;
	if (!err && graph.copy_size)
		event->callgraph.copy_size = graph.copy_size;
	return err;
}

static struct error *take_stack_size_term(const char *name _unused_,
	const char *value, struct selection_event *event)
{
	return callgraph_parse_size(
		value, "-e: stack-size", &event->callgraph.copy_size);
}

static struct error *take_max_stack_term(
	const char *name, const char *value, struct selection_event *event)
{
	uint64_t number = 0;
	struct error *err =
		take_term_number(name, value, 1, UINT16_MAX, &number);

	event->max_stack = (uint32_t)number;
	return err;
}

/* Takes "inherit" and "no-inherit", also with =0 or =1. */
static struct error *take_inherit_term(
	const char *name, const char *value, struct selection_event *event)
{
	bool is_yes = string_is(name, "inherit");
	uint64_t number = 1;
	struct error *err =
		value ? take_term_number(name, value, 0, 1, &number) : NULL;

	event->inherits = is_yes == (number == 1) ? SELECTION_CHOICE_YES
						  : SELECTION_CHOICE_NO;
	return err;
}

static struct error *refuse_term(const char *name, const char *value _unused_,
	struct selection_event *event _unused_)
{
	return error_usage("-e: dwell does not support perf's term '%s'", name);
}

enum term_value {
	NEEDS_VALUE,
	MAY_HAVE_VALUE,
};

static const struct term_row {
	const char *name;
	enum term_value need;
	struct error *(*take)(const char *name, const char *value,
		struct selection_event *event);
} event_terms[] = {
	{ "config", NEEDS_VALUE, take_config_term },
	{ "config1", NEEDS_VALUE, take_config_term },
	{ "config2", NEEDS_VALUE, take_config_term },
	{ "config3", NEEDS_VALUE, take_config_term },
	{ "name", NEEDS_VALUE, take_name_term },
	{ "period", NEEDS_VALUE, take_period_term },
	{ "freq", NEEDS_VALUE, take_frequency_term },
	{ "call-graph", NEEDS_VALUE, take_callgraph_term },
	{ "stack-size", NEEDS_VALUE, take_stack_size_term },
	{ "max-stack", NEEDS_VALUE, take_max_stack_term },
	{ "inherit", MAY_HAVE_VALUE, take_inherit_term },
	{ "no-inherit", MAY_HAVE_VALUE, take_inherit_term },
	{ "branch_type", MAY_HAVE_VALUE, refuse_term },
	{ "time", MAY_HAVE_VALUE, refuse_term },
	{ "overwrite", MAY_HAVE_VALUE, refuse_term },
	{ "no-overwrite", MAY_HAVE_VALUE, refuse_term },
	{ "nr", MAY_HAVE_VALUE, refuse_term },
	{ "percore", MAY_HAVE_VALUE, refuse_term },
	{ "aux-output", MAY_HAVE_VALUE, refuse_term },
	{ "aux-sample-size", MAY_HAVE_VALUE, refuse_term },
	{ "driver-config", MAY_HAVE_VALUE, refuse_term },
	{ "metric-id", MAY_HAVE_VALUE, refuse_term },
};

struct error *event_term_take(const char *name, const char *value,
	struct selection_event *event, bool *has_taken_ret)
{
	size_t i;

	*has_taken_ret = false;
	for (i = 0; i < ARRAY_SIZE(event_terms); i++) {
		if (!string_is(event_terms[i].name, name))
			continue;
		*has_taken_ret = true;
		if (!value && event_terms[i].need == NEEDS_VALUE)
			return error_usage(
				"-e: %s needs a value: %s=...", name, name);
		return event_terms[i].take(name, value, event);
	}
	return NULL;
}

struct event_span event_term_fault(const struct event_term *term)
{
	return term->has_value ? term->value : term->name;
}

struct error *event_terms_apply(const char *source,
	const struct event_text *text, struct selection_event *event)
{
	array_each(&text->terms, term) {
		_cleanup_free_ char *name = event_span_copy(source, term->name);
		_cleanup_free_ char *value =
			event_span_copy(source, term->value);
		struct spell_suggest nearest;
		bool has_taken;
		struct error *err = event_term_take(name,
			term->has_value ? value : NULL, event, &has_taken);

		if (err)
			return event_span_point(
				err, source, event_term_fault(term));
		if (has_taken)
			continue;
		err = error_usage("-e: there is no term '%s'", name);
		spell_suggest_init(&nearest, name);
		event_term_offer(&nearest);
		return event_span_point(
			spell_suggest_hint(&nearest, err), source, term->name);
	}
	return NULL;
}

void event_term_offer(struct spell_suggest *nearest)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(event_terms); i++)
		if (event_terms[i].take != refuse_term)
			spell_suggest_offer(nearest, event_terms[i].name);
}

/* All modifiers of perf. */
#define EVENT_MODIFIERS "ukhpPGHIDeSWb"
/* The maximum of perf_event_attr.precise_ip (2 bits). */
#define PRECISE_MAX 3u

/*
 * The modifiers of an event so far: levels (u, k, h), sides of virtual machines
 * (H, G) and precision (p).
 */
struct modifier_levels {
	bool user, kernel, hypervisor;
	bool host, guest;
	unsigned precise;
};

bool event_modifiers_fit(const char *source, struct event_span span)
{
	return span.n && strspn(source + span.at, EVENT_MODIFIERS) >= span.n;
}

static struct error *modifier_error(
	const char *source, size_t at, const char *why)
{
	return error_point(error_usage("-e: %s", why), source, at, 1);
}

static struct error *take_modifiers(const char *source, struct event_span span,
	struct modifier_levels *levels, struct selection_event *event)
{
	size_t at;

	for (at = span.at; at < span.at + span.n; at++) {
		const char *before =
			memchr(source + span.at, source[at], at - span.at);

		if (before && source[at] != 'p')
			return modifier_error(
				source, at, "this modifier is repeated");
		switch (source[at]) {
		case 'u': levels->user = true; break;
		case 'k': levels->kernel = true; break;
		case 'h': levels->hypervisor = true; break;
		case 'G': levels->guest = true; break;
		case 'H': levels->host = true; break;
		case 'I': event->attr.exclude_idle = 1; break;
		case 'p': levels->precise++; break;
		case 'P': event->seeks_precise = true; break;
		case 'D': event->attr.pinned = 1; break;
		case 'e': event->attr.exclusive = 1; break;
		case 'S': event->reads_counts = true; break;
		case 'W': event->is_weak = true; break;
		case 'b':
			return modifier_error(source, at,
				"modifier 'b' is for counting with BPF; it has "
				"no samples");
		default:
			return error_point(
				error_usage(
					"-e: there is no modifier '%c'; use u, "
					"k, h, G, H, I, p, P, D, e, S or W",
					source[at]),
				source, at, 1);
		}
		if (levels->precise > PRECISE_MAX)
			return modifier_error(
				source, at, "ppp is the highest precision");
	}
	return NULL;
}

struct error *event_modifiers_apply(const char *source,
	const struct event_text *text, struct selection_event *event)
{
	struct modifier_levels levels = { 0 };
	struct error *err =
		take_modifiers(source, text->modifiers, &levels, event);

	if (!err)
		err = take_modifiers(
			source, text->group_modifiers, &levels, event);
	if (err)
		return err;
	struct perf_event_attr *attr = &event->attr;

	event->has_modifiers =
		levels.user || levels.kernel || levels.hypervisor;
	if (event->has_modifiers) {
		attr->exclude_user = !levels.user;
		attr->exclude_kernel = !levels.kernel;
		attr->exclude_hv = !levels.hypervisor;
	}
	if (levels.host || levels.guest) {
		attr->exclude_host = !levels.host;
		attr->exclude_guest = !levels.guest;
	} else if (text->modifiers.n || text->group_modifiers.n) {
		/*
		 * As in perf, events with u or with precision exclude guests;
		 * precise events cannot count guests.
		 */
		attr->exclude_guest =
			levels.user || levels.precise || event->seeks_precise;
	}
	attr->precise_ip = levels.precise;
	/*
	 * As in perf, only the leader decides whether a group uses counters
	 * exclusively.
	 */
	if (text->group && !text->leads)
		event->attr.pinned = event->attr.exclusive = 0;
	if (event->seeks_precise)
		event->attr.precise_ip = PRECISE_MAX;
	event->ends_in_modifiers = text->modifiers.n || text->has_terms;
	return NULL;
}
