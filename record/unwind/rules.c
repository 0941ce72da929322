/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/rules.h"

#include <pthread.h>
#include <sys/utsname.h>

#include "common/elf/elf.h"
#include "common/unwind/calls.h"
#include "common/unwind/cfi_cache.h"
#include "common/unwind/cfi_program.h"
#include "common/util/alloc.h"
#include "record/unwind/jitrules.h"
#include "record/unwind/live_code.h"
#include "record/unwind/sources.h"

/* A busy machine may need as long for one file; then there are others. */
#define PATIENCE_MS 3000u
/* Files that are open, each with two descriptors, or a third of its debug file. */
#define FILES_MAX 512u
/* After so many batches that lack room those are closed that nobody needs. */
#define BATCHES 64u
#define NOT_KNOWN UINT32_MAX

/* A file: what is known about its code, as long as it is open. */
struct book {
	char *path; /* owned */
	struct build_id build_id;
	uint64_t inode, generation;
	struct cfi *cfi; /* owned; NULL: it has no rules */
	struct elf_file *file; /* owned; NULL: it isn't there */
	bool is_open; /* or was looked for */
	bool is_used;
};

struct rules {
	struct sources sources;
	enum unwind_arch arch; /* of this machine */
	struct cache *cache; /* NULL: there is none */
	pthread_mutex_t lock; /* of all that follows */
	struct jitrules *made; /* of code without files; NULL: no keeper */
	bool has_made;         /* atomic: they were asked */
	struct livecode *live; /* and its bytes; owned */
	ARRAY(struct book *) books;
	ARRAY(uint32_t) by_dso; /* number of a book */
	struct hash_index by_file;
	size_t n_open; /* files */
	bool lacks_room;
	unsigned n_lacking;  /* batches */
	uint64_t n_closings; /* atomic */
};

struct rules *rules_create(struct keeper *keeper)
{
	struct rules *rules = xcalloc(1, sizeof(*rules));
	struct utsname here;

	uname(&here);
	rules->arch = unwind_arch_of_name(here.machine);
	rules->sources = (struct sources){ keeper,
		patience_create(PATIENCE_MS) };
	rules->cache = cache_open(CFI_CACHE, NULL);
	rules->live = livecode_create();
	if (keeper)
		rules->made = jitrules_create(keeper);
	pthread_mutex_init(&rules->lock, NULL);
	return rules;
}

static void close_book(struct rules *rules, struct book *book)
{
	cfi_destroy(take_pointer(book->cfi));
	rules->n_open -= !!book->file;
	elf_file_close(take_pointer(book->file));
	book->is_open = false;
}

void rules_destroy(struct rules *rules)
{
	if (!rules)
		return;
	array_each(&rules->books, book) {
		close_book(rules, *book);
		free((*book)->path);
		free(*book);
	}
	array_free(&rules->books);
	array_free(&rules->by_dso);
	hash_free(&rules->by_file);
	jitrules_destroy(rules->made);
	livecode_destroy(rules->live);
	patience_destroy(rules->sources.patience);
	cache_close(rules->cache);
	pthread_mutex_destroy(&rules->lock);
	free(rules);
}

void rules_restart(struct rules *rules)
{
	pthread_mutex_lock(&rules->lock);
	rules->by_dso.n = 0;
	pthread_mutex_unlock(&rules->lock);
}

static bool is_of(const struct book *book, const struct dso *dso)
{
	return book->inode == dso->inode &&
		book->generation == dso->generation &&
		build_id_equal(&book->build_id, &dso->build_id) &&
		string_is(book->path, dso->path);
}

static void open_book(struct rules *rules, struct book *book,
	const struct dso *dso, const struct mapping *mapping, uint32_t pid)
{
	struct elf_file *debug;

	book->is_used = true;
	if (book->is_open)
		return;
	if (rules->n_open == FILES_MAX) {
		rules->lacks_room = true;
		return;
	}
	book->is_open = true;
	book->file = sources_open(&rules->sources, dso, mapping, pid);
	rules->n_open += !!book->file;
	if (!book->file)
		return;
	debug = sources_open_debug(&rules->sources, book->file, dso, pid);
	/* A file without rules has none: that is no error here. */
	error_free(cfi_cache_create(
		rules->cache, book->file, debug, &book->cfi));
	elf_file_close(debug);
}

static uint32_t add_book(struct rules *rules, const struct dso *dso)
{
	uint64_t hash = hash_words(hash_string(dso->path), dso->inode);
	uint32_t i, probe = hash_start(hash);
	struct book *book;

	while ((i = hash_next(&rules->by_file, hash, &probe)) != HASH_NONE)
		if (is_of(rules->books.at[i], dso))
			return i;
	book = xcalloc(1, sizeof(*book));
	book->path = xstrdup(dso->path);
	book->build_id = dso->build_id;
	book->inode = dso->inode;
	book->generation = dso->generation;
	hash_insert(&rules->by_file, hash, (uint32_t)rules->books.n);
	*array_push(&rules->books) = book;
	return (uint32_t)rules->books.n - 1;
}

/* Books never move, and only rules_settle() closes them. */
static const struct book *find_book(struct rules *rules,
	const struct rules_place *place, const struct mapping *mapping,
	uint32_t *number_ret)
{
	const struct dso *dso = maps_dso(place->maps, mapping->dso);
	struct book *book;
	uint32_t *number;

	pthread_mutex_lock(&rules->lock);
	while (rules->by_dso.n <= mapping->dso)
		*array_push(&rules->by_dso) = NOT_KNOWN;
	number = &rules->by_dso.at[mapping->dso];
	if (*number == NOT_KNOWN)
		*number = add_book(rules, dso);
	book = rules->books.at[*number];
	open_book(rules, book, dso, mapping, place->pid);
	*number_ret = *number;
	pthread_mutex_unlock(&rules->lock);
	return book;
}

/* libelf has a state of its own. */
static uint64_t address_of(
	struct rules *rules, const struct book *book, uint64_t offset)
{
	uint64_t address;

	pthread_mutex_lock(&rules->lock);
	address = elf_file_address(book->file, offset);
	pthread_mutex_unlock(&rules->lock);
	return address;
}

uint64_t rules_state(struct rules *rules, const struct rules_place *place)
{
	uint64_t n = __atomic_load_n(&rules->n_closings, __ATOMIC_RELAXED);
	uint64_t state;

	if (!__atomic_load_n(&rules->has_made, __ATOMIC_RELAXED))
		return hash_words(0, n);
	pthread_mutex_lock(&rules->lock);
	state = jitrules_state(rules->made, place->pid, place->time);
	pthread_mutex_unlock(&rules->lock);
	return hash_words(state, n);
}

/*
 * Who is asked for all the time is found without a book: so everything has to
 * be asked for again before it is known what nobody needs.
 */
static void close_unused(struct rules *rules)
{
	if (!rules->lacks_room || ++rules->n_lacking < BATCHES)
		return;
	rules->lacks_room = false;
	rules->n_lacking = 0;
	__atomic_add_fetch(&rules->n_closings, 1, __ATOMIC_RELAXED);
	array_each(&rules->books, book) {
		if (!(*book)->is_used)
			close_book(rules, *book);
		(*book)->is_used = false;
	}
}

void rules_settle(struct rules *rules)
{
	pthread_mutex_lock(&rules->lock);
	if (rules->made)
		jitrules_settle(rules->made);
	close_unused(rules);
	pthread_mutex_unlock(&rules->lock);
}

static void find_made(struct rules *rules, const struct rules_place *place,
	uint64_t pc, struct unwind_code *ret)
{
	struct jitrules_part part;

	if (!rules->made)
		return;
	pthread_mutex_lock(&rules->lock);
	part = jitrules_find(rules->made, place->pid, pc, place->time);
	__atomic_store_n(&rules->has_made, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&rules->lock);
	ret->start = MAX(ret->start, part.start);
	ret->end = MIN(ret->end, part.end);
	ret->cfi = part.cfi;
}

bool rules_find(struct rules *rules, const struct rules_place *place,
	uint64_t pc, struct unwind_code *ret)
{
	struct maps_part part;
	const struct mapping *mapping =
		maps_find_part(place->maps, place->space, pc, &part);
	const struct book *book;
	uint64_t offset;
	uint32_t number;

	if (!mapping || mapping->is_data)
		return false;
	*ret = (struct unwind_code){ .start = part.start, .end = part.end };
	if (maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path)) {
		find_made(rules, place, pc, ret);
		return true;
	}
	book = find_book(rules, place, mapping, &number);
	if (!book->cfi)
		return true;
	offset = pc - mapping->start + mapping->offset;
	ret->cfi = book->cfi;
	ret->bias = pc - address_of(rules, book, offset);
	return true;
}

bool rules_file(struct rules *rules, const struct rules_place *place,
	uint64_t pc, uint32_t *number_ret, const char **path_ret)
{
	const struct mapping *mapping =
		maps_find(place->maps, place->space, pc);

	if (!mapping ||
		maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path))
		return false;
	*path_ret = find_book(rules, place, mapping, number_ret)->path;
	return true;
}

static size_t read_live(struct rules *rules, uint32_t pid, uint64_t address,
	uint8_t *bytes, size_t size)
{
	size_t n;

	pthread_mutex_lock(&rules->lock);
	n = livecode_read(rules->live, pid, address, bytes, size);
	pthread_mutex_unlock(&rules->lock);
	return n;
}

size_t rules_code(struct rules *rules, const struct rules_place *place,
	uint64_t address, uint8_t *bytes, size_t size)
{
	const struct mapping *mapping =
		maps_find(place->maps, place->space, address);
	const struct book *book;
	uint32_t number;
	ssize_t n;

	if (!mapping || mapping->is_data)
		return 0;
	size = MIN(size, mapping->end - address);
	if (maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path))
		return read_live(rules, place->pid, address, bytes, size);
	book = find_book(rules, place, mapping, &number);
	if (!book->file)
		return 0;
	n = pread(elf_file_fd(book->file), bytes, size,
		(off_t)(address - mapping->start + mapping->offset));
	return n < 0 ? 0 : (size_t)n;
}

bool rules_is_called(struct rules *rules, const struct rules_place *place,
	uint64_t address)
{
	uint8_t bytes[CALLS_BYTES];

	return rules_code(rules, place, address - sizeof(bytes), bytes,
		       sizeof(bytes)) == sizeof(bytes) &&
		calls_end_here(rules->arch, bytes, sizeof(bytes));
}

static bool begins_at(struct rules *rules, const struct rules_place *place,
	uint64_t address)
{
	const struct cfi_section *unused;
	struct unwind_code code;
	struct cfi_row row;

	return rules_find(rules, place, address, &code) && code.cfi &&
		cfi_row(code.cfi, address - code.bias, &row, &unused) &&
		row.start == address - code.bias;
}

bool rules_is_put(struct rules *rules, const struct rules_place *place,
	uint64_t address)
{
	return begins_at(rules, place, address) ||
		begins_at(rules, place, address - 1);
}
