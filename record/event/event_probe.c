/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_probe.h"

#include "record/event/event_place.h"
#include "record/event/event_term.h"

/* Finds the PMU for uprobes or kprobes. */
static struct error *find_probe_pmu(const char *source,
	const struct event_text *text, const struct pmus *pmus,
	const struct pmu **ret)
{
	bool is_user = text->kind == EVENT_UPROBE;
	const char *name = is_user ? "uprobe" : "kprobe";

	*ret = pmus_find(pmus, name);
	if (*ret)
		return NULL;
	return error_point(error_new("-e: this kernel has no %s PMU; it needs "
				     "a kernel with CONFIG_%s_EVENTS=y",
				   name, is_user ? "UPROBE" : "KPROBE"),
		source, text->whole.at, strlen(name));
}

/*
 * Removes "%return" from SYMBOL and sets the bit for it, whose position sysfs
 * defines.
 */
static struct error *take_return_probe(const struct pmus *pmus,
	const struct pmu *pmu, char *symbol, struct selected *event)
{
	char *percent = strchr(symbol, '%');
	struct pmu_format format;

	if (!percent)
		return NULL;
	if (!string_is(percent, "%return"))
		return error_usage("-e: '%s' is unknown; only %%return can "
				   "follow the symbol",
			percent);
	*percent = '\0';
	if (pmu_format(pmus, pmu, "retprobe", &format) || format.config)
		return error_new("-e: the %s PMU of this kernel does not "
				 "support %%return",
			pmu->name);
	event->attr.config |= pmu_format_place(&format, 1);
	return NULL;
}

static struct error *set_uprobe(
	const char *path, const char *symbol, struct selected *event)
{
	struct event_place place;
	struct error *err = event_place_find(path, symbol, &place);

	if (err)
		return err;
	if (place.offset == UINT64_MAX)
		return error_usage(
			"-e: the code of '%s' is not in the file", symbol);
	event->probed = xstrdup(path);
	event->attr.config2 = place.offset;
	return NULL;
}

static struct error *set_kprobe(char *symbol, struct selected *event)
{
	char *plus = strrchr(symbol, '+');
	uint64_t number = 0;

	if (event_number(symbol, &number)) {
		event->attr.config2 = number;
		return NULL;
	}
	if (plus) {
		*plus++ = '\0';
		if (!event_number(plus, &number))
			return error_usage("-e: '%s' is not a number", plus);
	}
	event->probed = xstrdup(symbol);
	event->attr.config2 = number;
	return NULL;
}

/* Points the error at the wrong part of an uprobe: its symbol or its file. */
static struct error *point_at_uprobe_part(
	struct error *err, const char *source, const struct event_text *text)
{
	return span_point(
		err, source, text->words[err->kind == ERROR_USAGE ? 1 : 0]);
}

struct error *event_probe_apply(const char *source,
	const struct event_text *text, const struct pmus *pmus,
	struct selected *event)
{
	bool is_user = text->kind == EVENT_UPROBE;
	struct span at = text->words[is_user ? 1 : 0];
	_cleanup_free_ char *path = span_copy(source, text->words[0]);
	_cleanup_free_ char *symbol = span_copy(source, at);
	const struct pmu *pmu;
	struct error *err = find_probe_pmu(source, text, pmus, &pmu);

	if (err)
		return err;
	err = take_return_probe(pmus, pmu, symbol, event);
	if (!err)
		err = is_user ? set_uprobe(path, symbol, event)
			      : set_kprobe(symbol, event);
	if (err)
		return is_user ? point_at_uprobe_part(err, source, text)
			       : span_point(err, source, at);
	event->attr.type = pmu->type;
	event->attr.config1 = (uintptr_t)event->probed;
	event->takes_each = true;
	return event_terms_apply(source, text, event);
}
