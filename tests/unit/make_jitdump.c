/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/make_jitdump.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void put_prefix(
	struct strbuf *out, uint32_t id, size_t size, uint64_t time)
{
	strbuf_put_u32(out, id);
	strbuf_put_u32(out, (uint32_t)(16 + size));
	strbuf_put_u64(out, time);
}

void make_jitdump_head(struct strbuf *out, uint64_t flags)
{
	strbuf_put_u32(out, 0x4a695444);
	strbuf_put_u32(out, 1);
	strbuf_put_u32(out, 40);
	strbuf_put_u32(out, EM_X86_64);
	strbuf_fill(out, 0, 16);
	strbuf_put_u64(out, flags);
}

void make_jitdump_load(struct strbuf *out, const struct made_code *code)
{
	put_prefix(
		out, 0, 40 + strlen(code->name) + 1 + code->size, code->time);
	strbuf_fill(out, 0, 16);
	strbuf_put_u64(out, code->start);
	strbuf_put_u64(out, code->size);
	strbuf_put_u64(out, code->index);
	strbuf_put(out, code->name, strlen(code->name) + 1);
	strbuf_fill(out, (char)(0x90 + code->index), code->size);
}

void make_jitdump_move(struct strbuf *out, const struct made_code *code)
{
	put_prefix(out, 1, 48, code->time);
	strbuf_fill(out, 0, 24);
	strbuf_put_u64(out, code->start);
	strbuf_put_u64(out, code->size);
	strbuf_put_u64(out, code->index);
}

void make_jitdump_rules(struct strbuf *out, uint64_t size, uint8_t words)
{
	static const uint8_t cie[] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0,
		1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0 };
	const uint8_t program[] = { 0, 0x0e, (uint8_t)(words * 8), 0, 0, 0, 0 };
	uint64_t n = sizeof(cie) + 24;

	put_prefix(out, 4, 24 + n, 0);
	strbuf_put_u64(out, n);
	strbuf_put_u64(out, 0);
	strbuf_put_u64(out, 0);
	strbuf_put(out, cie, sizeof(cie));
	strbuf_put_u32(out, 20);
	strbuf_put_u32(out, 28);
	/* The code, padded to a multiple of 8, is directly before the CIE. */
	strbuf_put_u32(out, 0u - (uint32_t)(ALIGN_UP(size, 8) + 32));
	strbuf_put_u32(out, (uint32_t)size);
	strbuf_fill(out, 0, 1);
	strbuf_put(out, program, sizeof(program));
}

void make_jitdump_lines(
	struct strbuf *out, const struct made_line *lines, size_t n)
{
	size_t size = 16, i;

	for (i = 0; i < n; i++)
		size += 16 + strlen(lines[i].file) + 1;
	put_prefix(out, 2, size, 0);
	strbuf_put_u64(out, 0);
	strbuf_put_u64(out, n);
	for (i = 0; i < n; i++) {
		strbuf_put_u64(out, lines[i].address);
		strbuf_put_u32(out, lines[i].line);
		strbuf_put_u32(out, 0);
		strbuf_put(out, lines[i].file, strlen(lines[i].file) + 1);
	}
}

int make_jitdump_file(const struct strbuf *text)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text->at, text->n) != (ssize_t)text->n)
		abort();
	return fd;
}
