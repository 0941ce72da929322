/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/data_addresses.h"

#include <inttypes.h>

void data_addresses_deinit(struct data_addresses *addresses)
{
	array_free(&addresses->at);
	hash_free(&addresses->index);
}

uint64_t data_addresses_find(struct data_addresses *addresses,
	struct resolver *resolver, const struct frame *frame, bool in_memory,
	char level)
{
	struct resolver_frame resolved = resolver_find(resolver, frame);
	const struct location *at =
		resolver_location(resolver, resolved.location);
	struct data_address new = { .location = at->shown_as,
		.offset = at->symbol ? resolved.address - at->start
			: in_memory  ? frame->ip
				     : resolved.address,
		.level = level ? level : at->level };
	bool has_symbol = resolver_location(resolver, new.location)->symbol;
	uint64_t hash =
		hash_words(new.offset, has_symbol ? new.location + 1 : 0);
	uint32_t n = (uint32_t)addresses->at.n;

	hash_each_match(&addresses->index, hash, i) {
		const struct data_address *known = &addresses->at.at[i];

		if (known->offset == new.offset && known->level == new.level &&
			(known->location == new.location ||
				(!has_symbol &&
					!resolver_location(
						resolver, known->location)
						 ->symbol)))
			return i;
	}
	hash_insert(&addresses->index, hash, n);
	*array_push(&addresses->at) = new;
	return n;
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
