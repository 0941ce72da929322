/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown, as the text of --stdio, to a file. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>

#include "report/tui/tui_private.h"
#include "report/util/output.h"

/* All rows of all events, with their call graphs. */
static struct error *put(struct tui_answer *answer)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	bool had_colour = answer->options.has_colour;

	answer->options.has_colour = false;
	view_stdio.print(&answer->result, &text);
	answer->options.has_colour = had_colour;
	return output_text(&text);
}

/* A file that is there stays. */
static struct error *write_file(struct tui_answer *answer, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	struct error *err;

	if (!file)
		return error_errno(errno, "%s", path);
	output_divert(file);
	err = put(answer);
	output_divert(NULL);
	if (fclose(file) && !err)
		err = error_errno(errno, "it can't be written");
	if (err)
		unlink(path);
	return error_wrap(err, "%s", path);
}

void tui_write(struct tui *tui)
{
	_cleanup_error_ struct error *err = NULL;
	struct strbuf path = { 0 };

	strbuf_puts(&path, "dwell.report.txt");
	if (tui_prompt(&tui->screen, "write the text to: ", &path)) {
		err = write_file(tui->answer, path.at);
		tui_say(&tui->screen, err ? "%s" : "%s is written",
			err ? err->text : path.at);
	}
	strbuf_free(&path);
}
