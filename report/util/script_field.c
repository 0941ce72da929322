/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/script_field.h"

#include "common/perf/abi.h"
#include "common/perf/frame_origin.h"
#include "common/util/spell_suggest.h"

#define F(name) (1u << SCRIPT_##name)

enum {
	HARDWARE = PERF_TYPE_HARDWARE,
	SOFTWARE = PERF_TYPE_SOFTWARE,
	TRACEPOINT = PERF_TYPE_TRACEPOINT,
	RAW = PERF_TYPE_RAW,
	OTHER = SCRIPT_KINDS - 1,
};

static const struct {
	const char *name;
	uint64_t needs; /* the field needs any of these bits in
	                 * attr.sample_type; 0: needs none */
} table[SCRIPT_FIELDS] = {
	[SCRIPT_COMM] = { "comm", 0 },
	[SCRIPT_TID] = { "tid", PERF_SAMPLE_TID },
	[SCRIPT_PID] = { "pid", PERF_SAMPLE_TID },
	[SCRIPT_TIME] = { "time", PERF_SAMPLE_TIME },
	[SCRIPT_CPU] = { "cpu", PERF_SAMPLE_CPU },
	[SCRIPT_MISC] = { "misc", 0 },
	[SCRIPT_PERIOD] = { "period", 0 },
	[SCRIPT_EVENT] = { "event", 0 },
	[SCRIPT_FLAGS] = { "flags", 0 },
	[SCRIPT_TRACE] = { "trace", PERF_SAMPLE_RAW },
	[SCRIPT_ADDR] = { "addr", PERF_SAMPLE_ADDR },
	[SCRIPT_DATA_SRC] = { "data_src", PERF_SAMPLE_DATA_SRC },
	[SCRIPT_WEIGHT] = { "weight",
		PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT },
	[SCRIPT_INS_LAT] = { "ins_lat", ABI_SAMPLE_WEIGHT_STRUCT },
	[SCRIPT_RETIRE_LAT] = { "retire_lat", ABI_SAMPLE_WEIGHT_STRUCT },
	[SCRIPT_CGROUP] = { "cgroup", ABI_SAMPLE_CGROUP },
	[SCRIPT_STACK_ORIGIN] = { "stack_origin", PERF_SAMPLE_CALLCHAIN },
	[SCRIPT_IP] = { "ip", PERF_SAMPLE_IP },
	[SCRIPT_SYM] = { "sym", 0 },
	[SCRIPT_SYMOFF] = { "symoff", 0 },
	[SCRIPT_DSO] = { "dso", 0 },
	[SCRIPT_SRCLINE] = { "srcline", 0 },
	[SCRIPT_IREGS] = { "iregs", PERF_SAMPLE_REGS_INTR },
	[SCRIPT_UREGS] = { "uregs", PERF_SAMPLE_REGS_USER },
	[SCRIPT_BRSTACK] = { "brstack", PERF_SAMPLE_BRANCH_STACK },
	[SCRIPT_BRSTACKSYM] = { "brstacksym", PERF_SAMPLE_BRANCH_STACK },
	[SCRIPT_BRSTACKOFF] = { "brstackoff", PERF_SAMPLE_BRANCH_STACK },
	[SCRIPT_PHYS_ADDR] = { "phys_addr", PERF_SAMPLE_PHYS_ADDR },
	[SCRIPT_DATA_PAGE_SIZE] = { "data_page_size",
		ABI_SAMPLE_DATA_PAGE_SIZE },
	[SCRIPT_CODE_PAGE_SIZE] = { "code_page_size",
		ABI_SAMPLE_CODE_PAGE_SIZE },
};

static const struct {
	const char *name, *words;
} kinds[SCRIPT_KINDS] = {
	[HARDWARE] = { "hw", "hardware" },
	[SOFTWARE] = { "sw", "software" },
	[TRACEPOINT] = { "trace", "tracepoint" },
	[PERF_TYPE_HW_CACHE] = { "cache", "hardware-cache" },
	[RAW] = { "raw", "raw" },
	[PERF_TYPE_BREAKPOINT] = { "break", "breakpoint" },
	[OTHER] = { "other", "other" },
};

static unsigned script_kind_of(const struct event *event)
{
	return MIN(event->attr.type, (uint32_t)OTHER);
}

void script_choice_init(struct script_choice *choice)
{
	const uint32_t usual = F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT);
	const uint32_t code = F(PERIOD) | F(IP) | F(SYM) | F(SYMOFF) | F(DSO);
	unsigned i;

	memset(choice, 0, sizeof(*choice));
	for (i = 0; i < SCRIPT_KINDS; i++)
		choice->of[i] = usual | code;
	choice->of[TRACEPOINT] = usual | F(TRACE);
	choice->of[RAW] |= F(ADDR) | F(DATA_SRC) | F(WEIGHT) | F(INS_LAT) |
		F(PHYS_ADDR) | F(DATA_PAGE_SIZE) | F(CODE_PAGE_SIZE);
}

/* Fields of perf that dwell lacks (perf script -h, 6.1). */
static const struct {
	const char *name, *what;
} foreign[] = {
	{ "srccode", "lines of source" },
	{ "insn", "the instructions of the code" },
	{ "insnlen", "the instructions of the code" },
	{ "brstackinsn", "the instructions of the code" },
	{ "brstackinsnlen", "the instructions of the code" },
	{ "callindent", "traces of AUX buffers" },
	{ "ipc", "traces of AUX buffers" },
	{ "synth", "traces of AUX buffers" },
	{ "machine_pid", "recordings of guests" },
	{ "vcpu", "recordings of guests" },
};

static struct error *find_script_field(const char *name, enum script_field *ret)
{
	_cleanup_strbuf_ struct strbuf known = { 0 };
	struct spell_suggest nearest;
	struct error *err;
	unsigned i;

	spell_suggest_init(&nearest, name);
	for (i = 0; i < SCRIPT_FIELDS; i++) {
		spell_suggest_offer(&nearest, table[i].name);
		if (string_is(table[i].name, name)) {
			*ret = i;
			return NULL;
		}
		strbuf_printf(
			&known, "%s%s", known.n ? ", " : "", table[i].name);
	}
	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		if (string_is(foreign[i].name, name))
			return error_usage("--fields: '%s' needs %s, which "
					   "dwell does not read",
				name, foreign[i].what);
	err = error_usage("--fields: unknown field '%s'", name);
	if (nearest.best[0])
		return spell_suggest_hint(&nearest, err);
	return error_hint(err, "the fields are %s", known.at);
}

/*
 * Adds the field NAME for the kinds of events FIRST to LAST, or removes the
 * field if SIGN is '-'. SIGN is '+', '-' or 0.
 */
static struct error *change_script_field(struct script_choice *choice,
	const char *name, char sign, unsigned first, unsigned last)
{
	enum script_field field = SCRIPT_FIELDS;
	struct error *err = find_script_field(name, &field);
	unsigned i;

	for (i = first; !err && i <= last; i++) {
		if (script_has(i == TRACEPOINT ? 0 : F(TRACE), field)) {
			if (first == last)
				return error_usage("--fields: %s events have "
						   "no '%s'",
					kinds[i].words, name);
			continue;
		}
		choice->is_chosen[i] = true;
		if (sign == '-') {
			choice->of[i] &= ~(1u << field);
			choice->named[i] &= ~(1u << field);
		} else {
			choice->of[i] |= 1u << field;
			choice->named[i] |= 1u << field;
		}
	}
	return err;
}

COMPLETER(script_choice_complete)
{
	completion_skip(completion, ":,+-");
	completion_offer_names(completion, table);
}

struct error *script_choice_add(struct script_choice *choice, const char *text)
{
	const char *colon = strchr(text, ':');
	const char *words = colon ? colon + 1 : text;
	_cleanup_free_ char *copy = xstrdup(words);
	char *rest = copy, *word;
	unsigned first = 0, last = SCRIPT_KINDS - 1, i;
	bool is_change = *words == '+' || *words == '-';
	struct error *err = NULL;

	if (colon) {
		size_t length = (size_t)(colon - text);

		while (first < SCRIPT_KINDS &&
			(strlen(kinds[first].name) != length ||
				memcmp(kinds[first].name, text, length)))
			first++;
		if (first == SCRIPT_KINDS)
			return error_usage("--fields: unknown kind of events "
					   "'%.*s'; the kinds are hw, sw, "
					   "trace, cache, raw, break, other",
				(int)length, text);
		last = first;
	} else if (!*words) {
		return error_usage("--fields: name at least one field");
	}
	for (i = first; !is_change && i <= last; i++) {
		choice->of[i] = choice->named[i] = 0;
		choice->is_chosen[i] = true;
	}
	while (!err && (word = strsep(&rest, ","))) {
		char sign = *word == '+' || *word == '-' ? *word : 0;

		if (!sign == is_change)
			return error_usage("--fields: '%s' mixes +FIELD or "
					   "-FIELD with a list of fields",
				text);
		if (*word)
			err = change_script_field(
				choice, word + !!sign, sign, first, last);
	}
	return err;
}

bool script_choice_names(
	const struct script_choice *choice, enum script_field field)
{
	unsigned kind;

	for (kind = 0; kind < SCRIPT_KINDS; kind++)
		if (script_has(choice->named[kind], field))
			return true;
	return false;
}

static bool event_has_field(const struct event *event, unsigned field)
{
	if (field == SCRIPT_STACK_ORIGIN)
		return frame_origin_is_recorded(&event->attr);
	return !table[field].needs ||
		event->attr.sample_type & table[field].needs;
}

uint32_t script_choice_fit(const struct script_choice *choice,
	const struct event *event, bool shows_chains)
{
	unsigned kind = script_kind_of(event), i;
	uint32_t fields = choice->of[kind];

	if (kind == TRACEPOINT && !choice->is_chosen[kind] && shows_chains &&
		event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		fields |= F(IP) | F(SYM) | F(SYMOFF) | F(DSO);
	for (i = 0; i < SCRIPT_FIELDS; i++)
		if (!event_has_field(event, i))
			fields &= ~(1u << i);
	if (!(fields & F(SYM)))
		fields &= ~F(SYMOFF);
	return fields;
}

static struct error *check_script_field(const struct script_choice *choice,
	const struct reader *reader, unsigned kind, unsigned field)
{
	const struct event *first = NULL;
	bool has = false;
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		const struct event *event = reader_event(reader, i);

		if (script_kind_of(event) != kind ||
			(kind == SOFTWARE &&
				event->attr.config == PERF_COUNT_SW_DUMMY))
			continue;
		if (!first)
			first = event;
		has |= event_has_field(event, field);
	}
	if (!first)
		return NULL;
	if (!has)
		return error_new("samples of %s have no '%s'; leave it out "
				 "of --fields, or record it",
			first->name, table[field].name);
	if (field == SCRIPT_SYMOFF && !(choice->of[kind] & F(SYM)))
		return error_new("--fields: symoff goes with sym");
	return NULL;
}

struct error *script_choice_check(
	const struct script_choice *choice, const struct reader *reader)
{
	struct error *err = NULL;
	unsigned kind, field;

	for (kind = 0; kind < SCRIPT_KINDS; kind++)
		for (field = 0; !err && field < SCRIPT_FIELDS; field++)
			if (script_has(choice->named[kind], field))
				err = check_script_field(
					choice, reader, kind, field);
	return err;
}
