/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/jit/perfmap.h"

#include <errno.h>

#include "common/util/alloc.h"

struct perfmap {
	int fd;
	uint64_t offset; /* file offset of the next read */
	/* bytes in .text; start of the next line in .text */
	size_t n, at;
	bool is_in_long_line; /* skipping the rest of a line that is too long */
	bool has_long_line;   /* at least one line was too long */
	char text[KIB(64) + 1];
};

struct perfmap *perfmap_open(int fd)
{
	struct perfmap *map = xmalloc(sizeof(*map));

	map->fd = fd;
	map->offset = 0;
	map->n = map->at = 0;
	map->is_in_long_line = map->has_long_line = false;
	return map;
}

void perfmap_close(struct perfmap *map)
{
	free(map);
}

/*
 * Returns the next line, NUL-terminated, or NULL at the end of the file. A last
 * line without a newline is incomplete and is not returned.
 */
static char *next_perfmap_line(struct perfmap *map)
{
	for (;;) {
		char *line = map->text + map->at;
		char *end = memchr(line, '\n', map->n - map->at);

		if (end) {
			bool is_rest = map->is_in_long_line;

			map->is_in_long_line = false;
			map->at += (size_t)(end - line) + 1;
			*end = '\0';
			if (!is_rest)
				return line;
			continue;
		}
		if (map->n - map->at == sizeof(map->text) - 1) {
			map->is_in_long_line = map->has_long_line = true;
			map->at = map->n;
		}
		/* Move the unread text to the front and read more after it. */
		size_t room;
		ssize_t n;

		map->n -= map->at;
		memmove(map->text, map->text + map->at, map->n);
		map->at = 0;
		room = sizeof(map->text) - 1 - map->n;
		if (map->offset >= PERFMAP_SIZE_MAX)
			return NULL;
		do
			n = pread(map->fd, map->text + map->n, room,
				(off_t)map->offset);
		while (n < 0 && errno == EINTR);
		if (n <= 0)
			return NULL;
		map->n += (size_t)n;
		map->offset += (uint64_t)n;
	}
}

static bool parse_perfmap_hex(char **text, uint64_t *ret)
{
	char *end;

	if (**text == '-' || **text == '+')
		return false;
	errno = 0;
	*ret = strtoull(*text, &end, 16);
	if (end == *text || errno || *end != ' ')
		return false;
	*text = end + strspn(end, " ");
	return true;
}

bool perfmap_next(struct perfmap *map, struct perfmap_entry *ret)
{
	uint64_t end;
	char *line;

	while ((line = next_perfmap_line(map))) {
		line += strspn(line, " \t");
		line[strcspn(line, "\r")] = '\0';
		if (!parse_perfmap_hex(&line, &ret->start) ||
			!parse_perfmap_hex(&line, &ret->size) || !*line ||
			!ret->size ||
			__builtin_add_overflow(ret->start, ret->size, &end))
			continue;
		line[strnlen(line, PERFMAP_NAME_MAX - 1)] = '\0';
		ret->name = line;
		return true;
	}
	return false;
}

bool perfmap_has_long_line(const struct perfmap *map)
{
	return map->has_long_line;
}
