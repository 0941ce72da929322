/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/btf.h"

#define MAGIC 0xeb9fu
#define TYPE_SIZE 12u /* bytes at the start of types of all kinds */

/* Returns SIZE bytes of B from AT on, or no bytes if B is too short. */
static struct bytes btf_slice(struct bytes b, uint64_t at, uint64_t size)
{
	bytes_take(&b, MIN(at, (uint64_t)SIZE_MAX));
	if (!b.ok || size > bytes_left(&b))
		return bytes_of("", 0, b.swap);
	return bytes_of(bytes_take(&b, size), size, b.swap);
}

/*
 * Returns the number of bytes behind the first TYPE_SIZE bytes of a type. The
 * number depends on the type's kind and number of members, both in INFO.
 */
static size_t btf_type_tail_size(uint32_t info)
{
	static const struct {
		uint8_t fixed, member;
	} sizes[] = {
		[1] = { 4, 0 },	  /* INT */
		[3] = { 12, 0 },  /* ARRAY */
		[4] = { 0, 12 },  /* STRUCT */
		[5] = { 0, 12 },  /* UNION */
		[6] = { 0, 8 },	  /* ENUM */
		[13] = { 0, 8 },  /* FUNC_PROTO */
		[14] = { 4, 0 },  /* VAR */
		[15] = { 0, 12 }, /* DATASEC */
		[17] = { 4, 0 },  /* DECL_TAG */
		[19] = { 0, 12 }, /* ENUM64 */
	};
	size_t kind = info >> 24 & 0x1f, members = info & 0xffff;

	if (kind >= ARRAY_SIZE(sizes))
		return 0;
	return sizes[kind].fixed + members * sizes[kind].member;
}

void btf_read(struct bytes b, struct btf *ret)
{
	struct bytes header = b, types;
	uint16_t magic = bytes_u16(&header);
	uint32_t header_size, sizes[4], i;

	*ret = (struct btf){ .strings = bytes_of("", 0, b.swap) };
	bytes_u16(&header); /* version and flags */
	header_size = bytes_u32(&header);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		sizes[i] = bytes_u32(&header);
	if (!header.ok || magic != MAGIC)
		return;
	types = btf_slice(b, (uint64_t)header_size + sizes[0], sizes[1]);
	ret->strings = btf_slice(b, (uint64_t)header_size + sizes[2], sizes[3]);
	while (bytes_left(&types) >= TYPE_SIZE) {
		uint32_t info;

		*array_push(&ret->names) = bytes_u32(&types);
		info = bytes_u32(&types);
		bytes_u32(&types);
		bytes_take(&types, btf_type_tail_size(info));
		if (!types.ok)
			return;
	}
}

const char *btf_name(const struct btf *btf, uint32_t type)
{
	struct bytes strings = btf->strings;
	const char *text;
	size_t left;

	if (!type || type > btf->names.n)
		return NULL;
	bytes_take(&strings, btf->names.at[type - 1]);
	left = bytes_left(&strings);
	text = bytes_take(&strings, left);
	return text && left && *text && memchr(text, '\0', left) ? text : NULL;
}

void btf_deinit(struct btf *btf)
{
	array_free(&btf->names);
}
