/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/redact.h"

#include <ctype.h>

#include "common/file/line_unit.h"
#include "common/file/packed_dsos.h"
#include "common/file/symbols_section.h"
#include "common/maps/maps.h"

/* Offset of the path in a record of each type, in bytes. */
#define MMAP_PATH 40u
#define MMAP2_PATH 72u
#define CGROUP_PATH 16u
#define BUILD_ID_PATH 36u

/*
 * Moves the end of a string, from FROM on, to TO in the same string. Overwrites
 * the freed bytes with 0.
 */
static void close_text_gap(char *to, const char *from)
{
	size_t length = strlen(from), gap = (size_t)(from - to);

	memmove(to, from, length);
	memset(to + length, 0, gap);
}

/* Returns whether TEXT contains WORD directly before END. */
static bool is_word_before(const char *text, const char *end, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(end - text) >= length &&
		memcmp(end - length, word, length) == 0;
}

/*
 * Removes the folders of an absolute PATH: "/usr/bin/make" becomes "/make",
 * which is still the path of a file.
 */
static void redact_path(char *path)
{
	char *name = strrchr(path, '/');

	if (path[0] == '/' && name != path && !maps_is_anonymous(path))
		close_text_gap(path, name);
}

/*
 * Returns whether SLASH in the function name TEXT begins a path. The slash in
 * "Lorg/me/Main;" (Java), "operator/" and "operator /" does not.
 */
static bool begins_path(const char *text, const char *slash)
{
	const char *end = slash;

	if (end > text &&
		(isalnum((unsigned char)end[-1]) ||
			(unsigned char)end[-1] >= 0x80 ||
			strchr("_$)]>;", end[-1])))
		return false;
	while (end > text && end[-1] == ' ')
		end--;
	return !is_word_before(text, end, "operator");
}

/*
 * Removes folders from names of JIT code: "*run /home/me/x.js:3",
 * "py::run:/home/me/x.py". Names of folders may contain blanks and colons, so
 * all text from the start of the path to the last slash is removed.
 */
static void redact_name(char *text)
{
	char *start = strchr(text, '/');
	const char *last = strrchr(text, '/');

	while (start && !begins_path(text, start))
		start = strchr(start + 1, '/');
	if (!start || start == last)
		return;
	while (start > text && start[-1] == '.')
		start--;
	if (is_word_before(text, start, "file:"))
		start -= strlen("file:");
	close_text_gap(start, last + 1);
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
	case RECORD_MMAP: redact_path_at(data, size, MMAP_PATH); break;
	case RECORD_MMAP2: redact_path_at(data, size, MMAP2_PATH); break;
	case RECORD_HEADER_BUILD_ID:
		redact_path_at(data, size, BUILD_ID_PATH);
		break;
	case RECORD_CGROUP:
		if (CGROUP_PATH < size &&
			memchr(data + CGROUP_PATH, '\0', size - CGROUP_PATH))
			memset(data + CGROUP_PATH, 0,
				strlen((char *)data + CGROUP_PATH));
		break;
	default: break;
	}
}

/* "uprobe:/home/me/x:step" becomes "uprobe:x:step". */
static void redact_event(char *name)
{
	char *path = strchr(name, ':');
	char *folder = strrchr(name, '/');

	if (string_starts(name, "uprobe:") && folder)
		close_text_gap(path + 1, folder + 1);
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

/* --- dwell's sections ----------------------------------------------------- */

/*
 * Takes SIZE bytes from the section B. Returns the bytes as a string, or NULL
 * if they contain no NUL.
 */
static char *take_text_bytes(struct bytes *b, size_t size)
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

		bytes_take(&b, SYMBOLS_DSO_IDENTITY_SIZE);
		path_room = bytes_u32(&b);
		n_symbols = bytes_u32(&b);
		names = bytes_u32(&b);
		path = take_text_bytes(&b, path_room);
		if (path)
			redact_path(path);
		bytes_take(&b, (size_t)n_symbols * 16);
		bytes_take(&b, names);
	}
}

static void redact_text(struct line_unit *unit, uint32_t text)
{
	if (text != LINE_NONE) {
		/*
		 * Removes the folders and the slash of PATH. The path of a
		 * source file, unlike that of a mapped file, need not be
		 * absolute.
		 */
		char *path = line_unit_texts(unit) + text;
		char *name = strrchr(path, '/');

		if (name)
			close_text_gap(path, name + 1);
	}
}

static void redact_unit(void *piece, size_t size)
{
	struct line_unit *unit = piece;
	uint32_t i;

	if (!line_unit_is_sound(unit, size))
		return;
	for (i = 0; i < unit->n_pieces; i++)
		redact_text(unit, line_unit_pieces(unit)[i].file);
	for (i = 0; i < unit->n_nodes; i++)
		redact_text(unit, line_unit_nodes(unit)[i].call_file);
	for (i = 0; i < unit->n_functions; i++)
		redact_text(unit, line_unit_functions(unit)[i].file);
}

/*
 * Redacts the section B of packed_dsos.h: the path of each DSO, and the data of
 * each DSO with REDACT_PIECE. REDACT_PIECE is NULL if the data contains no
 * paths.
 */
static void redact_dsos(
	struct bytes b, void (*redact_piece)(void *piece, size_t size))
{
	uint32_t n = bytes_u32(&b), i;
	struct packed_entry entry;

	bytes_u32(&b);
	for (i = 0; i < n && packed_dsos_next(&b, &entry); i++) {
		redact_path(entry.path);
		if (redact_piece)
			redact_piece(entry.piece, entry.size);
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
		if (names) {
			char *end = names + size;

			while (names < end &&
				memchr(names, '\0', (size_t)(end - names))) {
				size_t room = strlen(names) + 1;

				redact_name(names);
				names += room;
			}
		}
	}
}

void redact_sections(struct rewrite_sections *sections)
{
	array_each(&sections->at, section) {
		const struct bytes b =
			bytes_of(section->raw.at, section->raw.n, false);

		if (string_is(section->name, SECTION_SYMBOLS) ||
			string_is(section->name, SECTION_PACKED) ||
			string_is(section->name, SECTION_PACKED_DATA))
			redact_symbols(b);
		else if (string_is(section->name, SECTION_LINES))
			redact_dsos(b, redact_unit);
		else if (string_is(section->name, SECTION_CODE) ||
			string_is(section->name, SECTION_RULES))
			redact_dsos(b, NULL);
		else if (string_is(section->name, SECTION_JIT) ||
			string_is(section->name, SECTION_PACKED_JIT))
			redact_jit(b);
	}
}
