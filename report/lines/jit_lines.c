/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/jit_lines.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"

/* Texts of one process: scripts, and whatever its jitdump says they are. */
#define TEXTS_MAX 100000u

struct line_made {
	struct dump_code code;
	ARRAY(char *) files; /* owned, each once */
	struct hash_index by_file;
};

struct line_made *line_made_create(const struct dump_code *code)
{
	struct line_made *made;

	if (!code->dump)
		return NULL;
	made = xcalloc(1, sizeof(*made));
	made->code = *code;
	return made;
}

void line_made_destroy(struct line_made *made)
{
	if (!made)
		return;
	array_each(&made->files, file)
		free(*file);
	array_free(&made->files);
	hash_free(&made->by_file);
	free(made);
}

/* NULL: there are too many. */
static const char *intern(struct line_made *made, const char *file)
{
	uint64_t hash = hash_string(file);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&made->by_file, hash, &probe)) != HASH_NONE)
		if (string_is(made->files.at[i], file))
			return made->files.at[i];
	if (made->files.n == TEXTS_MAX)
		return NULL;
	hash_insert(&made->by_file, hash, (uint32_t)made->files.n);
	*array_push(&made->files) = xstrdup(file);
	return made->files.at[made->files.n - 1];
}

size_t line_made_frames(struct line_made *made, uint64_t offset,
	uint64_t back, struct line_frame *ret)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };

	*ret = (struct line_frame){ 0 };
	if (!dump_line(&made->code, offset - back, &file, &ret->line))
		return 0;
	strbuf_putc(&file, '\0');
	ret->file = intern(made, file.at);
	return 1;
}
