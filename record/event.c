/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event.h"

#include <ctype.h>
#include <time.h>

#include "record/nearest.h"
#include "record/tracefs.h"

/* All events have these, so that one layout finds every record's id. */
#define COMMON_SAMPLE_TYPE                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
		PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define COMMON_READ_FORMAT (PERF_FORMAT_ID | ABI_FORMAT_LOST)
/* linux/perf_event.h, PERF_PMU_TYPE_SHIFT: which core PMU is meant. */
#define PMU_TYPE_SHIFT 32

static const struct named_event {
	const char *name;
	uint32_t type;
	uint64_t config;
} named_events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE,
		PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE,
		PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
};

static const struct named_event *find_named(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(named_events); i++)
		if (string_is(named_events[i].name, name))
			return &named_events[i];
	return NULL;
}

/* "r1a8": letter r, then nothing but hex digits. */
static bool parse_raw(const char *name, uint64_t *config)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	*config = strtoull(name + 1, &end, 16);
	return *end == '\0' && end - name <= 17;
}

static bool parse_modifiers(const char *text, struct selected *event)
{
	bool user = false, kernel = false, hypervisor = false;
	unsigned precise = 0;

	for (; *text; text++) {
		if (*text == 'u')
			user = true;
		else if (*text == 'k')
			kernel = true;
		else if (*text == 'h')
			hypervisor = true;
		else if (*text == 'P')
			event->seeks_precise = true;
		else if (*text == 'p')
			precise++;
		else
			return false;
	}
	if (precise > 3)
		return false;
	event->attr.precise_ip = event->seeks_precise ? 3 : precise;
	event->has_modifiers = user || kernel || hypervisor;
	if (event->has_modifiers) {
		event->attr.exclude_user = !user;
		event->attr.exclude_kernel = !kernel;
		event->attr.exclude_hv = !hypervisor;
	}
	return true;
}

static struct error *unknown_event(const char *name)
{
	struct error *err = error_usage("-e: there is no event '%s'", name);
	struct nearest nearest;
	size_t i;

	nearest_init(&nearest, name);
	for (i = 0; i < ARRAY_SIZE(named_events); i++)
		nearest_offer(&nearest, named_events[i].name);
	if (nearest.best[0])
		return error_hint(err, "did you mean '%s'?", nearest.best);
	return error_hint(err, "it can be %s, %s, ..., GROUP:TRACEPOINT or "
			       "rHEX",
		named_events[0].name, named_events[2].name);
}

static struct error *parse_tracepoint(
	const char *group, const char *name, struct selected *event)
{
	struct tracefs tracefs = { -1 };
	struct error *err;
	uint64_t id;

	err = tracefs_open(&tracefs);
	if (!err)
		err = tracefs_id(&tracefs, group, name, &id);
	tracefs_close(&tracefs);
	if (err)
		return err;
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	return NULL;
}

/* NAME is what stands before MODIFIERS, which may be NULL. */
static struct error *parse_event(
	char *name, char *modifiers, struct selected *event)
{
	const struct named_event *named = find_named(name);
	uint64_t config;
	char *second;

	if (named) {
		event->attr.type = named->type;
		event->attr.config = named->config;
	} else if (parse_raw(name, &config)) {
		event->attr.type = PERF_TYPE_RAW;
		event->attr.config = config;
	} else if (modifiers) {
		struct error *err;

		second = modifiers;
		modifiers = strchr(second, ':');
		if (modifiers)
			*modifiers++ = '\0';
		/* "cycels:u" is a typing error, not a tracepoint. */
		if (!*name || !second[strspn(second, "ukhpP")] ||
			strchr(event->name, '/'))
			return unknown_event(name);
		err = parse_tracepoint(name, second, event);
		if (err)
			return err;
	} else {
		return unknown_event(name);
	}
	if (modifiers && !parse_modifiers(modifiers, event))
		return error_usage("-e: '%s' has unknown modifiers '%s'; they "
				   "can be u, k, h, p and P",
			event->name, modifiers);
	return NULL;
}

/* On a hybrid machine a hardware event is one event per kind of core. */
static void add_selected(struct selection *selection,
	const struct selected *event, const struct pmus *pmus)
{
	bool is_generic = event->attr.type == PERF_TYPE_HARDWARE;

	if (!is_generic || !pmus_is_hybrid(pmus)) {
		struct selected *new = array_push(&selection->events);

		*new = *event;
		new->name = xstrdup(event->name);
		return;
	}
	array_each(&pmus->list, pmu) {
		size_t bare = strcspn(event->name, ":");
		struct selected *new;

		if (!pmu->is_core)
			continue;
		new = array_push(&selection->events);
		*new = *event;
		new->attr.config |= (uint64_t)pmu->type << PMU_TYPE_SHIFT;
		new->name = xasprintf("%s/%.*s/%s", pmu->name, (int)bare,
			event->name,
			event->name[bare] ? event->name + bare + 1 : "");
		array_each(&pmu->cpus.list, cpu)
			*array_push(&new->cpus.list) = *cpu;
	}
}

static struct error *add_one(struct selection *selection, const char *text,
	const struct pmus *pmus)
{
	_cleanup_free_ char *name = xstrdup(text);
	_cleanup_free_ char *shown = xstrdup(text);
	struct selected event = { .name = shown };
	char *modifiers = strchr(name, ':');
	struct error *err;

	if (modifiers)
		*modifiers++ = '\0';
	err = parse_event(name, modifiers, &event);
	if (!err)
		add_selected(selection, &event, pmus);
	return err;
}

struct error *selection_add(struct selection *selection, const char *text,
	const struct pmus *pmus)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *word;

	while ((word = strsep(&rest, ","))) {
		struct error *err = add_one(selection, word, pmus);

		if (err)
			return err;
	}
	return NULL;
}

void selection_add_default(
	struct selection *selection, const struct pmus *pmus)
{
	char name[] = "cycles:P";
	struct selected event = {
		.attr = { .type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_CPU_CYCLES,
			.precise_ip = 3 },
		.name = name,
		.seeks_precise = true,
		.is_default = true,
	};

	add_selected(selection, &event, pmus);
}

void selection_deinit(struct selection *selection)
{
	array_each(&selection->events, event) {
		free(event->name);
		cpus_deinit(&event->cpus);
	}
	array_free(&selection->events);
}

static void set_common(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type |= COMMON_SAMPLE_TYPE;
	attr->read_format = COMMON_READ_FORMAT;
	attr->sample_id_all = 1;
	attr->exclude_guest = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	/* With a wakeup_watermark of 0 that is half the ring. */
	attr->watermark = 1;
}

static void configure(
	struct perf_event_attr *attr, const struct sampling *sampling)
{
	bool is_tracepoint = attr->type == PERF_TYPE_TRACEPOINT;

	set_common(attr);
	attr->disabled = 1;
	attr->enable_on_exec = sampling->starts_at_exec;
	attr->inherit = sampling->inherits;
	if (sampling->has_callchains)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (is_tracepoint)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (is_tracepoint && !sampling->is_explicit) {
		attr->sample_period = 1;
	} else if (sampling->period) {
		attr->sample_period = sampling->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = sampling->frequency;
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	}
}

void selection_configure(
	struct selection *selection, const struct sampling *sampling)
{
	array_each(&selection->events, event)
		configure(&event->attr, sampling);
}

struct perf_event_attr event_sideband(bool inherits, bool is_cpu_wide)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = inherits,
		/* Sideband needs no right to see the kernel. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = 1,
		.ksymbol = is_cpu_wide,
		.bpf_event = is_cpu_wide,
	};

	set_common(&attr);
	return attr;
}

void selected_restrict_to_user(struct selected *event)
{
	char *bare = event->name;
	const char *join = strchr(bare, ':') || strchr(bare, '/') ? "" : ":";

	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	event->name = xasprintf("%s%su", bare, join);
	free(bare);
}

void selected_become_cpu_clock(struct selected *event)
{
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	event->attr.precise_ip = 0;
	event->seeks_precise = false;
	cpus_deinit(&event->cpus);
	free(event->name);
	event->name = xstrdup(
		event->attr.exclude_kernel ? "cpu-clock:u" : "cpu-clock");
}
