/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/jit_lines.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"

/* Limit of file names per process. */
#define TEXTS_MAX 100000u

struct jit_lines {
	struct dump_code code;
	ARRAY(char *) files; /* owned; each name once */
	struct hash_index by_file;
};

struct jit_lines *jit_lines_create(const struct dump_code *code)
{
	struct jit_lines *jit;

	if (!code->dump)
		return NULL;
	jit = xcalloc(1, sizeof(*jit));
	jit->code = *code;
	return jit;
}

void jit_lines_destroy(struct jit_lines *jit)
{
	if (!jit)
		return;
	array_each(&jit->files, file)
		free(*file);
	array_free(&jit->files);
	hash_free(&jit->by_file);
	free(jit);
}

/* Returns NULL if there are too many names. */
static const char *intern_file_name(struct jit_lines *jit, const char *file)
{
	uint64_t hash = hash_string(file);

	hash_each_match(&jit->by_file, hash, i)
		if (string_is(jit->files.at[i], file))
			return jit->files.at[i];
	if (jit->files.n == TEXTS_MAX)
		return NULL;
	hash_insert(&jit->by_file, hash, (uint32_t)jit->files.n);
	*array_push(&jit->files) = xstrdup(file);
	return jit->files.at[jit->files.n - 1];
}

size_t jit_lines_frames(struct jit_lines *jit, uint64_t offset, uint64_t back,
	struct line_frame *ret)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };

	*ret = (struct line_frame){ 0 };
	if (!dump_line(&jit->code, offset - back, &file, &ret->line))
		return 0;
	strbuf_putc(&file, '\0');
	ret->file = intern_file_name(jit, file.at);
	return 1;
}
