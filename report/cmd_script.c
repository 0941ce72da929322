/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/cmd.h"
#include "report/script/record_dump.h"
#include "report/script/script.h"
#include "report/survey/incomplete.h"
#include "report/util/output.h"

#define FLUSH_SIZE KIB(64)

struct page {
	struct strbuf text;
	struct error *err;
};

static void flush(struct page *page)
{
	if (!page->err)
		page->err = output_text(&page->text);
	strbuf_clear(&page->text);
}

static void begin(void *data _unused_, uint64_t total _unused_)
{
	output_page();
}

static bool more(void *data, uint64_t done _unused_)
{
	struct page *page = data;

	if (page->text.n >= FLUSH_SIZE)
		flush(page);
	return !page->err;
}

static struct error *dump(const struct options *options)
{
	struct reader *reader = NULL;
	struct error *err = result_open(options, &reader);

	if (err)
		return err;
	output_page();
	err = dump_records(reader);
	incomplete_close(reader);
	return err;
}

static struct error *run(const struct options *options)
{
	struct page page = { 0 };
	const struct script_out out = { &page.text, begin, more, &page };
	struct result result;
	struct error *err = result_prepare(options, &result);

	if (!err)
		err = script_run(&result, &out);
	if (!err) {
		flush(&page);
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
		err = options.dumps_records ? dump(&options) : run(&options);
	if (!err)
		err = output_finish();
	options_deinit(&options);
	return err;
}
