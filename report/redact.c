/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/redact.h"

#include "common/bundle.h"
#include "common/maps.h"
#include "report/line_unit.h"

/* Where records have a path, from their start. */
#define MMAP_PATH 40u
#define MMAP2_PATH 72u
#define CGROUP_PATH 16u
#define BUILD_ID_PATH 36u

/* Puts what is at FROM, up to the text's end, to TO in the same text. */
static void close_gap(char *to, const char *from)
{
	size_t length = strlen(from), gap = (size_t)(from - to);

	memmove(to, from, length);
	memset(to + length, 0, gap);
}

/* "/usr/bin/make" becomes "/make": a file still, of that name. */
static void redact_path(char *path)
{
	char *name = strrchr(path, '/');

	if (path[0] == '/' && name != path && !maps_is_anonymous(path))
		close_gap(path, name);
}

/* The file of a line: nobody asks for its folder to be there. */
static void redact_source(char *path)
{
	char *name = strrchr(path, '/');

	if (name)
		close_gap(path, name + 1);
}

/* Runtimes put files into names: "*run /home/me/x.js:3". */
static void redact_words(char *text)
{
	char *word = text, *end, *name;

	while (*word) {
		end = word + strcspn(word, " ");
		name = memrchr(word, '/', (size_t)(end - word));
		if (name && (word[0] == '/' || string_starts(word, "file:"))) {
			close_gap(word, name + 1);
			end = word + strcspn(word, " ");
		}
		word = end + strspn(end, " ");
	}
}

bool redact_drops(uint32_t type)
{
	return type == RECORD_THREAD_MAP;
}

static void redact_path_at(uint8_t *data, size_t size, size_t at)
{
	if (at < size && memchr(data + at, '\0', size - at))
		redact_path((char *)data + at);
}

void redact_record(uint8_t *data, size_t size)
{
	struct record record;

	if (!record_at(data, size, false, &record))
		return;
	switch (record.type) {
	case RECORD_MMAP:
		redact_path_at(data, size, MMAP_PATH);
		break;
	case RECORD_MMAP2:
		redact_path_at(data, size, MMAP2_PATH);
		break;
	case RECORD_HEADER_BUILD_ID:
		redact_path_at(data, size, BUILD_ID_PATH);
		break;
	case RECORD_CGROUP:
		if (CGROUP_PATH < size &&
			memchr(data + CGROUP_PATH, '\0', size - CGROUP_PATH))
			memset(data + CGROUP_PATH, 0,
				strlen((char *)data + CGROUP_PATH));
		break;
	default:
		break;
	}
}

/* "uprobe:/home/me/x:step" */
static void redact_event(char *name)
{
	char *path = strchr(name, ':');
	char *folder = strrchr(name, '/');

	if (string_starts(name, "uprobe:") && folder)
		close_gap(path + 1, folder + 1);
}

void redact_features(struct features *head)
{
	head->hostname = (char *)"";
	head->present[FEATURE_CMDLINE / 64] &=
		~(UINT64_C(1) << FEATURE_CMDLINE % 64);
	array_each(&head->build_ids, entry)
		redact_path(entry->path);
	array_each(&head->events, event)
		redact_event(event->name);
}

/* --- own sections --------------------------------------------------------- */

/* A text of the section's own bytes, SIZE of them with a NUL; NULL: damage. */
static char *text_in(struct bytes *b, size_t size)
{
	char *text = (char *)bytes_take(b, size);

	return text && memchr(text, '\0', size) ? text : NULL;
}

static void redact_symbols(struct bytes b)
{
	uint32_t n = bytes_u32(&b), i;

	for (i = 0; i < n && b.ok; i++) {
		uint32_t path_room, n_symbols, names;
		char *path;

		bytes_take(&b, BUNDLE_IDENTITY_SIZE);
		path_room = bytes_u32(&b);
		n_symbols = bytes_u32(&b);
		names = bytes_u32(&b);
		path = text_in(&b, path_room);
		if (path)
			redact_path(path);
		bytes_take(&b, (size_t)n_symbols * 16);
		bytes_take(&b, names);
	}
}

static void redact_text(struct line_unit *unit, uint32_t text)
{
	if (text != LINE_NONE)
		redact_source(line_unit_texts(unit) + text);
}

static void redact_unit(struct line_unit *unit)
{
	uint32_t i;

	for (i = 0; i < unit->n_pieces; i++)
		redact_text(unit, line_unit_pieces(unit)[i].file);
	for (i = 0; i < unit->n_nodes; i++)
		redact_text(unit, line_unit_nodes(unit)[i].call_file);
}

static void redact_lines(struct bytes b)
{
	uint32_t n = bytes_u32(&b), i;

	bytes_u32(&b);
	for (i = 0; i < n && b.ok; i++) {
		uint32_t path_room, size;
		char *path;
		void *unit;

		bytes_take(&b, BUNDLE_IDENTITY_SIZE);
		path_room = bytes_u32(&b);
		size = bytes_u32(&b);
		bytes_u64(&b);
		path = text_in(&b, ALIGN_UP((size_t)path_room, 8));
		if (path)
			redact_path(path);
		unit = (void *)bytes_take(&b, ALIGN_UP((size_t)size, 8));
		if (unit && line_unit_is_sound(unit, size))
			redact_unit(unit);
	}
}

static void redact_names(char *names, size_t size)
{
	char *end = names + size;

	while (names < end && memchr(names, '\0', (size_t)(end - names))) {
		size_t room = strlen(names) + 1;

		redact_words(names);
		names += room;
	}
}

static void redact_jit(struct bytes b)
{
	uint32_t n = bytes_u32(&b), entry = bytes_u32(&b), i;

	for (i = 0; i < n && b.ok; i++) {
		uint32_t n_symbols, size;
		char *names;

		bytes_u32(&b);
		n_symbols = bytes_u32(&b);
		size = bytes_u32(&b);
		bytes_u32(&b);
		bytes_take(&b, (size_t)n_symbols * entry);
		names = (char *)bytes_take(&b, size);
		if (names)
			redact_names(names, size);
	}
}

void redact_sections(struct rewrite_sections *sections)
{
	array_each(&sections->at, section) {
		const struct bytes b =
			bytes_of(section->raw.at, section->raw.n, false);

		if (string_is(section->name, SECTION_SYMBOLS) ||
			string_is(section->name, SECTION_PACKED))
			redact_symbols(b);
		else if (string_is(section->name, SECTION_LINES))
			redact_lines(b);
		else if (string_is(section->name, SECTION_JIT))
			redact_jit(b);
	}
}
