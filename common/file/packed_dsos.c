/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/packed_dsos.h"

#include "common/file/symbols_section.h"
#include "common/maps/maps.h"
#include "common/util/array.h"

struct packed_dsos {
	struct strbuf section; /* memory to which .pieces point */
	struct symbols_section
		bundle; /* DSOs of the section, without symbols; paths are
		         * borrowed from .section */
	ARRAY(const void *)
	pieces; /* data of each DSO, by index in
	                             * .bundle.dsos */
};

static bool read_packed_entry(
	struct bytes *b, struct symbols_dso *dso, struct packed_entry *ret)
{
	uint32_t path_room;

	symbols_dso_take_identity(b, dso);
	path_room = bytes_u32(b);
	ret->size = bytes_u32(b);
	dso->pid = bytes_u32(b);
	bytes_u32(b);
	/* The path is borrowed from the section and must not be freed. */
	ret->path = (char *)bytes_text(b, ALIGN_UP((size_t)path_room, 8));
	ret->piece = (void *)bytes_take(b, ALIGN_UP((size_t)ret->size, 8));
	dso->path = ret->path;
	return b->ok;
}

struct packed_dsos *packed_dsos_read(
	struct strbuf *section, packed_is_valid *is_valid)
{
	struct packed_dsos *packed = xcalloc(1, sizeof(*packed));
	struct bytes b = bytes_of(section->at, section->n, false);
	uint32_t n = bytes_u32(&b), i;

	packed->section = *section;
	*section = (struct strbuf){ 0 };
	bytes_u32(&b);
	for (i = 0; i < n; i++) {
		struct symbols_dso dso = { 0 };
		struct packed_entry found;

		if (!read_packed_entry(&b, &dso, &found) ||
			!is_valid(found.piece, found.size))
			break;
		*array_push(&packed->bundle.dsos) = dso;
		*array_push(&packed->pieces) = found.piece;
	}
	symbols_section_index(&packed->bundle);
	return packed;
}

struct packed_dsos *packed_dsos_create(struct reader *reader, const char *name,
	uint32_t version, packed_is_valid *is_valid)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };

	return reader_section(reader, name, version, &section)
		? packed_dsos_read(&section, is_valid)
		: NULL;
}

void packed_dsos_destroy(struct packed_dsos *packed)
{
	if (!packed)
		return;
	array_free(&packed->bundle.dsos);
	array_free(&packed->pieces);
	hash_free(&packed->bundle.by_path);
	strbuf_free(&packed->section);
	free(packed);
}

const void *packed_dsos_find(const struct packed_dsos *packed,
	const struct dso *dso, const struct build_id *id)
{
	const struct symbols_dso *found =
		symbols_section_find(&packed->bundle, dso, id);

	return found ? packed->pieces.at[found - packed->bundle.dsos.at] : NULL;
}

void packed_dsos_begin(uint32_t n, struct strbuf *out)
{
	strbuf_put_u32(out, n);
	strbuf_put_u32(out, 0);
}

void packed_dsos_put(const struct dso *dso, const struct build_id *id,
	const void *piece, size_t size, struct strbuf *out)
{
	size_t path_room = strlen(dso->path) + 1;
	struct symbols_dso identity = { 0 };

	symbols_dso_identify(dso, id, &identity);
	symbols_dso_put_identity(&identity, out);
	strbuf_put_u32(out, (uint32_t)path_room);
	strbuf_put_u32(out, (uint32_t)size);
	strbuf_put_u32(out, identity.pid);
	strbuf_put_u32(out, 0);
	strbuf_put(out, dso->path, path_room);
	strbuf_align(out, 8);
	strbuf_put(out, piece, size);
	strbuf_align(out, 8);
}

bool packed_dsos_next(struct bytes *b, struct packed_entry *ret)
{
	struct symbols_dso dso = { 0 };

	return read_packed_entry(b, &dso, ret);
}
