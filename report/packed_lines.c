/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/packed_lines.h"

#include "common/bundle.h"
#include "common/hash.h"
#include "common/maps.h"

#define ENTRY_FIXED 40u /* bytes of a DSO before its path */

struct packed_lines {
	struct strbuf section; /* that the units lie in */
	ARRAY(struct entry {
		struct bundle_dso dso; /* its path is borrowed */
		uint32_t pid;
		const struct line_unit *unit;
	}) entries;
	struct hash_index by_path;
};

/* Memory without a file is each process's own. */
static uint32_t pid_of(const struct dso *dso)
{
	return maps_is_anonymous(dso->path) ? dso->pid : 0;
}

static bool read_entry(struct bytes *b, struct entry *entry)
{
	uint32_t path_room, size;

	bundle_take_identity(b, &entry->dso);
	path_room = bytes_u32(b);
	size = bytes_u32(b);
	entry->pid = bytes_u32(b);
	bytes_u32(b);
	/* Nobody frees it. */
	entry->dso.path =
		(char *)bytes_text(b, ALIGN_UP((size_t)path_room, 8));
	entry->unit = bytes_take(b, ALIGN_UP((size_t)size, 8));
	return b->ok && line_unit_is_sound(entry->unit, size);
}

struct packed_lines *packed_lines_read(struct strbuf *section)
{
	struct packed_lines *packed = xcalloc(1, sizeof(*packed));
	struct bytes b = bytes_of(section->at, section->n, false);
	uint32_t n = bytes_u32(&b), i;

	packed->section = *section;
	*section = (struct strbuf){ 0 };
	bytes_u32(&b);
	for (i = 0; i < n && b.ok && bytes_left(&b) >= ENTRY_FIXED; i++) {
		struct entry entry = { 0 };

		if (!read_entry(&b, &entry))
			break;
		*array_push(&packed->entries) = entry;
		hash_insert(&packed->by_path, hash_string(entry.dso.path), i);
	}
	return packed;
}

struct packed_lines *packed_lines_create(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };

	return reader_section(reader, SECTION_LINES, PACKED_LINES_VERSION,
		       &section)
		? packed_lines_read(&section)
		: NULL;
}

void packed_lines_destroy(struct packed_lines *packed)
{
	if (!packed)
		return;
	array_free(&packed->entries);
	hash_free(&packed->by_path);
	strbuf_free(&packed->section);
	free(packed);
}

const struct line_unit *packed_lines_find(const struct packed_lines *packed,
	const struct dso *dso, const struct build_id *id)
{
	uint64_t hash = hash_string(dso->path);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&packed->by_path, hash, &probe)) != HASH_NONE) {
		const struct entry *entry = &packed->entries.at[i];

		if (entry->pid == pid_of(dso) &&
			bundle_is_of(&entry->dso, dso, id))
			return entry->unit;
	}
	return NULL;
}

void packed_lines_begin(uint32_t n, struct strbuf *out)
{
	strbuf_put_u32(out, n);
	strbuf_put_u32(out, 0);
}

void packed_lines_put(const struct dso *dso, const struct build_id *id,
	const struct line_unit *unit, struct strbuf *out)
{
	size_t path_room = strlen(dso->path) + 1, size = line_unit_size(unit);
	struct bundle_dso identity = { 0 };

	bundle_identify(dso, id, &identity);
	bundle_put_identity(&identity, out);
	strbuf_put_u32(out, (uint32_t)path_room);
	strbuf_put_u32(out, (uint32_t)size);
	strbuf_put_u32(out, pid_of(dso));
	strbuf_put_u32(out, 0);
	strbuf_put(out, dso->path, path_room);
	strbuf_align(out, 8);
	strbuf_put(out, unit, size);
	strbuf_align(out, 8);
}
