/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions and lines of the function that the cursor is on. */
#include "config.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/tui/tui_private.h"
#include "report/view/annotation_view.h"

/* As dwell annotate counts. */
static struct tui_answer *ask(struct tui *tui)
{
	struct tui_answer *answer;
	struct tui_wish wish;

	tui_wish_copy(&tui->wish, &wish);
	options_count_places(&wish.options);
	tui_wish_sort(&wish, wish.options.sort);
	wish.options.has_colour = true;
	answer = tui_ask(tui, &wish, result_count);
	tui_wish_deinit(&wish);
	return answer;
}

/* It outlives the answer that knows it: another one may take its place. */
struct wanted {
	uint32_t event;
	uint64_t start;
	char *dso; /* owned */
};

static const struct function *find(const struct functions *functions,
	const struct resolver *resolver, const struct wanted *wanted)
{
	array_each(&functions->at, function) {
		const struct location *at =
			resolver_location(resolver, function->location);

		if (function->start == wanted->start &&
			string_is(resolver_dso_name(resolver, at->dso_name),
				wanted->dso))
			return function;
	}
	return NULL;
}

static void show(struct tui *tui, struct tui_answer *answer,
	const struct functions *functions, const struct function *function)
{
	const struct annotation_wish wish =
		annotation_wish(&answer->options.annotation);
	struct annotator *annotator = annotator_create(&answer->result);
	_cleanup_strbuf_ struct strbuf title = { 0 }, text = { 0 };
	struct annotation annotation;

	annotation_make(annotator, functions, function, &wish, &annotation);
	escape_text(&title, annotation.symbol);
	annotation_view_stdio.put(&annotation, true, &text);
	tui_show_code(&tui->screen, title.at, text.at);
	annotation_deinit(&annotation);
	annotator_destroy(annotator);
}

static void show_found(struct tui *tui, struct tui_answer *answer,
	const struct wanted *wanted)
{
	struct functions functions = { 0 };
	const struct function *function;

	functions_find(&answer->result, wanted->event, &functions);
	function = find(&functions, answer->result.resolver, wanted);
	if (function)
		show(tui, answer, &functions, function);
	else
		tui_say(&tui->screen, "no sample was taken in it itself");
	functions_deinit(&functions);
}

static void annotate(struct tui *tui, const struct location *location)
{
	const struct wanted wanted = { .event = tui->lines.hist->event,
		.start = location->start,
		.dso = xstrdup(resolver_dso_name(
			tui->result->resolver, location->dso_name)) };
	struct tui_answer *answer = ask(tui);

	if (answer->err)
		tui_say(&tui->screen, "%s", answer->err->text);
	else
		show_found(tui, answer, &wanted);
	tui_answer_destroy(answer);
	free(wanted.dso);
}

void tui_annotate(struct tui *tui)
{
	uint32_t at = tui_location(tui);
	const struct location *location = at == HASH_NONE
		? NULL
		: resolver_location(tui->result->resolver, at);

	if (location && location->symbol)
		annotate(tui, location);
	else if (location)
		tui_say(&tui->screen, "this code has no symbol; dwell report "
				      "--dsos says what would name it");
	else
		tui_say(&tui->screen, "this is no function");
}
