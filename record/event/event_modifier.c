/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_modifier.h"

#define PRECISE_MAX 3u /* of perf_event_attr.precise_ip, two bits */

/* Which places, which sides of a virtual machine were named so far. */
struct places {
	bool user, kernel, hypervisor;
	bool host, guest;
	unsigned precise;
};

bool event_modifiers_fit(const char *source, struct span span)
{
	return span.n && strspn(source + span.at, EVENT_MODIFIERS) >= span.n;
}

static struct error *refuse(
	const char *source, size_t at, size_t n, const char *why)
{
	return error_point(error_usage("-e: %s", why), source, at, n);
}

static struct error *refuse_letter(const char *source, size_t at)
{
	char letter = source[at];

	if (letter == 'b')
		return refuse(source, at, 1,
			"modifier 'b': counting by BPF gives no samples");
	return error_point(
		error_usage("-e: there is no modifier '%c'; "
			    "they are u, k, h, G, H, I, p, P, D, e, S and W",
			letter),
		source, at, 1);
}

static struct error *take_letter(const char *source, size_t at,
	struct places *places, struct selected *event)
{
	switch (source[at]) {
	case 'u':
		places->user = true;
		break;
	case 'k':
		places->kernel = true;
		break;
	case 'h':
		places->hypervisor = true;
		break;
	case 'G':
		places->guest = true;
		break;
	case 'H':
		places->host = true;
		break;
	case 'I':
		event->attr.exclude_idle = 1;
		break;
	case 'p':
		places->precise++;
		break;
	case 'P':
		event->seeks_precise = true;
		break;
	case 'D':
		event->attr.pinned = 1;
		break;
	case 'e':
		event->attr.exclusive = 1;
		break;
	case 'S':
		event->reads_counts = true;
		break;
	case 'W':
		event->is_weak = true;
		break;
	default:
		return refuse_letter(source, at);
	}
	return NULL;
}

static struct error *take_letters(const char *source, struct span span,
	struct places *places, struct selected *event)
{
	size_t at;

	for (at = span.at; at < span.at + span.n; at++) {
		const char *before = memchr(
			source + span.at, source[at], at - span.at);
		struct error *err;

		if (before && source[at] != 'p')
			return refuse(source, at, 1,
				"this modifier stands there twice");
		err = take_letter(source, at, places, event);
		if (err)
			return err;
		if (places->precise > PRECISE_MAX)
			return refuse(source, at, 1,
				"ppp is the most precise that there is");
	}
	return NULL;
}

/* perf's rule: a group has the counters for itself if its leader has. */
static void leave_to_leader(
	const struct event_text *text, struct perf_event_attr *attr)
{
	if (text->group && !text->leads)
		attr->pinned = attr->exclusive = 0;
}

static void apply_places(const struct places *places, bool has_letters,
	struct selected *event)
{
	struct perf_event_attr *attr = &event->attr;

	event->has_modifiers =
		places->user || places->kernel || places->hypervisor;
	if (event->has_modifiers) {
		attr->exclude_user = !places->user;
		attr->exclude_kernel = !places->kernel;
		attr->exclude_hv = !places->hypervisor;
	}
	if (places->host || places->guest) {
		attr->exclude_host = !places->host;
		attr->exclude_guest = !places->guest;
	} else if (has_letters) {
		/* perf's rule; precise counters can't count guests. */
		attr->exclude_guest = places->user || places->precise ||
			event->seeks_precise;
	}
	attr->precise_ip = places->precise;
}

struct error *event_modifiers_apply(const char *source,
	const struct event_text *text, struct selected *event)
{
	struct places places = { 0 };
	struct error *err =
		take_letters(source, text->modifiers, &places, event);

	if (!err)
		err = take_letters(
			source, text->group_modifiers, &places, event);
	if (err)
		return err;
	apply_places(&places, text->modifiers.n || text->group_modifiers.n,
		event);
	leave_to_leader(text, &event->attr);
	if (event->seeks_precise)
		event->attr.precise_ip = PRECISE_MAX;
	event->ends_in_modifiers = text->modifiers.n || text->has_terms;
	return NULL;
}
