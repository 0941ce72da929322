/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_data [-b] TEXT OUTPUT: makes the recording that the file TEXT describes;
 * "-" reads standard input. OUTPUT is a file, or a folder if the text has
 * parts. -b makes the recording of a big-endian machine.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "tests/made/made.h"

static struct error *read_text(const char *path, struct strbuf *ret)
{
	FILE *file = string_is(path, "-") ? stdin : fopen(path, "re");
	char buffer[4096];
	size_t n;

	if (!file)
		return error_errno(errno, "%s", path);
	strbuf_puts(ret, "");
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
		strbuf_put(ret, buffer, n);
	if (file != stdin)
		fclose(file);
	return NULL;
}

static struct error *save(const char *path, const struct strbuf *data)
{
	FILE *file = fopen(path, "we");
	bool ok = file && fwrite(data->at, 1, data->n, file) == data->n;

	if (file)
		ok = !fclose(file) && ok;
	return ok ? NULL : error_errno(errno, "%s", path);
}

static struct error *save_folder(
	const struct made *made, const char *path, const struct strbuf *data)
{
	_cleanup_free_ char *main_path = xasprintf("%s/data", path);
	struct error *err;
	size_t i;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_errno(errno, "%s", path);
	err = save(main_path, data);
	for (i = 0; !err && i < made->parts.n; i++) {
		_cleanup_free_ char *part = xasprintf("%s/data.%zu", path, i);

		err = save(part, &made->parts.at[i]);
	}
	return err;
}

static struct error *make(const char *text_path, bool is_big, const char *path)
{
	_cleanup_strbuf_ struct strbuf text = { 0 }, data = { 0 };
	struct made made;
	struct error *err = read_text(text_path, &text);

	if (err)
		return err;
	err = made_read(text.at, is_big, &made);
	if (!err) {
		made_write(&made, &data);
		err = made.is_in_part ? save_folder(&made, path, &data)
				      : save(path, &data);
	}
	made_deinit(&made);
	return error_wrap(err, "%s", text_path);
}

int main(int argc, char **argv)
{
	bool is_big = argc > 1 && string_is(argv[1], "-b");
	struct error *err;

	if (argc != 3 + is_big) {
		fprintf(stderr, "usage: make_data [-b] TEXT OUTPUT\n");
		return 2;
	}
	err = make(argv[1 + is_big], is_big, argv[2 + is_big]);
	if (err)
		fprintf(stderr, "make_data: %s\n", err->text);
	error_free(err);
	return err ? 1 : 0;
}
