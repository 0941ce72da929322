/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/callgraph.h"

#include <errno.h>
#include <stdlib.h>

#include "common/util/alloc.h"
#include "common/util/spell_suggest.h"
#include "record/event/sample_fields.h"
#include "record/event/stack_copy.h"

static const struct callgraph_word {
	const char *name;
	enum callgraph_kind kind;
} callgraph_words[] = {
	{ "fp", CALLGRAPH_FP },
	{ "dwarf", CALLGRAPH_DWARF },
	{ "bpf", CALLGRAPH_DWARF },
	{ "lbr", CALLGRAPH_LBR },
	{ "auto", CALLGRAPH_AUTO },
};

struct error *callgraph_parse_size(
	const char *text, const char *what, uint32_t *ret)
{
	unsigned long size;
	char *end;

	errno = 0;
	size = strtoul(text, &end, 0);
	if (end == text || *end || errno || !size || size > STACK_COPY_MAX)
		return error_usage("%s: '%s' is not a size; a stack copy has 1 "
				   "to %u bytes",
			what, text, STACK_COPY_MAX);
	*ret = (uint32_t)ALIGN_UP(size, sizeof(uint64_t));
	return NULL;
}

struct error *callgraph_parse(
	const char *text, const char *what, struct callgraph *ret)
{
	size_t n = strcspn(text, ","), i;
	const char *size = text[n] ? text + n + 1 : NULL;

	for (i = 0; i < ARRAY_SIZE(callgraph_words); i++)
		if (strlen(callgraph_words[i].name) == n &&
			!memcmp(callgraph_words[i].name, text, n))
			break;
	if (i == ARRAY_SIZE(callgraph_words)) {
		_cleanup_free_ char *name = xstrndup(text, n);
		struct spell_suggest nearest;

		spell_suggest_init(&nearest, name);
		for (i = 0; i < ARRAY_SIZE(callgraph_words); i++)
			spell_suggest_offer(&nearest, callgraph_words[i].name);
		return spell_suggest_hint(&nearest,
			error_usage(
				"%s: '%s' is unknown; use fp, dwarf, bpf, lbr "
				"or auto",
				what, name));
	}
	*ret = (struct callgraph){ .kind = callgraph_words[i].kind,
		.in_kernel = string_is(callgraph_words[i].name, "bpf") };
	if (!size)
		return NULL;
	if (ret->kind != CALLGRAPH_DWARF || ret->in_kernel)
		return error_usage("%s: %s takes no value, but '%s' follows it",
			what, callgraph_words[i].name, size);
	return callgraph_parse_size(size, what, &ret->copy_size);
}

COMPLETER(callgraph_complete)
{
	completion_offer_names(completion, callgraph_words);
}

/*
 * The branch_sample_type of --call-graph lbr: as in perf, only user space
 * branches.
 */
#define LBR_BRANCHES                                               \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | \
		PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS)

void callgraph_apply(
	const struct callgraph *graph, struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	switch (graph->kind) {
	case CALLGRAPH_DWARF:
	case CALLGRAPH_AUTO:
		attr->sample_type |=
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user |= sample_fields_all_registers();
		attr->sample_stack_user =
			graph->copy_size ? graph->copy_size : STACK_COPY_MAX;
		break;
	case CALLGRAPH_LBR:
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = LBR_BRANCHES;
		break;
	default: break;
	}
}
