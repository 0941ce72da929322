/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/cmd.h"
#include "report/script/record_dump.h"
#include "report/script/script.h"
#include "report/survey/incomplete.h"
#include "report/util/output.h"

#define FLUSH_SIZE KIB(64)

struct script_page {
	struct strbuf text;
	struct error *err; /* error of the first write that failed, or NULL */
};

static void flush_page(struct script_page *page)
{
	if (!page->err)
		page->err = output_text(&page->text);
	strbuf_clear(&page->text);
}

static void begin_page(void *data _unused_, uint64_t total _unused_)
{
	output_page();
}

/* Writes the text if it is long. Returns false if writing failed. */
static bool continue_page(void *data, uint64_t done _unused_)
{
	struct script_page *page = data;

	if (page->text.n >= FLUSH_SIZE)
		flush_page(page);
	return !page->err;
}

static struct error *print_raw_records(const struct options *options)
{
	struct reader *reader = NULL;
	struct error *err = result_open(options, &reader);

	if (err)
		return err;
	output_page();
	err = record_dump(reader);
	incomplete_close(reader);
	return err;
}

static struct error *print_script(const struct options *options)
{
	struct script_page page = { 0 };
	const struct script_out out = { &page.text, begin_page, continue_page,
		&page };
	struct result result;
	struct error *err = result_prepare(options, &result);

	if (!err)
		err = script_run(&result, &out);
	if (!err) {
		flush_page(&page);
		err = page.err;
	}
	strbuf_free(&page.text);
	result_deinit(&result);
	return err;
}

struct error *cmd_script(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err = options_script(argc, argv, &options);

	if (!err)
		err = options.facts.dumps_records ? print_raw_records(&options)
						  : print_script(&options);
	if (err)
		error_free(output_finish());
	else
		err = output_finish();
	options_deinit(&options);
	return err;
}
