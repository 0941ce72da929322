/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/symbols_section.h"

#include <elf.h>

#include "common/maps/maps.h"
#include "common/util/alloc.h"

#define DSO_FIXED 36u /* bytes of a DSO's entry before its path */
#define SYMBOL_FIXED 16u

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

/* The symbols of a DSO and their names, in two parts of the section. */
struct symbol_list {
	struct strbuf symbols, names;
};

static void deinit_symbol_list(struct symbol_list *list)
{
	strbuf_free(&list->symbols);
	strbuf_free(&list->names);
}

static void put_list_symbol(struct symbol_list *list, uint64_t start,
	uint64_t size, const char *name)
{
	strbuf_put_u64(&list->symbols, start);
	strbuf_put_u64(&list->symbols, size);
	strbuf_put(&list->names, name, strlen(name) + 1);
}

static void put_list_sizes(const struct symbol_list *list, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)(list->symbols.n / SYMBOL_FIXED));
	strbuf_put_u32(out, (uint32_t)list->names.n);
}

static void put_list(const struct symbol_list *list, struct strbuf *out)
{
	strbuf_put(out, list->symbols.at, list->symbols.n);
	strbuf_put(out, list->names.at, list->names.n);
}

static bool has_extras(const struct symbols_section *section)
{
	array_each(&section->dsos, dso)
		if (dso->symbols.others.n || dso->guesses.symbols.n)
			return true;
	return false;
}

void symbols_section_write(
	const struct symbols_section *section, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)section->dsos.n);
	array_each(&section->dsos, dso) {
		const struct symtab *table = &dso->symbols;
		struct symbol_list list = { 0 };
		size_t path_room = strlen(dso->path) + 1;

		array_each(&table->symbols, symbol)
			put_list_symbol(&list, symbol->start,
				symbol->end - symbol->start,
				symtab_name(table, symbol));
		symbols_dso_put_identity(dso, out);
		strbuf_put_u32(out, (uint32_t)path_room);
		put_list_sizes(&list, out);
		strbuf_put(out, dso->path, path_room);
		put_list(&list, out);
		deinit_symbol_list(&list);
	}
	if (!has_extras(section))
		return;
	array_each(&section->dsos, dso) {
		struct symbol_list list = { 0 };

		array_each(&dso->symbols.others, other)
			put_list_symbol(&list, other->start, 0,
				dso->symbols.names.at + other->name);
		array_each(&dso->guesses.symbols, guess)
			put_list_symbol(&list, guess->start,
				guess->end - guess->start,
				symtab_name(&dso->guesses, guess));
		put_list_sizes(&list, out);
		put_list(&list, out);
		deinit_symbol_list(&list);
	}
}

/* The bytes of a struct symbol_list that is read. */
struct read_list {
	uint32_t n; /* symbols */
	uint32_t names_size;
	struct bytes symbols, names;
};

/* Reads the numbers of symbols and of bytes of names. */
static bool take_list_sizes(struct bytes *b, struct read_list *list)
{
	list->n = bytes_u32(b);
	list->names_size = bytes_u32(b);
	return b->ok && list->n <= bytes_left(b) / SYMBOL_FIXED;
}

static bool take_list(struct bytes *b, struct read_list *list)
{
	list->symbols =
		bytes_of(bytes_take(b, list->n * SYMBOL_FIXED), 0, b->swap);
	if (!b->ok)
		return false;
	list->symbols.end = list->symbols.at + list->n * SYMBOL_FIXED;
	list->names = bytes_of(
		b->at, MIN((size_t)list->names_size, bytes_left(b)), b->swap);
	bytes_take(b, list->names_size);
	return b->ok;
}

/* Takes the next symbol of LIST. Returns false at the end, and at damage. */
static bool next_symbol(struct read_list *list, uint64_t *start_ret,
	uint64_t *size_ret, const char **name_ret)
{
	if (!list->n || !list->names.ok)
		return false;
	list->n--;
	*start_ret = bytes_u64(&list->symbols);
	*size_ret = bytes_u64(&list->symbols);
	*name_ret = bytes_string(&list->names);
	return list->names.ok;
}

/* Reads all DSOs of B into RET. */
static bool read_dsos(struct bytes *b, uint32_t n, struct symbols_section *ret)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct symbols_dso *dso = array_push(&ret->dsos);
		struct read_list list;
		uint64_t start, size;
		const char *name;
		uint32_t path_room;

		symbols_dso_take_identity(b, dso);
		path_room = bytes_u32(b);
		if (!take_list_sizes(b, &list))
			return false;
		dso->path = xstrdup(bytes_text(b, path_room));
		if (!take_list(b, &list))
			return false;
		while (next_symbol(&list, &start, &size, &name))
			symtab_add(&dso->symbols, start, start + size,
				STB_GLOBAL, name);
		if (!list.names.ok)
			return false;
	}
	if (!bytes_left(b))
		return true;
	array_each(&ret->dsos, dso) {
		struct read_list list;
		uint64_t start, size;
		const char *name;

		if (!take_list_sizes(b, &list) || !take_list(b, &list))
			return false;
		while (next_symbol(&list, &start, &size, &name)) {
			if (size)
				symtab_add(&dso->guesses, start, start + size,
					STB_GLOBAL, name);
			else
				symtab_add_other(&dso->symbols, start, name);
		}
		if (!list.names.ok)
			return false;
	}
	return true;
}

bool symbols_section_read(struct bytes b, struct symbols_section *ret)
{
	uint32_t n = bytes_u32(&b);

	memset(ret, 0, sizeof(*ret));
	if (!b.ok || n > bytes_left(&b) / DSO_FIXED)
		return false;
	if (!read_dsos(&b, n, ret)) {
		symbols_section_deinit(ret);
		return false;
	}
	array_each(&ret->dsos, dso) {
		symtab_finish(&dso->symbols);
		symtab_finish(&dso->guesses);
	}
	return true;
}
