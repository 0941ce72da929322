/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/line_source.h"

#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

/* Its last digit is increased when units of the same file change. */
#define MAGIC UINT64_C(0x3530656e696c6400)
/* What is kept of one file. */
#define KEPT_MAX MIB(256)
/* Of a file's bytes so many pieces, evenly spread, are a part of its key. */
#define PIECES 64u
#define PIECE_SIZE KIB(4)
/* Units overlap where functions were folded into one. */
#define OVERLAPS_MAX 16u

struct kept_head {
	uint64_t n_units; /* each as its size, and its bytes filled up to 8 */
	uint64_t n_misses;
	/* Then what was sought, units and misses. */
};

struct line_source {
	struct line_files files; /* owned */
	struct elf_file *layout; /* whose addresses these are; one of them */
	const struct cache *cache;
	struct cache_place place;
	struct line_maker *maker;
	bool was_opened;    /* whether there is a maker is known */
	uint64_t *kept;     /* the cache's bytes, owned; NULL: none */
	size_t kept_size;
	struct sought sought; /* what these lack, kept and made */
	bool is_changed;    /* there is more to keep */
	ARRAY(const struct line_unit *) units; /* in .kept, or in .made */
	ARRAY(struct line_unit *) made;        /* owned */
	ARRAY(struct stretch {
		uint64_t start, end;
		const struct line_unit *unit;
	}) stretches; /* of units, by start */
	/* Where no unit has code. */
	ARRAY(uint64_t) misses;
	struct hash_index by_miss;
	const struct stretch *last; /* found last; NULL: none */
};

/* --- what there is -------------------------------------------------------- */

static int compare_stretches(const void *a, const void *b)
{
	const struct stretch *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	if (left->end != right->end)
		return COMPARE(left->end, right->end);
	return COMPARE(left->unit->base, right->unit->base);
}

static void add_unit(struct line_source *source, const struct line_unit *unit)
{
	const struct line_range *ranges = line_unit_ranges(unit);
	uint32_t i;

	*array_push(&source->units) = unit;
	for (i = 0; i < unit->n_ranges; i++)
		*array_push(&source->stretches) = (struct stretch){
			unit->base + ranges[i].start,
			unit->base + ranges[i].end, unit };
	source->last = NULL;
}

static void sort_stretches(struct line_source *source)
{
	array_sort(&source->stretches, compare_stretches);
}

static const struct line_unit *find_unit(
	struct line_source *source, uint64_t address)
{
	size_t i, stop;

	if (source->last && address >= source->last->start &&
		address < source->last->end)
		return source->last->unit;
	i = array_count_before(
		&source->stretches, stretch, stretch->start <= address);
	stop = i > OVERLAPS_MAX ? i - OVERLAPS_MAX : 0;
	for (; i > stop; i--) {
		source->last = &source->stretches.at[i - 1];
		if (address < source->last->end)
			return source->last->unit;
	}
	return NULL;
}

static bool is_miss(const struct line_source *source, uint64_t address)
{
	uint64_t hash = hash_words(address, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&source->by_miss, hash, &probe)) != HASH_NONE)
		if (source->misses.at[i] == address)
			return true;
	return false;
}

static void add_miss(struct line_source *source, uint64_t address)
{
	hash_insert(&source->by_miss, hash_words(address, 0),
		(uint32_t)source->misses.n);
	*array_push(&source->misses) = address;
}

/* --- what is kept --------------------------------------------------------- */

/*
 * Who the bytes of FD are: to read all of them would take as long as to make
 * units of them. Nobody but root makes another file of the same inode, size and
 * time of change.
 */
static uint64_t add_key(uint64_t key, int fd)
{
	uint8_t piece[PIECE_SIZE];
	struct stat status;
	uint64_t i, step;

	if (fstat(fd, &status) < 0)
		return key;
	uint64_t numbers[] = { status.st_dev, status.st_ino,
		(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
		(uint64_t)status.st_mtim.tv_nsec,
		(uint64_t)status.st_ctim.tv_sec,
		(uint64_t)status.st_ctim.tv_nsec };
	key = cache_checksum(key, numbers, sizeof(numbers));
	step = MAX((uint64_t)status.st_size / PIECES, (uint64_t)PIECE_SIZE);
	for (i = 0; i * step < (uint64_t)status.st_size; i++) {
		ssize_t n = pread(fd, piece, sizeof(piece), (off_t)(i * step));

		if (n > 0)
			key = cache_checksum(key, piece, (size_t)n);
	}
	return key;
}

/* False: nothing of it is kept. */
static bool find_place(struct line_source *source)
{
	const struct elf_file *parts[] = { source->files.code,
		source->files.debug, source->files.alt };
	size_t i;

	if (!source->cache ||
		!elf_file_build_id(source->layout, &source->place.id) ||
		!source->place.id.size)
		return false;
	source->place.magic = source->place.key = MAGIC;
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i])
			source->place.key = add_key(source->place.key,
				elf_file_fd(parts[i]));
	return true;
}

/* What of it is sound; nothing if what it lacks may be there now. */
static void use_kept(struct line_source *source)
{
	struct bytes b = bytes_of(source->kept, source->kept_size, false);
	const struct kept_head *head = bytes_take(&b, sizeof(*head));
	uint64_t i;

	sought_read(&source->sought, &b);
	if (!b.ok || !sought_holds(&source->sought)) {
		sought_deinit(&source->sought);
		return;
	}
	for (i = 0; i < head->n_units && b.ok; i++) {
		uint64_t size = bytes_u64(&b);
		const struct line_unit *unit = bytes_take(&b, size);

		bytes_take(&b, ALIGN_UP(size, 8) - size);
		if (!b.ok || !line_unit_is_sound(unit, size))
			return;
		add_unit(source, unit);
	}
	for (i = 0; i < head->n_misses && bytes_left(&b); i++)
		add_miss(source, bytes_u64(&b));
	sort_stretches(source);
}

static void load(struct line_source *source)
{
	size_t size;

	if (!find_place(source)) {
		source->cache = NULL;
		return;
	}
	source->kept = cache_load(
		source->cache, &source->place, KEPT_MAX, &size);
	if (!source->kept || size < sizeof(struct kept_head) ||
		size % sizeof(*source->kept))
		return;
	source->kept_size = size;
	use_kept(source);
}

static void put_units(const struct line_source *source, struct strbuf *out)
{
	array_each(&source->units, unit) {
		size_t size = line_unit_size(*unit);

		strbuf_put_u64(out, size);
		strbuf_put(out, *unit, size);
		strbuf_align(out, 8);
	}
	array_each(&source->misses, miss)
		strbuf_put_u64(out, *miss);
}

static void store(const struct line_source *source)
{
	struct kept_head head = { source->units.n, source->misses.n };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	strbuf_put(&out, &head, sizeof(head));
	sought_write(&source->sought, &out);
	put_units(source, &out);
	if (out.n <= KEPT_MAX)
		cache_store(source->cache, &source->place, out.at, out.n);
}

/* --- what is made --------------------------------------------------------- */

static const struct line_unit *make_unit(
	struct line_source *source, uint64_t address)
{
	struct line_unit *unit = NULL;

	if (!source->was_opened)
		source->maker = line_maker_create(
			&source->files, &source->sought);
	source->was_opened = true;
	if (source->maker)
		unit = line_maker_make(source->maker, address);
	source->is_changed |= source->maker != NULL;
	if (!unit)
		return NULL;
	*array_push(&source->made) = unit;
	add_unit(source, unit);
	sort_stretches(source);
	return find_unit(source, address);
}

struct line_source *line_source_create(
	const struct line_files *files, const struct cache *cache)
{
	struct line_source *source = xcalloc(1, sizeof(*source));

	source->files = *files;
	source->layout = files->code ? files->code : files->debug;
	source->cache = cache;
	load(source);
	return source;
}

void line_source_destroy(struct line_source *source)
{
	if (!source)
		return;
	if (source->cache && source->is_changed)
		store(source);
	line_maker_destroy(source->maker);
	array_each(&source->made, unit)
		free(*unit);
	array_free(&source->made);
	array_free(&source->units);
	array_free(&source->stretches);
	array_free(&source->misses);
	hash_free(&source->by_miss);
	sought_deinit(&source->sought);
	free(source->kept);
	elf_file_close(source->files.alt);
	elf_file_close(source->files.debug);
	elf_file_close(source->files.code);
	free(source);
}

const char *line_source_lacks(const struct line_source *source)
{
	const struct line_files *files = &source->files;
	const struct sought *sought = &source->sought;
	struct build_id id;
	const char *alt = elf_file_altlink(
		files->debug ? files->debug : files->code, &id);

	if (alt && !files->alt)
		return alt;
	return sought->files.n ? sought->files.at->path : NULL;
}

uint64_t line_source_address(
	const struct line_source *source, uint64_t offset)
{
	return elf_file_address(source->layout, offset);
}

/* The one with ADDRESS, made or kept; NULL: there is none. */
static const struct line_unit *get_unit(
	struct line_source *source, uint64_t address)
{
	const struct line_unit *unit;

	if (source->was_opened && !source->maker)
		return NULL;
	unit = find_unit(source, address);
	if (!unit && !is_miss(source, address)) {
		unit = make_unit(source, address);
		if (!unit)
			add_miss(source, address);
	}
	return unit;
}

size_t line_source_frames(struct line_source *source, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX])
{
	const struct line_unit *unit = get_unit(source, address);

	return unit ? line_unit_frames(unit, address, ret) : 0;
}

uint64_t line_source_until(struct line_source *source, uint64_t address)
{
	const struct line_unit *unit = get_unit(source, address);

	return unit ? line_unit_until(unit, address) : UINT64_MAX;
}
