/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of source lines. Reads lines and inlined functions of any bytes
 * as an ELF file, if dwell's checks pass the file to libdw; and reads the bytes
 * as a packed index of a unit.
 */
#include "config.h"

#include <sys/mman.h>

#include "common/util/alloc.h"
#include "report/lines/line_source.h"

#define INPUT_MAX KIB(256)
#define PROBES 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_unit(const uint8_t *data, size_t size)
{
	_cleanup_free_ struct line_unit *unit = xmalloc(size);
	struct line_frame frames[LINE_DEPTH_MAX];
	uint64_t i;

	memcpy(unit, data, size);
	if (!line_unit_is_sound(unit, size))
		return;
	for (i = 0; i < PROBES; i++)
		line_unit_frames(unit, unit->base + i, frames);
}

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static void read_file(const uint8_t *data, size_t size)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	struct dwarf_line_files files = { 0 };
	struct line_source *source;
	uint64_t start, end, i;
	struct error *err =
		elf_file_open(file_of(data, size), "lines", &files.code);

	if (err) {
		error_free(err);
		return;
	}
	if (!elf_file_code(files.code, &start, &end))
		start = end = 0;
	source = line_source_create(&files, NULL);
	for (i = 0; i < PROBES; i++)
		line_source_frames(
			source, start + (end - start) / PROBES * i, frames);
	line_source_destroy(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < sizeof(struct line_unit) || size > INPUT_MAX)
		return 0;
	read_unit(data, size);
	read_file(data, size);
	return 0;
}
