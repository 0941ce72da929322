/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/check/unwind_check.h"
#include "report/view/table.h"

/* Number of printed examples and DSOs; the tables for programs have all. */
#define PRINTED_EXAMPLES 10u
#define PRINTED_DSOS 20u

struct shown_dso {
	uint32_t number;
	uint64_t steps, ends; /* ends: stacks that end or differ behind it */
};
typedef ARRAY(struct shown_dso) shown_dsos;

static int compare_shown_dsos(const void *a, const void *b)
{
	const struct shown_dso *x = a, *y = b;

	if (x->steps != y->steps)
		return x->steps < y->steps ? 1 : -1;
	return COMPARE(x->number, y->number);
}

/* Lists the DSOs with frames, most frames first. */
static void list_shown_dsos(const struct unwind_check *check, shown_dsos *ret)
{
	uint32_t i, verdict;

	for (i = 0; i < check->dsos.n; i++) {
		const struct unwind_dso *dso = &check->dsos.at[i];
		struct shown_dso shown = { i, dso->steps, 0 };

		for (verdict = 0; verdict < UNWIND_VERDICTS; verdict++)
			shown.ends += dso->n[verdict];
		if (shown.steps || shown.ends)
			*array_push(ret) = shown;
	}
	array_sort(ret, compare_shown_dsos);
}

static void print_verdict(const struct unwind_check *check,
	enum unwind_verdict verdict, const char *text, struct strbuf *out)
{
	uint64_t n = check->n[verdict];

	strbuf_printf(out, "%10" PRIu64 "  %6.2f %%  %s\n", n,
		check->stacks ? 100.0 * (double)n / (double)check->stacks : 0,
		text);
}

static void print_dsos(const struct unwind_check *check, struct strbuf *out)
{
	shown_dsos shown = { 0 };
	_cleanup_free_ char *judge_ends =
		xasprintf("%s ends", check->judge->name);
	size_t i;

	list_shown_dsos(check, &shown);
	strbuf_printf(out, "\n%12s %14s %14s %14s  %s\n", "same callers",
		"dwell ends", judge_ends, "different", "after a frame in");
	for (i = 0; i < shown.n && i < PRINTED_DSOS; i++) {
		uint32_t number = shown.at[i].number;
		const struct unwind_dso *dso = &check->dsos.at[number];

		strbuf_printf(out,
			"%12" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64
			"  ",
			dso->steps, dso->n[UNWIND_VERDICT_DWELL_SHORTER],
			dso->n[UNWIND_VERDICT_JUDGE_SHORTER],
			dso->n[UNWIND_VERDICT_DIFFERENT]);
		escape_text(out, maps_dso(check->maps, number)->path);
		strbuf_putc(out, '\n');
	}
	if (i < shown.n)
		strbuf_printf(out, "... and %zu more files\n", shown.n - i);
	array_free(&shown);
}

static void print_caller(const struct unwind_check *check, const char *name,
	const struct unwind_caller *caller, struct strbuf *out)
{
	strbuf_printf(out, "            %-9s  ", name);
	if (caller->has_dso) {
		escape_text(out, maps_dso(check->maps, caller->dso)->path);
		strbuf_putc(out, '+');
	}
	strbuf_printf(out, "0x%" PRIx64 "\n", caller->address);
}

void unwind_check_print(const struct unwind_check *check, struct strbuf *out)
{
	const char *name = check->judge->name;
	_cleanup_free_ char *judge_ends = xasprintf(
		"%s's chain ends earlier, with the same frames up to there",
		name);

	strbuf_printf(out,
		"%10" PRIu64 "  stacks, unwound by dwell and by %s:\n",
		check->stacks, name);
	print_verdict(check, UNWIND_VERDICT_SAME, "same frames", out);
	print_verdict(check, UNWIND_VERDICT_DWELL_SHORTER,
		"dwell's chain ends earlier, with the same frames up to there",
		out);
	print_verdict(check, UNWIND_VERDICT_JUDGE_SHORTER, judge_ends, out);
	print_verdict(check, UNWIND_VERDICT_DIFFERENT, "different frames", out);
	if (check->empty)
		strbuf_printf(out,
			"%10" PRIu64 "  samples have no stack copy\n",
			check->empty);
	if (check->unsupported)
		strbuf_printf(out,
			"%10" PRIu64 "  stacks of 32-bit programs were not "
			"compared\n",
			check->unsupported);
	if (check->missing)
		strbuf_printf(out,
			"%10" PRIu64
			"  files were not found, so both unwinders "
			"lack their rules\n",
			check->missing);
	print_dsos(check, out);
	if (check->examples.n) {
		size_t i;

		strbuf_puts(out,
			"\nFrames with different callers, as FILE+ADDRESS:\n");
		for (i = 0; i < check->examples.n && i < PRINTED_EXAMPLES;
			i++) {
			const struct unwind_example *example =
				&check->examples.at[i];

			strbuf_printf(out, "%10" PRIu64 "  ", example->stacks);
			escape_text(
				out, maps_dso(check->maps, example->dso)->path);
			strbuf_printf(
				out, "+0x%" PRIx64 "\n", example->address);
			print_caller(check, "dwell", &example->dwell, out);
			print_caller(check, check->judge->name, &example->judge,
				out);
		}
		if (i < check->examples.n)
			strbuf_printf(out, "... and %zu more places\n",
				check->examples.n - i);
	}
}

/* --- for programs ---------------------------------------------------------- */

static const char *const dso_columns[] = { "dso", "same_callers", "dwell_ends",
	"other_ends", "different", NULL };
static const char *const example_columns[] = { "dso", "address", "stacks",
	"dwell_dso", "dwell_address", "other_dso", "other_address", NULL };

static void put_dso_rows(const struct unwind_check *check, struct table *table)
{
	shown_dsos shown = { 0 };

	list_shown_dsos(check, &shown);
	array_each(&shown, one) {
		const struct unwind_dso *dso = &check->dsos.at[one->number];

		table_text(table, maps_dso(check->maps, one->number)->path);
		table_number(table, dso->steps);
		table_number(table, dso->n[UNWIND_VERDICT_DWELL_SHORTER]);
		table_number(table, dso->n[UNWIND_VERDICT_JUDGE_SHORTER]);
		table_number(table, dso->n[UNWIND_VERDICT_DIFFERENT]);
	}
	array_free(&shown);
}

static void put_caller(const struct unwind_check *check,
	const struct unwind_caller *caller, struct table *table)
{
	table_text(table,
		caller->has_dso ? maps_dso(check->maps, caller->dso)->path
				: NULL);
	table_address(table, caller->address);
}

static void put_check_json(const struct unwind_check *check, struct strbuf *out)
{
	struct json json = { .out = out };
	struct table table;

	json_begin_object(&json, NULL);
	json_unsigned(&json, "version", TABLE_VERSION);
	json_string(&json, "library", check->judge->name);
	json_unsigned(&json, "stacks", check->stacks);
	json_unsigned(&json, "same", check->n[UNWIND_VERDICT_SAME]);
	json_unsigned(
		&json, "dwell_ends", check->n[UNWIND_VERDICT_DWELL_SHORTER]);
	json_unsigned(
		&json, "other_ends", check->n[UNWIND_VERDICT_JUDGE_SHORTER]);
	json_unsigned(&json, "different", check->n[UNWIND_VERDICT_DIFFERENT]);
	json_unsigned(&json, "without_copy", check->empty);
	json_unsigned(&json, "unsupported", check->unsupported);
	json_unsigned(&json, "missing_files", check->missing);
	table_begin_member(&table, "dsos", dso_columns, &json);
	put_dso_rows(check, &table);
	table_end_member(&table, &json);
	table_begin_member(&table, "examples", example_columns, &json);
	array_each(&check->examples, example) {
		table_text(&table, maps_dso(check->maps, example->dso)->path);
		table_address(&table, example->address);
		table_number(&table, example->stacks);
		put_caller(check, &example->dwell, &table);
		put_caller(check, &example->judge, &table);
	}
	table_end_member(&table, &json);
	json_end_object(&json);
	strbuf_putc(out, '\n');
}

void unwind_check_put_table(
	const struct unwind_check *check, const char *view, struct strbuf *out)
{
	struct table table;

	if (string_is(view, "json")) {
		put_check_json(check, out);
		return;
	}
	table_begin(&table, view, "dsos", dso_columns, out);
	put_dso_rows(check, &table);
	table_end(&table);
}
