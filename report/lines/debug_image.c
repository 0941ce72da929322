/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_image.h"

#include <elf.h>

#define NAMES ".shstrtab"

void debug_image_init(struct debug_image *image, uint64_t base)
{
	*image = (struct debug_image){ .base = MAX(base,
					       (uint64_t)sizeof(Elf64_Ehdr)) };
	strbuf_putc(&image->names, '\0');
	array_push(&image->sections);
}

void debug_image_deinit(struct debug_image *image)
{
	strbuf_free(&image->bytes);
	strbuf_free(&image->names);
	array_free(&image->sections);
}

void debug_image_add_placed(struct debug_image *image, const char *name,
	uint64_t offset, uint64_t size)
{
	*array_push(&image->sections) =
		(struct debug_image_section){ (uint32_t)image->names.n, offset,
			size };
	strbuf_put(&image->names, name, strlen(name) + 1);
}

void debug_image_add(struct debug_image *image, const char *name,
	const void *at, size_t size)
{
	strbuf_align(&image->bytes, 8);
	debug_image_add_placed(image, name, image->base + image->bytes.n, size);
	strbuf_put(&image->bytes, at, size);
}

/* Adds the section of names, with its own name in it. */
static void add_names_section(struct debug_image *image)
{
	uint32_t own = (uint32_t)image->names.n;

	strbuf_put(&image->names, NAMES, sizeof(NAMES));
	*array_push(&image->sections) = (struct debug_image_section){ own,
		image->base + image->bytes.n, image->names.n };
	strbuf_put(&image->bytes, image->names.at, image->names.n);
}

static void put_section_headers(struct debug_image *image)
{
	size_t i;

	strbuf_align(&image->bytes, 8);
	for (i = 0; i < image->sections.n; i++) {
		const struct debug_image_section *at = &image->sections.at[i];
		Elf64_Shdr header = {
			.sh_name = at->name,
			.sh_type = !i			    ? SHT_NULL
				: i + 1 < image->sections.n ? SHT_PROGBITS
							    : SHT_STRTAB,
			.sh_offset = at->offset,
			.sh_size = at->size,
			.sh_addralign = 1,
		};

		strbuf_put(&image->bytes, &header, sizeof(header));
	}
}

static bool write_image_at(
	int fd, const void *data, size_t size, uint64_t offset)
{
	const char *at = data;

	while (size) {
		ssize_t n = pwrite(fd, at, size, (off_t)offset);

		if (n <= 0)
			return false;
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

bool debug_image_write(struct debug_image *image, int fd)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
								  : ELFDATA2MSB,
			EV_CURRENT },
		.e_type = ET_DYN,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	add_names_section(image);
	put_section_headers(image);
	header.e_shnum = (uint16_t)image->sections.n;
	header.e_shstrndx = (uint16_t)(image->sections.n - 1);
	header.e_shoff = image->base + image->bytes.n -
		image->sections.n * sizeof(Elf64_Shdr);
	return write_image_at(fd, &header, sizeof(header), 0) &&
		write_image_at(
			fd, image->bytes.at, image->bytes.n, image->base) &&
		ftruncate(fd, (off_t)(image->base + image->bytes.n)) == 0;
}
