/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feature sections about files: build IDs of mapped files, and the format of
 * the recording.
 */
#include "config.h"

#include "common/file/feature_private.h"

#include <inttypes.h>

/*
 * Limit of a path in a BUILD_ID record. The record's size, which is 36 bytes
 * plus the path padded to FEATURE_TEXT_ALIGN, then fits a u16.
 */
#define BUILD_ID_PATH_MAX ((size_t)65471)

/*
 * The section BUILD_ID is a sequence of BUILD_ID records with a header.type of
 * 0 or 67.
 */
bool feature_read_build_ids(struct features *f, struct bytes *b)
{
	const size_t fixed = RECORD_HEADER_SIZE + 4 + 24;

	while (b->ok && bytes_left(b) >= fixed) {
		struct feature_build_id *entry;
		uint16_t misc, size;
		const uint8_t *id;
		const char *path;
		uint32_t pid;

		bytes_u32(b);
		misc = bytes_u16(b);
		size = bytes_u16(b);
		pid = bytes_u32(b);
		id = bytes_take(b, 24);
		if (size < fixed)
			return false;
		path = bytes_take(b, size - fixed);
		if (!path)
			return false;
		entry = array_push(&f->build_ids);
		entry->pid = pid;
		entry->cpumode = misc & MISC_CPUMODE;
		entry->id.size = BUILD_ID_MAX;
		if (misc & MISC_BUILD_ID_SIZE)
			entry->id.size = MIN(id[20], (uint8_t)BUILD_ID_MAX);
		memcpy(entry->id.bytes, id, BUILD_ID_MAX);
		entry->path = xstrndup(path, size - fixed);
	}
	return b->ok;
}

void feature_write_build_ids(const struct features *f, struct strbuf *out)
{
	array_each(&f->build_ids, entry) {
		size_t length = MIN(strlen(entry->path), BUILD_ID_PATH_MAX);
		size_t room = ALIGN_UP(length + 1, FEATURE_TEXT_ALIGN);

		strbuf_put_u32(out, 0);
		strbuf_put_u16(out, entry->cpumode | MISC_BUILD_ID_SIZE);
		strbuf_put_u16(out, (uint16_t)(36 + room));
		strbuf_put_u32(out, entry->pid);
		strbuf_put(out, entry->id.bytes, BUILD_ID_MAX);
		strbuf_put_u32(out, 0);
		out->at[out->n - 4] = (char)entry->id.size;
		strbuf_put(out, entry->path, length);
		strbuf_fill(out, 0, room - length);
	}
}

bool feature_read_compressed(struct features *f, struct bytes *b)
{
	if (bytes_u32(b) != 0 || bytes_u32(b) != 1)
		return false;
	f->compression_level = bytes_u32(b);
	f->compression_ratio = bytes_u32(b);
	f->mmap_len = bytes_u32(b);
	return b->ok;
}

void feature_write_compressed(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, 0); /* version */
	strbuf_put_u32(out, 1); /* zstd */
	strbuf_put_u32(out, f->compression_level);
	strbuf_put_u32(out, f->compression_ratio);
	strbuf_put_u32(out, f->mmap_len);
}

void feature_print_compressed(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# compressed : Zstd, level = %u, ratio = %u\n",
		f->compression_level, f->compression_ratio);
}

bool feature_read_dir_format(struct features *f, struct bytes *b)
{
	f->dir_version = bytes_u64(b);
	return b->ok;
}

void feature_print_dir_format(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# directory data version : %" PRIu64 "\n",
		f->dir_version);
}

/*
 * Writes nothing: the section BRANCH_STACK has no content, its presence is the
 * information.
 */
void feature_write_branches(
	const struct features *f _unused_, struct strbuf *out _unused_)
{
}

void feature_print_branches(const struct features *f _unused_, struct strbuf *o)
{
	strbuf_puts(o, "# contains samples with branch stack\n");
}

void feature_print_auxtrace(const struct features *f _unused_, struct strbuf *o)
{
	strbuf_puts(o, "# contains AUX area data (e.g. instruction trace)\n");
}

void feature_print_stat(const struct features *f _unused_, struct strbuf *o)
{
	strbuf_puts(o, "# contains stat data\n");
}

/* --- simpleperf's sections ------------------------------------------------ */

/* Prints META_INFO, in which NUL-terminated names and values alternate. */
void feature_print_meta_info(const struct features *f, struct strbuf *o)
{
	struct bytes b = feature_kept(&f->meta_info);

	while (bytes_left(&b)) {
		const char *name = bytes_string(&b);
		const char *value = bytes_string(&b);

		if (!b.ok)
			return;
		strbuf_printf(o, "# %s : ", name);
		for (; *value; value++)
			strbuf_putc(o, *value == '\n' ? ' ' : *value);
		strbuf_putc(o, '\n');
	}
}
