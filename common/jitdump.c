/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/jitdump.h"

#include <errno.h>

#include "common/alloc.h"
#include "common/bytes.h"

#define MAGIC 0x4a695444u
#define DUMP_VERSION 1u
#define HEADER_SIZE 40u
#define FLAG_ARCH_TIMESTAMP UINT64_C(1)
#define PREFIX_SIZE 16u
#define CODE_LOAD_SIZE 40u /* after the prefix, before the name */
#define CODE_MOVE_SIZE 48u
#define UNWINDING_HEAD_SIZE 24u
/* A bound for hostile files: real ones have some 100,000 records. */
#define RECORDS_MAX 16000000u

enum record_id {
	CODE_LOAD = 0,
	CODE_MOVE = 1,
	CODE_CLOSE = 3,
	CODE_UNWINDING = 4,
};

struct jitdump {
	int fd;
	uint64_t header_size, flags;
	uint64_t at; /* file offset of the next record */
	uint32_t n_records;
	/* What the next code is unwound by. */
	uint64_t unwinding_at;
	uint32_t unwinding_size, unwinding_header_size;
};

/* Up to SIZE bytes of what is at OFFSET. */
static size_t read_at(int fd, uint64_t offset, void *data, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, data, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? 0 : (size_t)n;
}

struct jitdump *jitdump_open(int fd)
{
	uint8_t raw[HEADER_SIZE];
	struct bytes b = bytes_of(raw, read_at(fd, 0, raw, sizeof(raw)), false);
	uint32_t magic = bytes_u32(&b), version = bytes_u32(&b);
	struct jitdump *dump;

	if (!b.ok || magic != MAGIC || version != DUMP_VERSION)
		return NULL;
	dump = xcalloc(1, sizeof(*dump));
	dump->fd = fd;
	dump->header_size = bytes_u32(&b);
	bytes_take(&b, 20); /* machine, pad, pid, timestamp */
	dump->flags = bytes_u64(&b);
	if (b.ok && dump->header_size >= HEADER_SIZE) {
		jitdump_rewind(dump);
		return dump;
	}
	jitdump_close(dump);
	return NULL;
}

void jitdump_close(struct jitdump *dump)
{
	free(dump);
}

bool jitdump_is_monotonic(const struct jitdump *dump)
{
	return !(dump->flags & FLAG_ARCH_TIMESTAMP);
}

void jitdump_rewind(struct jitdump *dump)
{
	dump->at = dump->header_size;
	dump->n_records = 0;
	dump->unwinding_size = 0;
}

static void read_load(struct bytes *b, struct jitdump_code *ret)
{
	size_t n;

	bytes_take(b, 16); /* pid, tid, vma */
	ret->start = bytes_u64(b);
	ret->size = bytes_u64(b);
	ret->index = bytes_u64(b);
	n = b->ok ? strnlen((const char *)b->at, bytes_left(b)) : 0;
	n = MIN(n, (size_t)JITDUMP_NAME_MAX - 1);
	memcpy(ret->name, b->at, n);
	ret->name[n] = '\0';
}

static void read_move(struct bytes *b, struct jitdump_code *ret)
{
	bytes_take(b, 24); /* pid, tid, vma, old address */
	ret->start = bytes_u64(b);
	ret->size = bytes_u64(b);
	ret->index = bytes_u64(b);
	ret->name[0] = '\0';
}

/* At AT of the file; B is behind its prefix, of SIZE bytes in all. */
static void read_unwinding(
	struct jitdump *dump, struct bytes *b, uint64_t at, uint32_t size)
{
	uint64_t n = bytes_u64(b), header = bytes_u64(b);

	dump->unwinding_size = 0;
	if (!b->ok || n > JITDUMP_UNWINDING_MAX || header > n ||
		size < PREFIX_SIZE + UNWINDING_HEAD_SIZE + n)
		return;
	dump->unwinding_at = at + PREFIX_SIZE + UNWINDING_HEAD_SIZE;
	dump->unwinding_size = (uint32_t)n;
	dump->unwinding_header_size = (uint32_t)header;
}

/* A code takes what stood before it. */
static void take_unwinding(struct jitdump *dump, struct jitdump_code *ret)
{
	ret->unwinding_at = dump->unwinding_at;
	ret->unwinding_size = ret->is_moved ? 0 : dump->unwinding_size;
	ret->unwinding_header_size = dump->unwinding_header_size;
	if (!ret->is_moved)
		dump->unwinding_size = 0;
}

uint8_t *jitdump_unwinding(const struct jitdump *dump,
	const struct jitdump_code *code, size_t *size_ret)
{
	size_t size = code->unwinding_size - code->unwinding_header_size;
	uint8_t *bytes;

	*size_ret = size;
	if (!code->unwinding_size || !size)
		return NULL;
	bytes = xmalloc(size);
	if (read_at(dump->fd, code->unwinding_at, bytes, size) == size)
		return bytes;
	free(bytes);
	return NULL;
}

/* False if the record in B is not about code. */
static bool read_code(struct bytes *b, uint32_t id, struct jitdump_code *ret)
{
	uint64_t end;

	ret->is_moved = id == CODE_MOVE;
	if (id == CODE_LOAD)
		read_load(b, ret);
	else if (id == CODE_MOVE)
		read_move(b, ret);
	else
		return false;
	return b->ok && ret->size &&
		!__builtin_add_overflow(ret->start, ret->size, &end);
}

bool jitdump_next(struct jitdump *dump, struct jitdump_code *ret)
{
	uint8_t raw[PREFIX_SIZE + CODE_MOVE_SIZE + JITDUMP_NAME_MAX];

	while (dump->n_records++ < RECORDS_MAX) {
		size_t n = read_at(dump->fd, dump->at, raw, sizeof(raw));
		struct bytes b = bytes_of(raw, n, false);
		uint32_t id = bytes_u32(&b), size = bytes_u32(&b);

		ret->time = bytes_u64(&b);
		if (!b.ok || size < PREFIX_SIZE || id == CODE_CLOSE)
			return false;
		b.end = MIN(b.end, raw + size);
		if (id == CODE_UNWINDING)
			read_unwinding(dump, &b, dump->at, size);
		dump->at += size;
		if (read_code(&b, id, ret)) {
			take_unwinding(dump, ret);
			return true;
		}
	}
	return false;
}
