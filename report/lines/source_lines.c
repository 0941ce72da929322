/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/source_lines.h"

#include "common/util/alloc.h"
#include "report/lines/packed_source.h"
#include "report/lines/source_texts.h"

/* Node.js uses URLs as names of modules. */
#define URL "file://"

struct source_lines {
	struct packed_source *packed; /* NULL: there is none */
	struct source_texts *texts;
};

struct source_lines *source_lines_create(struct files *files)
{
	struct source_lines *lines = xcalloc(1, sizeof(*lines));
	const struct buildid_cache *store = files_cache(files);

	lines->packed = packed_source_create(files_reader(files));
	lines->texts = source_texts_create(
		store ? buildid_cache_paths(store)->symfs : NULL);
	return lines;
}

void source_lines_destroy(struct source_lines *lines)
{
	if (!lines)
		return;
	packed_source_destroy(lines->packed);
	source_texts_destroy(lines->texts);
	free(lines);
}

struct source_line source_lines_find(
	struct source_lines *lines, const char *file, uint32_t line)
{
	struct source_line found = { .is_recorded = true };
	struct source_text local;

	if (lines->packed)
		found.text = packed_source_find(
			lines->packed, file, line, &found.size);
	if (found.text)
		return found;
	if (string_starts(file, URL))
		file += strlen(URL);
	local = source_texts_find(lines->texts, file, line);
	return (struct source_line){ local.at, local.size, false,
		local.changed_ns };
}
