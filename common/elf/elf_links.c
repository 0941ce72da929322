/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the references of an ELF file to its debug files. */
#include "config.h"

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"

/* The polynomial of CRC-32, bits reversed; checksum of .gnu_debuglink. */
#define CRC_POLYNOMIAL 0xedb88320u

/* Returns the string at the start of SECTION. B continues behind the string. */
static const char *link_name(
	struct elf_file *file, const char *section, struct bytes *b)
{
	struct elf_section found;
	const char *name;

	if (!elf_file_section(file, section, LINK_SIZE_MAX, &found))
		return NULL;
	*b = bytes_of(found.at, found.size, false);
	name = bytes_string(b);
	return b->ok && *name ? name : NULL;
}

const char *elf_file_debuglink(struct elf_file *file, uint32_t *crc_ret)
{
	struct bytes b;
	const char *name = link_name(file, ".gnu_debuglink", &b);

	if (!name)
		return NULL;
	bytes_take(&b, ALIGN_UP(strlen(name) + 1, 4) - strlen(name) - 1);
	*crc_ret = bytes_u32(&b);
	return b.ok ? name : NULL;
}

const char *elf_file_altlink(struct elf_file *file, struct build_id *id_ret)
{
	struct bytes b;
	const char *name = link_name(file, ".gnu_debugaltlink", &b);
	size_t size = name ? bytes_left(&b) : 0;

	memset(id_ret, 0, sizeof(*id_ret));
	if (!size || size > BUILD_ID_MAX)
		return NULL;
	id_ret->size = (uint8_t)size;
	memcpy(id_ret->bytes, bytes_take(&b, size), size);
	return name;
}

static void make_crc_table(uint32_t *table)
{
	uint32_t i, bit;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^
				(table[i] & 1 ? CRC_POLYNOMIAL : 0);
	}
}

bool elf_file_has_crc(struct elf_file *file, uint32_t wanted)
{
	uint32_t table[256], crc = UINT32_MAX;
	uint8_t part[KIB(16)];
	off_t at = 0;
	ssize_t n, i;

	make_crc_table(table);
	while ((n = pread(file->fd, part, sizeof(part), at)) > 0) {
		for (i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ part[i]) & 0xff];
		at += n;
	}
	return n == 0 && ~crc == wanted;
}
