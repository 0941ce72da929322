/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of one thread as text. */
#include "config.h"

#include "report/export/firefox.h"

#include <inttypes.h>

#include "common/util/escape.h"

/* What the writing of one thread needs. */
struct writing {
	const struct firefox_tables *tables;
	const struct code_names *functions;
	const struct firefox_libs *libs;
	struct outflow *out;
	struct texts texts;
	ARRAY(uint32_t) resources; /* libs that are of this thread */
};

/* A column: VALUE of each of N rows. */
static void put_column(struct writing *to, const char *name, size_t n,
	void (*value)(struct writing *to, size_t row))
{
	size_t i;

	strbuf_printf(&to->out->text, "\"%s\": [", name);
	for (i = 0; i < n; i++) {
		if (i)
			strbuf_putc(&to->out->text, ',');
		value(to, i);
		outflow_some(to->out);
	}
	strbuf_puts(&to->out->text, "],\n");
}

static void put_number(struct writing *to, uint64_t number)
{
	strbuf_printf(&to->out->text, "%" PRIu64, number);
}

static void put_null(struct writing *to, size_t row _unused_)
{
	strbuf_puts(&to->out->text, "null");
}

static void put_zero(struct writing *to, size_t row _unused_)
{
	strbuf_putc(&to->out->text, '0');
}

static void put_false(struct writing *to, size_t row _unused_)
{
	strbuf_puts(&to->out->text, "false");
}

/* A number that isn't there is null. */
static void put_known(struct writing *to, uint32_t number, bool is_known)
{
	if (is_known)
		put_number(to, number);
	else
		put_null(to, 0);
}

/* NULL: it is no code. */
static const struct location *location_of(struct writing *to, size_t frame)
{
	uint32_t location = to->tables->frames.at[frame].location;

	return location < FIREFOX_MARKS
		? resolver_location(to->functions->resolver, location)
		: NULL;
}

static void put_address(struct writing *to, size_t row)
{
	const struct location *at = location_of(to, row);

	if (at && at->dso)
		put_number(to, at->start + at->place - at->back);
	else
		strbuf_puts(&to->out->text, "-1");
}

static void put_depth(struct writing *to, size_t row)
{
	put_number(to, to->tables->frames.at[row].inlined);
}

static enum firefox_category category_of(struct writing *to, size_t frame)
{
	const struct location *at = location_of(to, frame);
	char level = at ? at->level : 0;

	if (level == '.' || level == 'u')
		return FIREFOX_USER;
	return level == 'k' || level == 'g' ? FIREFOX_KERNEL : FIREFOX_OTHER;
}

static void put_frame_category(struct writing *to, size_t row)
{
	put_number(to, category_of(to, row));
}

static void put_frame_function(struct writing *to, size_t row)
{
	put_number(to, to->tables->frames.at[row].function);
}

static void put_frame_line(struct writing *to, size_t row)
{
	uint32_t line = location_of(to, row)
		? resolver_line(to->functions->resolver,
			  to->tables->frames.at[row].location)
			  .line
		: 0;

	put_known(to, line, line);
}

static void put_frames(struct writing *to)
{
	size_t n = to->tables->frames.n;

	strbuf_puts(&to->out->text, "\"frameTable\": {");
	put_column(to, "address", n, put_address);
	put_column(to, "inlineDepth", n, put_depth);
	put_column(to, "category", n, put_frame_category);
	put_column(to, "subcategory", n, put_zero);
	put_column(to, "func", n, put_frame_function);
	put_column(to, "nativeSymbol", n, put_null);
	put_column(to, "innerWindowID", n, put_zero);
	put_column(to, "implementation", n, put_null);
	put_column(to, "line", n, put_frame_line);
	put_column(to, "column", n, put_null);
	strbuf_printf(&to->out->text, "\"length\": %zu},\n", n);
}

static const struct code_name *function_at(struct writing *to, size_t row)
{
	return code_names_at(to->functions, to->tables->functions.at[row]);
}

static void put_name(struct writing *to, size_t row)
{
	put_number(to, texts_number(&to->texts, function_at(to, row)->name));
}

static void put_file(struct writing *to, size_t row)
{
	const char *file = function_at(to, row)->at.file;

	put_known(to, file ? texts_number(&to->texts, file) : 0, file);
}

static void put_line(struct writing *to, size_t row)
{
	uint32_t line = function_at(to, row)->at.line;

	put_known(to, line, line);
}

static void put_resource(struct writing *to, size_t row)
{
	uint32_t lib =
		to->libs->by_function.at[to->tables->functions.at[row]];
	uint32_t i;

	if (lib == FIREFOX_NONE) {
		strbuf_puts(&to->out->text, "-1");
		return;
	}
	for (i = 0; i < to->resources.n; i++)
		if (to->resources.at[i] == lib)
			break;
	if (i == to->resources.n)
		*array_push(&to->resources) = lib;
	put_number(to, i);
}

static void put_functions(struct writing *to)
{
	size_t n = to->tables->functions.n;

	strbuf_puts(&to->out->text, "\"funcTable\": {");
	put_column(to, "name", n, put_name);
	put_column(to, "isJS", n, put_false);
	put_column(to, "relevantForJS", n, put_false);
	put_column(to, "resource", n, put_resource);
	put_column(to, "fileName", n, put_file);
	put_column(to, "lineNumber", n, put_line);
	put_column(to, "columnNumber", n, put_null);
	strbuf_printf(&to->out->text, "\"length\": %zu},\n", n);
}

static void put_prefix(struct writing *to, size_t row)
{
	uint32_t prefix = to->tables->stacks.at[row].prefix;

	put_known(to, prefix, prefix != FIREFOX_NONE);
}

static void put_stack_frame(struct writing *to, size_t row)
{
	put_number(to, to->tables->stacks.at[row].frame);
}

static void put_stack_category(struct writing *to, size_t row)
{
	put_number(to, category_of(to, to->tables->stacks.at[row].frame));
}

static void put_stacks(struct writing *to)
{
	size_t n = to->tables->stacks.n;

	strbuf_puts(&to->out->text, "\"stackTable\": {");
	put_column(to, "prefix", n, put_prefix);
	put_column(to, "frame", n, put_stack_frame);
	put_column(to, "category", n, put_stack_category);
	put_column(to, "subcategory", n, put_zero);
	strbuf_printf(&to->out->text, "\"length\": %zu},\n", n);
}

static void put_resource_lib(struct writing *to, size_t row)
{
	put_number(to, to->resources.at[row]);
}

static void put_resource_name(struct writing *to, size_t row)
{
	const struct code_name *in =
		to->libs->at.at[to->resources.at[row]];

	put_number(to,
		texts_number(&to->texts,
			resolver_dso_name(to->functions->resolver,
				in->dso_name)));
}

/* 1 is a library. */
static void put_resource_type(struct writing *to, size_t row _unused_)
{
	put_number(to, 1);
}

static void put_resources(struct writing *to)
{
	size_t n = to->resources.n;

	strbuf_puts(&to->out->text, "\"resourceTable\": {");
	put_column(to, "lib", n, put_resource_lib);
	put_column(to, "name", n, put_resource_name);
	put_column(to, "host", n, put_null);
	put_column(to, "type", n, put_resource_type);
	strbuf_printf(&to->out->text, "\"length\": %zu},\n", n);
}

static void put_text(struct writing *to, size_t row)
{
	escape_json_visible(
		&to->out->text, texts_at(&to->texts, (uint32_t)row));
}

void firefox_put_tables(const struct firefox_tables *tables,
	const struct code_names *functions, const struct firefox_libs *libs,
	struct outflow *out)
{
	struct writing to = { tables, functions, libs, out };

	put_frames(&to);
	put_functions(&to);
	put_stacks(&to);
	put_resources(&to);
	put_column(&to, "stringArray", to.texts.at.n, put_text);
	texts_deinit(&to.texts);
	array_free(&to.resources);
}
