/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement "feature NAME ...": a feature section of a file, or a FEATURE
 * record of a stream. Its body is made from the words in their order.
 */
#include "config.h"

#include "tests/made/made.h"

#define TEXT_ALIGN 64u
#define TRACING_DATA 1u

static const struct word_bit names[] = {
	{ "TRACING_DATA", 1 },
	{ "BUILD_ID", 2 },
	{ "HOSTNAME", 3 },
	{ "OSRELEASE", 4 },
	{ "VERSION", 5 },
	{ "ARCH", 6 },
	{ "NRCPUS", 7 },
	{ "CPUDESC", 8 },
	{ "CPUID", 9 },
	{ "TOTAL_MEM", 10 },
	{ "CMDLINE", 11 },
	{ "EVENT_DESC", 12 },
	{ "CPU_TOPOLOGY", 13 },
	{ "NUMA_TOPOLOGY", 14 },
	{ "BRANCH_STACK", 15 },
	{ "PMU_MAPPINGS", 16 },
	{ "GROUP_DESC", 17 },
	{ "AUXTRACE", 18 },
	{ "STAT", 19 },
	{ "CACHE", 20 },
	{ "SAMPLE_TIME", 21 },
	{ "MEM_TOPOLOGY", 22 },
	{ "CLOCKID", 23 },
	{ "DIR_FORMAT", 24 },
	{ "BPF_PROG_INFO", 25 },
	{ "BPF_BTF", 26 },
	{ "COMPRESSED", 27 },
	{ "CPU_PMU_CAPS", 28 },
	{ "CLOCK_DATA", 29 },
	{ "HYBRID_TOPOLOGY", 30 },
	{ "PMU_CAPS", 31 },
	{ "CPU_DOMAIN_INFO", 32 },
	{ "E_MACHINE", 33 },
	{ "CLN_SIZE", 34 },
	{ NULL },
};

static void put_text(struct made *made, const char *text, struct strbuf *out)
{
	size_t length = strlen(text), room = ALIGN_UP(length + 1, TEXT_ALIGN);

	made_put(made, out, 4, room);
	strbuf_put(out, text, length);
	strbuf_fill(out, 0, room - length);
}

void made_put_feature(
	struct made *made, const struct made_event *event, struct strbuf *out)
{
	strbuf_put(out, event->attr, event->attr_size);
	made_put(made, out, 4, event->ids.list.n);
	put_text(made, event->name, out);
	array_each(&event->ids.list, id)
		made_put(made, out, 8, *id);
}

/* Appends an EVENT_DESC of all events so far. */
static void put_events(struct made *made, struct strbuf *out)
{
	made_put(made, out, 4, made->events.n);
	made_put(made, out, 4,
		made->events.n ? made->events.at[0].attr_size : 0);
	array_each(&made->events, event)
		made_put_feature(made, event, out);
}

/* Appends an entry of BUILD_ID. TEXT is like "/bin/x,00112233". */
static void put_build_id(struct made *made, struct words *words,
	const char *text, struct strbuf *out)
{
	const char *comma = strchrnul(text, ',');
	_cleanup_free_ char *path = xstrndup(text, (size_t)(comma - text));
	size_t room = ALIGN_UP(strlen(path) + 1, TEXT_ALIGN);
	_cleanup_strbuf_ struct strbuf id = { 0 };
	size_t size;

	words_bytes(words, *comma ? comma + 1 : "", &id);
	size = MIN(id.n, (size_t)20);
	strbuf_fill(&id, 0, 24);
	id.at[20] = (char)size;
	made_put(made, out, 4, 0);
	made_put(made, out, 2, 0x8000 | (*path == '[' ? 1 : 2));
	made_put(made, out, 2, 36 + room);
	made_put(made, out, 4, UINT32_MAX);
	strbuf_put(out, id.at, 24);
	strbuf_put(out, path, strlen(path));
	strbuf_fill(out, 0, room - strlen(path));
}

static void put_word(struct made *made, struct words *words, struct word *word,
	struct made_feature *feature)
{
	struct strbuf *out = &feature->body;
	size_t width = 0;

	if (word->name[0] == 'u')
		width = strtoul(word->name + 1, NULL, 10);
	word->is_used = true;
	if (width)
		made_put(made, out, width / 8,
			words_constant(words, word->value, NULL));
	else if (string_is(word->name, "str"))
		put_text(made, word->value, out);
	else if (string_is(word->name, "text"))
		strbuf_put(out, word->value, strlen(word->value) + 1);
	else if (string_is(word->name, "bytes"))
		words_bytes(words, word->value, out);
	else if (string_is(word->name, "build_id"))
		put_build_id(made, words, word->value, out);
	else if (string_is(word->name, "events"))
		put_events(made, out);
	else
		word->is_used = false;
}

/* In a stream, tracing data come behind a record of type TRACING_DATA. */
static void put_record(struct made *made, const struct made_feature *feature)
{
	_cleanup_strbuf_ struct strbuf body = { 0 };

	if (feature->bit == TRACING_DATA) {
		made_put(made, &body, 4, feature->body.n);
		made_put(made, &body, 4, 0);
		made_put_record(made, made_data(made), 66, 0, &body);
		strbuf_put(made_data(made), feature->body.at, feature->body.n);
		strbuf_align(made_data(made), 8);
		return;
	}
	made_put(made, &body, 8, feature->bit);
	strbuf_put(&body, feature->body.at, feature->body.n);
	strbuf_align(&body, 8);
	made_put_record(made, made_data(made), 80, 0, &body);
}

void made_feature(struct made *made, struct words *words)
{
	struct made_feature *feature = array_push(&made->features);
	size_t i;

	if (words->list.n < 2) {
		words_fail(words, "the name of the feature is missing");
		return;
	}
	words->list.at[1].is_used = true;
	feature->bit =
		(unsigned)words_constant(words, words->list.at[1].name, names) %
		256;
	feature->is_misplaced =
		words_has(words, "offset") || words_has(words, "size");
	feature->offset = words_number(words, "offset", 0);
	feature->size = words_number(words, "size", 0);
	for (i = 2; i < words->list.n; i++)
		if (!words->list.at[i].is_used)
			put_word(made, words, &words->list.at[i], feature);
	if (made->is_pipe)
		put_record(made, feature);
}
