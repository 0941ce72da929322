/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/symbols_section.h"

#include <elf.h>

#include "common/maps/maps.h"
#include "common/util/alloc.h"

#define DSO_FIXED 36u   /* bytes of a DSO's entry before its path */
#define SYMBOL_FIXED 16u
/* Flags in the size of a symbol. */
#define SYMBOL_GUESSED (UINT64_C(1) << 63)
#define SYMBOL_OTHER_NAME (UINT64_C(1) << 62)
#define SYMBOL_SIZE_MAX (SYMBOL_OTHER_NAME - 1)

void symbols_section_deinit(struct symbols_section *section)
{
	array_each(&section->dsos, dso) {
		free(dso->path);
		symtab_deinit(&dso->symbols);
		symtab_deinit(&dso->guesses);
	}
	array_free(&section->dsos);
	hash_free(&section->by_path);
}

void symbols_dso_put_identity(const struct symbols_dso *dso, struct strbuf *out)
{
	strbuf_put_u8(out, dso->build_id.size);
	strbuf_put_u8(out, dso->flags);
	strbuf_put_u16(out, 0);
	if (!(dso->flags & SYMBOLS_DSO_HAS_INODE)) {
		strbuf_put(out, dso->build_id.bytes, BUILD_ID_MAX);
		return;
	}
	strbuf_put_u32(out, dso->major);
	strbuf_put_u32(out, dso->minor);
	strbuf_put_u64(out, dso->inode);
	strbuf_put_u32(out, dso->generation);
}

void symbols_dso_take_identity(struct bytes *b, struct symbols_dso *ret)
{
	uint8_t size = bytes_u8(b);
	const uint8_t *id;
	struct bytes inode;

	ret->flags = bytes_u8(b);
	bytes_u16(b);
	inode = *b;
	id = bytes_take(b, BUILD_ID_MAX);
	if (!b->ok)
		return;
	if (!(ret->flags & SYMBOLS_DSO_HAS_INODE)) {
		ret->build_id.size = MIN(size, (uint8_t)BUILD_ID_MAX);
		memcpy(ret->build_id.bytes, id, BUILD_ID_MAX);
		return;
	}
	ret->major = bytes_u32(&inode);
	ret->minor = bytes_u32(&inode);
	ret->inode = bytes_u64(&inode);
	ret->generation = bytes_u32(&inode);
}

/*
 * Returns the process of DSO if DSO is memory without a file, which is a
 * separate DSO in each process. Returns 0 for other DSOs.
 */
static uint32_t symbols_pid_of(const struct dso *dso)
{
	return maps_is_anonymous(dso->path) ? dso->pid : 0;
}

void symbols_dso_identify(const struct dso *dso, const struct build_id *id,
	struct symbols_dso *ret)
{
	ret->build_id = *id;
	ret->pid = symbols_pid_of(dso);
	if (id->size || !dso->inode)
		return;
	ret->flags |= SYMBOLS_DSO_HAS_INODE;
	ret->major = dso->major;
	ret->minor = dso->minor;
	ret->inode = dso->inode;
	ret->generation = (uint32_t)dso->generation;
}

static bool is_same_dso_inode(
	const struct symbols_dso *entry, const struct dso *dso)
{
	return !(entry->flags & SYMBOLS_DSO_HAS_INODE) ||
		(entry->inode == dso->inode &&
			entry->generation == (uint32_t)dso->generation &&
			entry->major == dso->major &&
			entry->minor == dso->minor);
}

static bool is_symbols_of(const struct symbols_dso *entry,
	const struct dso *dso, const struct build_id *id)
{
	return string_is(entry->path, dso->path) &&
		entry->pid == symbols_pid_of(dso) &&
		(entry->is_by_path ||
			(build_id_equal(&entry->build_id, id) &&
				is_same_dso_inode(entry, dso)));
}

void symbols_section_index(struct symbols_section *section)
{
	uint32_t i;

	for (i = 0; i < section->dsos.n; i++)
		hash_insert(&section->by_path,
			hash_string(section->dsos.at[i].path), i);
}

struct symbols_dso *symbols_section_find(const struct symbols_section *section,
	const struct dso *dso, const struct build_id *id)
{
	uint64_t hash = hash_string(dso->path);
	uint32_t found = HASH_NONE;

	hash_each_match(&section->by_path, hash, i)
		if (i < found && is_symbols_of(&section->dsos.at[i], dso, id))
			found = i;
	return found == HASH_NONE ? NULL : &section->dsos.at[found];
}

/*
 * Appends the symbols of TABLE to SYMBOLS, with FLAG in their sizes, and their names to
 * NAMES.
 */
static void put_symbols(const struct symtab *table, uint64_t flag,
	struct strbuf *symbols, struct strbuf *names)
{
	array_each(&table->symbols, symbol) {
		const char *name = symtab_name(table, symbol);

		strbuf_put_u64(symbols, symbol->start);
		strbuf_put_u64(symbols,
			MIN(symbol->end - symbol->start, SYMBOL_SIZE_MAX) |
				flag);
		strbuf_put(names, name, strlen(name) + 1);
	}
}

static void put_other_names(const struct symtab *table, struct strbuf *symbols,
	struct strbuf *names)
{
	array_each(&table->others, other) {
		const char *name = table->names.at + other->name;

		strbuf_put_u64(symbols, other->start);
		strbuf_put_u64(symbols, SYMBOL_OTHER_NAME);
		strbuf_put(names, name, strlen(name) + 1);
	}
}

static void write_symbols_dso(const struct symbols_dso *dso, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf symbols = { 0 }, names = { 0 };
	size_t path_room = strlen(dso->path) + 1;

	put_symbols(&dso->symbols, 0, &symbols, &names);
	put_other_names(&dso->symbols, &symbols, &names);
	put_symbols(&dso->guesses, SYMBOL_GUESSED, &symbols, &names);
	symbols_dso_put_identity(dso, out);
	strbuf_put_u32(out, (uint32_t)path_room);
	strbuf_put_u32(out, (uint32_t)(symbols.n / SYMBOL_FIXED));
	strbuf_put_u32(out, (uint32_t)names.n);
	strbuf_put(out, dso->path, path_room);
	strbuf_put(out, symbols.at, symbols.n);
	strbuf_put(out, names.at, names.n);
}

void symbols_section_write(
	const struct symbols_section *section, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)section->dsos.n);
	array_each(&section->dsos, dso)
		write_symbols_dso(dso, out);
}

static bool read_symbols_dso(struct bytes *b, struct symbols_dso *dso)
{
	uint32_t path_room, n, names_size, i;
	struct bytes symbols, names;

	symbols_dso_take_identity(b, dso);
	path_room = bytes_u32(b);
	n = bytes_u32(b);
	names_size = bytes_u32(b);
	if (!b->ok || n > bytes_left(b) / SYMBOL_FIXED)
		return false;
	dso->path = xstrdup(bytes_text(b, path_room));
	symbols = bytes_of(bytes_take(b, n * SYMBOL_FIXED), 0, b->swap);
	if (!b->ok)
		return false;
	symbols.end = symbols.at + n * SYMBOL_FIXED;
	names = bytes_of(b->at, MIN((size_t)names_size, bytes_left(b)),
		b->swap);
	bytes_take(b, names_size);
	for (i = 0; i < n && b->ok && names.ok; i++) {
		uint64_t start = bytes_u64(&symbols);
		uint64_t size = bytes_u64(&symbols);
		const char *name = bytes_string(&names);
		struct symtab *table = size & SYMBOL_GUESSED ? &dso->guesses
							     : &dso->symbols;

		if (size & SYMBOL_OTHER_NAME)
			symtab_add_other(table, start, name);
		else
			symtab_add(table, start,
				start + (size & SYMBOL_SIZE_MAX), STB_GLOBAL,
				name);
	}
	symtab_finish(&dso->symbols);
	symtab_finish(&dso->guesses);
	return b->ok && names.ok;
}

bool symbols_section_read(struct bytes b, struct symbols_section *ret)
{
	uint32_t n = bytes_u32(&b), i;

	memset(ret, 0, sizeof(*ret));
	if (!b.ok || n > bytes_left(&b) / DSO_FIXED)
		return false;
	for (i = 0; i < n; i++) {
		if (read_symbols_dso(&b, array_push(&ret->dsos)))
			continue;
		symbols_section_deinit(ret);
		return false;
	}
	return true;
}
