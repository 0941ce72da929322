/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/jit/jitdump.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/bytes.h"

#define MAGIC 0x4a695444u
#define DUMP_VERSION 1u
#define HEADER_SIZE 40u
#define FLAG_ARCH_TIMESTAMP UINT64_C(1)
#define PREFIX_SIZE 16u
#define CODE_LOAD_SIZE 40u /* after the record prefix, before the name */
#define CODE_MOVE_SIZE 48u
#define UNWINDING_HEAD_SIZE 24u
#define DEBUG_HEAD_SIZE 16u
/*
 * Limit of records, for hostile files. Real files have about 100,000 records.
 */
#define RECORDS_MAX 16000000u

enum record_id {
	CODE_LOAD = 0,
	CODE_MOVE = 1,
	CODE_DEBUG = 2,
	CODE_CLOSE = 3,
	CODE_UNWINDING = 4,
};

struct jitdump {
	int fd;
	uint32_t machine;
	uint64_t header_size, flags;
	uint64_t at; /* file offset of the next record */
	uint32_t n_records;
	uint64_t n_names;
	/*
	 * Unwinding and debug information from the records before the next
	 * code.
	 */
	struct jitdump_unwinding unwinding;
	struct jitdump_debug debug;
};

/*
 * Reads up to SIZE bytes of FD at OFFSET into DATA. Returns the number of bytes
 * read.
 */
static size_t pread_jitdump(int fd, uint64_t offset, void *data, size_t size)
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
	struct bytes b =
		bytes_of(raw, pread_jitdump(fd, 0, raw, sizeof(raw)), false);
	uint32_t magic = bytes_u32(&b), version = bytes_u32(&b);
	struct jitdump *dump;

	if (!b.ok || magic != MAGIC || version != DUMP_VERSION)
		return NULL;
	dump = xcalloc(1, sizeof(*dump));
	dump->fd = fd;
	dump->header_size = bytes_u32(&b);
	dump->machine = bytes_u32(&b);
	bytes_take(&b, 16); /* pad, pid, timestamp */
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

bool jitdump_has_times(
	const struct jitdump *dump, const struct jitdump_clock *clock)
{
	return jitdump_is_monotonic(dump)
		? clock->is_monotonic
		: jitdump_ticks_are_known(&clock->ticks);
}

uint64_t jitdump_time(const struct jitdump *dump,
	const struct jitdump_clock *clock, uint64_t time)
{
	if (!jitdump_is_monotonic(dump))
		return jitdump_ticks_to_ns(&clock->ticks, time);
	return clock->is_monotonic ? time : 0;
}

unsigned jitdump_machine(const struct jitdump *dump)
{
	return dump->machine;
}

static void clear_pending(struct jitdump *dump)
{
	dump->unwinding = (struct jitdump_unwinding){ 0 };
	dump->debug = (struct jitdump_debug){ 0 };
}

void jitdump_rewind(struct jitdump *dump)
{
	dump->at = dump->header_size;
	dump->n_records = 0;
	dump->n_names = 0;
	clear_pending(dump);
}

static void copy_jit_name(const struct bytes *b, char name[JITDUMP_NAME_MAX])
{
	size_t n = strnlen((const char *)b->at,
		MIN(bytes_left(b), (size_t)JITDUMP_NAME_MAX - 1));

	memcpy(name, b->at, n);
	name[n] = '\0';
}

void jitdump_name(const struct jitdump *dump, uint64_t name_at,
	char name[JITDUMP_NAME_MAX])
{
	char raw[JITDUMP_NAME_MAX];
	const struct bytes b = bytes_of(raw,
		name_at ? pread_jitdump(dump->fd, name_at, raw, sizeof(raw))
			: 0,
		false);

	copy_jit_name(&b, name);
}

size_t jitdump_read(
	const struct jitdump *dump, uint64_t at, void *out, size_t size)
{
	return pread_jitdump(dump->fd, at, out, size);
}

uint8_t *jitdump_unwinding(const struct jitdump *dump,
	const struct jitdump_unwinding *unwinding, size_t *size_ret)
{
	size_t size = unwinding->size - unwinding->header_size;
	uint8_t *bytes;

	*size_ret = size;
	if (!size)
		return NULL;
	bytes = xmalloc(size);
	if (pread_jitdump(dump->fd, unwinding->at, bytes, size) == size)
		return bytes;
	free(bytes);
	return NULL;
}

/* A file name of this single byte repeats the name of the entry before. */
#define DEBUG_SAME_NAME "\xff"

bool jitdump_line(const struct jitdump *dump, const struct jitdump_debug *debug,
	uint64_t address, struct strbuf *file, uint32_t *line_ret)
{
	_cleanup_free_ uint8_t *raw = xmalloc((size_t)debug->size + 1);
	struct bytes b = bytes_of(raw,
		pread_jitdump(dump->fd, debug->at, raw, debug->size), false);
	const char *name = "", *found = NULL;
	uint64_t best = 0;

	raw[debug->size] = '\0';
	for (;;) {
		uint64_t at = bytes_u64(&b);
		uint32_t line = bytes_u32(&b);
		const char *text;

		bytes_u32(&b); /* discriminator */
		text = bytes_string(&b);
		if (!b.ok)
			break;
		/*
		 * Node.js 20 writes file names from freed memory, so some of
		 * their bytes are random. Ignore the debug information after
		 * such a name.
		 */
		for (const char *c = text; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				return false;
		if (!string_is(text, DEBUG_SAME_NAME))
			name = text;
		if (at > address || (found && at < best))
			continue;
		best = at;
		found = name;
		*line_ret = line;
	}
	if (found)
		strbuf_puts(file, found);
	return found;
}

/*
 * Returns false if the record in B is not a valid JIT_CODE_LOAD or
 * JIT_CODE_MOVE.
 */
static bool read_code_record(
	struct bytes *b, uint32_t id, struct jitdump_code *ret)
{
	uint64_t end;

	ret->is_moved = id == CODE_MOVE;
	if (id == CODE_LOAD) {
		bytes_take(b, 16); /* pid, tid, vma */
		ret->start = bytes_u64(b);
		ret->size = bytes_u64(b);
		ret->index = bytes_u64(b);
		copy_jit_name(b, ret->name);
	} else if (id == CODE_MOVE) {
		bytes_take(b, 24); /* pid, tid, vma, old address */
		ret->start = bytes_u64(b);
		ret->size = bytes_u64(b);
		ret->index = bytes_u64(b);
		ret->name[0] = '\0';
	} else {
		return false;
	}
	return b->ok && ret->size &&
		!__builtin_add_overflow(ret->start, ret->size, &end);
}

/*
 * Returns false if the file ends before the end of the record at dump->at,
 * which has SIZE bytes. The writer may be writing the record, or may have died
 * while writing.
 */
static bool is_whole_jit_record(const struct jitdump *dump, uint32_t size)
{
	struct stat file;

	return fstat(dump->fd, &file) == 0 && file.st_size >= 0 &&
		dump->at <= (uint64_t)file.st_size &&
		size <= (uint64_t)file.st_size - dump->at;
}

struct jitdump_end jitdump_end(const struct jitdump *dump)
{
	struct jitdump_end end = { JITDUMP_EMPTY, dump->at, dump->n_names };
	uint8_t raw[PREFIX_SIZE];
	size_t n = pread_jitdump(dump->fd, dump->at, raw, sizeof(raw));
	struct bytes b = bytes_of(raw, n, false);
	uint32_t id = bytes_u32(&b), size = bytes_u32(&b);

	if (n && n < sizeof(raw))
		end.ending = JITDUMP_CUT;
	else if (n && size < PREFIX_SIZE)
		end.ending = JITDUMP_DAMAGED;
	else if (n && id != CODE_CLOSE && !is_whole_jit_record(dump, size))
		end.ending = JITDUMP_CUT;
	else if (dump->n_names)
		end.ending = JITDUMP_WHOLE;
	return end;
}

void jitdump_end_put(const struct jitdump_end *end, struct strbuf *out)
{
	switch (end->ending) {
	case JITDUMP_WHOLE: return;
	case JITDUMP_EMPTY: strbuf_puts(out, "the file ends"); break;
	case JITDUMP_NO_HEADER: strbuf_puts(out, "invalid header"); break;
	case JITDUMP_CUT: strbuf_puts(out, "incomplete record"); break;
	case JITDUMP_DAMAGED:
		strbuf_puts(out, "record with an invalid size");
		break;
	}
	strbuf_printf(out, " at offset 0x%" PRIx64, end->at);
	strbuf_printf(out, "; names that were read: %" PRIu64, end->n_names);
}

bool jitdump_next(struct jitdump *dump, struct jitdump_code *ret)
{
	uint8_t raw[PREFIX_SIZE + CODE_MOVE_SIZE + JITDUMP_NAME_MAX];

	while (dump->n_records < RECORDS_MAX) {
		size_t n = pread_jitdump(dump->fd, dump->at, raw, sizeof(raw));
		struct bytes b = bytes_of(raw, n, false);
		uint32_t id = bytes_u32(&b), size = bytes_u32(&b);

		ret->time = bytes_u64(&b);
		if (!b.ok || size < PREFIX_SIZE || id == CODE_CLOSE ||
			!is_whole_jit_record(dump, size))
			return false;
		b.end = raw + MIN(n, (size_t)size);
		if (id == CODE_UNWINDING) {
			uint64_t all = bytes_u64(&b), header = bytes_u64(&b);

			dump->unwinding = (struct jitdump_unwinding){ 0 };
			if (b.ok && all <= JITDUMP_UNWINDING_MAX &&
				header <= all &&
				size >= PREFIX_SIZE + UNWINDING_HEAD_SIZE + all)
				dump->unwinding = (struct jitdump_unwinding){
					dump->at + PREFIX_SIZE +
						UNWINDING_HEAD_SIZE,
					(uint32_t)all, (uint32_t)header
				};
		}
		if (id == CODE_DEBUG) {
			dump->debug = (struct jitdump_debug){ 0 };
			if (size >= PREFIX_SIZE + DEBUG_HEAD_SIZE &&
				size <= JITDUMP_DEBUG_MAX)
				dump->debug = (struct jitdump_debug){ dump->at +
						PREFIX_SIZE + DEBUG_HEAD_SIZE,
					size - PREFIX_SIZE - DEBUG_HEAD_SIZE };
		}
		ret->name_at = id == CODE_LOAD
			? dump->at + PREFIX_SIZE + CODE_LOAD_SIZE
			: 0;
		dump->at += size;
		dump->n_records++;
		if (read_code_record(&b, id, ret)) {
			/* What preceded a JIT_CODE_LOAD belongs to it. */
			ret->unwinding = (struct jitdump_unwinding){ 0 };
			ret->debug = (struct jitdump_debug){ 0 };
			if (!ret->is_moved) {
				ret->unwinding = dump->unwinding;
				ret->debug = dump->debug;
				clear_pending(dump);
			}
			dump->n_names += id == CODE_LOAD;
			/* The code bytes are the last bytes of the record. */
			ret->code_at = ret->name_at &&
					ret->size < dump->at - ret->name_at
				? dump->at - ret->size
				: 0;
			return true;
		}
	}
	return false;
}
