/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/data_addresses.h"

#include <inttypes.h>

void data_addresses_deinit(struct data_addresses *addresses)
{
	array_free(&addresses->at);
	hash_free(&addresses->index);
}

static bool has_same_address_text(const struct resolver *resolver,
	const struct data_address *a, const struct data_address *b)
{
	bool has_symbol = resolver_location(resolver, a->location)->symbol;

	return a->offset == b->offset && a->level == b->level &&
		(a->location == b->location ||
			(!has_symbol &&
				!resolver_location(resolver, b->location)
					 ->symbol));
}

static uint64_t number_data_address(struct data_addresses *addresses,
	const struct resolver *resolver, const struct data_address *address)
{
	bool has_symbol =
		resolver_location(resolver, address->location)->symbol;
	uint64_t hash = hash_words(
		address->offset, has_symbol ? address->location + 1 : 0);
	uint32_t n = (uint32_t)addresses->at.n;

	hash_each_match(&addresses->index, hash, i)
		if (has_same_address_text(
			    resolver, &addresses->at.at[i], address))
			return i;
	hash_insert(&addresses->index, hash, n);
	*array_push(&addresses->at) = *address;
	return n;
}

/*
 * Returns the data address of RESOLVED. Without a symbol, ADDRESS is its
 * offset.
 */
static struct data_address make_data_address(const struct resolver *resolver,
	struct resolved resolved, uint64_t address)
{
	const struct location *at =
		resolver_location(resolver, resolved.location);

	return (struct data_address){ .location = at->shown_as,
		.offset = at->symbol ? resolved.address - at->start : address,
		.level = at->level };
}

uint64_t data_addresses_find(struct data_addresses *addresses,
	struct resolver *resolver, const struct frame *frame)
{
	struct resolved resolved = resolver_find(resolver, frame);
	struct data_address address =
		make_data_address(resolver, resolved, resolved.address);

	return number_data_address(addresses, resolver, &address);
}

uint64_t data_addresses_find_marked(struct data_addresses *addresses,
	struct resolver *resolver, const struct frame *frame, char level)
{
	struct resolved resolved = resolver_find(resolver, frame);
	struct data_address address =
		make_data_address(resolver, resolved, resolved.address);

	address.level = level;
	return number_data_address(addresses, resolver, &address);
}

uint64_t data_addresses_find_address(struct data_addresses *addresses,
	struct resolver *resolver, const struct frame *frame)
{
	struct data_address address = make_data_address(
		resolver, resolver_find(resolver, frame), frame->ip);

	return number_data_address(addresses, resolver, &address);
}

void data_addresses_put(struct strbuf *out, uint64_t address)
{
	strbuf_printf(out, address ? "0x%016" PRIx64 : "%016" PRIx64, address);
}

void data_addresses_text(const struct data_addresses *addresses,
	struct resolver *resolver, uint64_t number, struct strbuf *out)
{
	const struct data_address *address = &addresses->at.at[number];

	strbuf_printf(out, "[%c] ", address->level);
	if (!resolver_location(resolver, address->location)->symbol) {
		data_addresses_put(out, address->offset);
		return;
	}
	strbuf_puts(out, resolver_symbol_name(resolver, address->location));
	strbuf_printf(out, "+0x%" PRIx64, address->offset);
}
