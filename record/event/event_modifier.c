/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_modifier.h"

/* The maximum of perf_event_attr.precise_ip (2 bits). */
#define PRECISE_MAX 3u

/* The levels and the sides of virtual machines of the modifiers so far. */
struct modifier_levels {
	bool user, kernel, hypervisor;
	bool host, guest;
	unsigned precise;
};

bool event_modifiers_fit(const char *source, struct span span)
{
	return span.n && strspn(source + span.at, EVENT_MODIFIERS) >= span.n;
}

static struct error *modifier_error(
	const char *source, size_t at, size_t n, const char *why)
{
	return error_point(error_usage("-e: %s", why), source, at, n);
}

static struct error *unknown_modifier_error(const char *source, size_t at)
{
	char letter = source[at];

	if (letter == 'b')
		return modifier_error(source, at, 1,
			"modifier 'b' is for counting with BPF; it has no "
			"samples");
	return error_point(error_usage("-e: there is no modifier '%c'; use u, "
				       "k, h, G, H, I, p, P, D, e, S or W",
				   letter),
		source, at, 1);
}

static struct error *take_modifier(const char *source, size_t at,
	struct modifier_levels *levels, struct selected *event)
{
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
	default: return unknown_modifier_error(source, at);
	}
	return NULL;
}

static struct error *take_modifiers(const char *source, struct span span,
	struct modifier_levels *levels, struct selected *event)
{
	size_t at;

	for (at = span.at; at < span.at + span.n; at++) {
		const char *before =
			memchr(source + span.at, source[at], at - span.at);
		struct error *err;

		if (before && source[at] != 'p')
			return modifier_error(
				source, at, 1, "this modifier is repeated");
		err = take_modifier(source, at, levels, event);
		if (err)
			return err;
		if (levels->precise > PRECISE_MAX)
			return modifier_error(
				source, at, 1, "ppp is the highest precision");
	}
	return NULL;
}

/*
 * As in perf, only the leader decides whether a group uses counters
 * exclusively.
 */
static void clear_member_exclusivity(
	const struct event_text *text, struct perf_event_attr *attr)
{
	if (text->group && !text->leads)
		attr->pinned = attr->exclusive = 0;
}

static void apply_levels(const struct modifier_levels *levels, bool has_letters,
	struct selected *event)
{
	struct perf_event_attr *attr = &event->attr;

	event->has_modifiers =
		levels->user || levels->kernel || levels->hypervisor;
	if (event->has_modifiers) {
		attr->exclude_user = !levels->user;
		attr->exclude_kernel = !levels->kernel;
		attr->exclude_hv = !levels->hypervisor;
	}
	if (levels->host || levels->guest) {
		attr->exclude_host = !levels->host;
		attr->exclude_guest = !levels->guest;
	} else if (has_letters) {
		/* As in perf; precise events cannot count guests. */
		attr->exclude_guest =
			levels->user || levels->precise || event->seeks_precise;
	}
	attr->precise_ip = levels->precise;
}

struct error *event_modifiers_apply(const char *source,
	const struct event_text *text, struct selected *event)
{
	struct modifier_levels levels = { 0 };
	struct error *err =
		take_modifiers(source, text->modifiers, &levels, event);

	if (!err)
		err = take_modifiers(
			source, text->group_modifiers, &levels, event);
	if (err)
		return err;
	apply_levels(
		&levels, text->modifiers.n || text->group_modifiers.n, event);
	clear_member_exclusivity(text, &event->attr);
	if (event->seeks_precise)
		event->attr.precise_ip = PRECISE_MAX;
	event->ends_in_modifiers = text->modifiers.n || text->has_terms;
	return NULL;
}
