/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/data_addresses.h"

#include <inttypes.h>

void points_deinit(struct points *points)
{
	array_free(&points->at);
	hash_free(&points->index);
}

static bool is_shown_alike(const struct resolver *resolver,
	const struct point *a, const struct point *b)
{
	bool has_symbol = resolver_location(resolver, a->location)->symbol;

	return a->offset == b->offset && a->level == b->level &&
		(a->location == b->location ||
			(!has_symbol &&
				!resolver_location(resolver, b->location)
					 ->symbol));
}

static uint64_t intern(struct points *points, const struct resolver *resolver,
	const struct point *point)
{
	bool has_symbol = resolver_location(resolver, point->location)->symbol;
	uint64_t hash = hash_words(
		point->offset, has_symbol ? point->location + 1 : 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&points->index, hash, &probe)) != HASH_NONE)
		if (is_shown_alike(resolver, &points->at.at[i], point))
			return i;
	i = (uint32_t)points->at.n;
	hash_insert(&points->index, hash, i);
	*array_push(&points->at) = *point;
	return i;
}

/* ADDRESS is shown where there is no symbol. */
static struct point point_at(const struct resolver *resolver,
	struct resolved resolved, uint64_t address)
{
	const struct location *at =
		resolver_location(resolver, resolved.location);

	return (struct point){ .location = at->shown_as,
		.offset = at->symbol ? resolved.address - at->start : address,
		.level = at->level };
}

uint64_t points_find(struct points *points, struct resolver *resolver,
	const struct frame *frame)
{
	struct resolved resolved = resolver_find(resolver, frame);
	struct point point = point_at(resolver, resolved, resolved.address);

	return intern(points, resolver, &point);
}

uint64_t points_find_marked(struct points *points, struct resolver *resolver,
	const struct frame *frame, char level)
{
	struct resolved resolved = resolver_find(resolver, frame);
	struct point point = point_at(resolver, resolved, resolved.address);

	point.level = level;
	return intern(points, resolver, &point);
}

uint64_t points_find_address(struct points *points,
	struct resolver *resolver, const struct frame *frame)
{
	struct point point = point_at(
		resolver, resolver_find(resolver, frame), frame->ip);

	return intern(points, resolver, &point);
}

void points_put_address(struct strbuf *out, uint64_t address)
{
	strbuf_printf(out, address ? "0x%016" PRIx64 : "%016" PRIx64, address);
}

void points_text(const struct points *points, struct resolver *resolver,
	uint64_t number, struct strbuf *out)
{
	const struct point *point = &points->at.at[number];

	strbuf_printf(out, "[%c] ", point->level);
	if (!resolver_location(resolver, point->location)->symbol) {
		points_put_address(out, point->offset);
		return;
	}
	strbuf_puts(out, resolver_symbol_name(resolver, point->location));
	strbuf_printf(out, "+0x%" PRIx64, point->offset);
}
