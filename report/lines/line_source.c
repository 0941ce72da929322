/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/line_source.h"

#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"
#include "report/lines/go_units.h"

/*
 * Magic number of a cache entry. Increase its last digit when the units that
 * are made from a file change.
 */
#define MAGIC UINT64_C(0x3830656e696c6400)
/* Limit of the cache entry of a file in bytes. */
#define KEPT_MAX MIB(256)
/*
 * The key of a cache entry depends on this number of blocks of the file, of
 * PIECE_SIZE bytes and evenly spread.
 */
#define PIECES 64u
#define PIECE_SIZE KIB(4)
/*
 * Limit of the code ranges that are searched for an address. Ranges of units
 * overlap if the linker folded equal functions into one.
 */
#define OVERLAPS_MAX 16u

struct kept_head {
	uint64_t n_units; /* each unit is stored as its size and its bytes,
			     padded to 8 */
	uint64_t n_misses;
	/*
	 * In the cache entry, this header is followed by the missing files, the
	 * units, and the addresses that are in no unit.
	 */
};

struct line_source {
	struct dwarf_line_files files; /* owned */
	struct elf_file *layout; /* file whose linked addresses are used; one of
			    .files */
	const struct cache *cache;
	struct cache_place place;
	struct dwarf_lines *reader;
	struct go_units *go; /* of a file without debug information */
	bool is_open;	     /* .reader or .go has been created */
	uint64_t *kept;	     /* bytes of the cache entry, owned; NULL: none */
	struct missing_files
		missing; /* files that were missing when stored and new units
			    were read */
	bool is_changed; /* units were read that are not in the cache */
	ARRAY(const struct line_unit *)
	units; /* all units; each is in .kept or
						  in .made */
	ARRAY(struct line_unit *)
	made; /* units that were read from the
						  file; owned */
	ARRAY(struct unit_stretch {
		uint64_t start, end;
		const struct line_unit *unit;
	})
	stretches; /* code ranges of the units, by start */
	/* Addresses that are in no unit. */
	ARRAY(uint64_t) misses;
	struct hash_index by_miss;
	const struct unit_stretch
		*last; /* result of the last search; NULL: none */
};

/* --- units in memory ----------------------------------------------------- */

static int compare_unit_stretches(const void *a, const void *b)
{
	const struct unit_stretch *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	if (left->end != right->end)
		return COMPARE(left->end, right->end);
	return COMPARE(left->unit->base, right->unit->base);
}

static void add_unit_stretches(
	struct line_source *source, const struct line_unit *unit)
{
	const struct line_range *ranges = line_unit_ranges(unit);
	uint32_t i;

	for (i = 0; i < unit->n_ranges; i++)
		*array_push(&source->stretches) =
			(struct unit_stretch){ unit->base + ranges[i].start,
				unit->base + ranges[i].end, unit };
	source->last = NULL;
}

static void sort_unit_stretches(struct line_source *source)
{
	array_sort(&source->stretches, compare_unit_stretches);
}

static const struct line_unit *find_source_unit(
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

static bool is_known_miss(const struct line_source *source, uint64_t address)
{
	uint64_t hash = hash_words(address, 0);

	hash_each_match(&source->by_miss, hash, i)
		if (source->misses.at[i] == address)
			return true;
	return false;
}

static void add_known_miss(struct line_source *source, uint64_t address)
{
	hash_insert(&source->by_miss, hash_words(address, 0),
		(uint32_t)source->misses.n);
	*array_push(&source->misses) = address;
}

/* --- the cache ----------------------------------------------------------- */

/*
 * Adds the identity of the file FD to KEY. Reading the whole file would take as
 * long as reading its units. Only root can create another file with the same
 * inode, size and change time.
 */
static uint64_t add_file_key(uint64_t key, int fd)
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

/*
 * Adds the units and misses of a cache entry, of which B is behind HEAD and the missing files,
 * to those that SOURCE does not have. The stretches are not updated.
 */
static void read_stored_units(struct line_source *source, struct bytes *b,
	const struct kept_head *head)
{
	uint64_t i, address;

	for (i = 0; i < head->n_units && b->ok; i++) {
		uint64_t length = bytes_u64(b);
		const struct line_unit *unit = bytes_take(b, length);

		bytes_take(b, ALIGN_UP(length, 8) - length);
		if (!b->ok || !line_unit_is_sound(unit, length))
			return;
		if (!unit->n_ranges ||
			!find_source_unit(source,
				unit->base + line_unit_ranges(unit)->start))
			*array_push(&source->units) = unit;
	}
	for (i = 0; i < head->n_misses && bytes_left(b); i++) {
		address = bytes_u64(b);
		if (!is_known_miss(source, address))
			add_known_miss(source, address);
	}
}

/* Loads the cache entry of SOURCE. Returns NULL if there is none. */
static uint64_t *load_cache_entry(
	const struct line_source *source, size_t *size_ret)
{
	_cleanup_free_ uint64_t *entry =
		cache_load(source->cache, &source->place, KEPT_MAX, size_ret);

	return entry && *size_ret >= sizeof(struct kept_head) &&
			*size_ret % sizeof(*entry) == 0
		? take_pointer(entry)
		: NULL;
}

/*
 * Adds the units of the file's cache entry. Sets .place, the key of the entry;
 * .cache becomes NULL if units of the file cannot be stored.
 */
static void load_stored_units(struct line_source *source)
{
	const struct elf_file *parts[] = { source->files.code,
		source->files.debug, source->files.alt };
	size_t i, size;

	if (!source->cache ||
		!elf_file_build_id(source->layout, &source->place.id) ||
		!source->place.id.size) {
		source->cache = NULL;
		return;
	}
	source->place.magic = source->place.key = MAGIC;
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i])
			source->place.key = add_file_key(
				source->place.key, elf_file_fd(parts[i]));
	source->kept = load_cache_entry(source, &size);
	if (!source->kept)
		return;
	/*
	 * Add the valid units of the cache entry, or none if a missing file has
	 * appeared.
	 */
	struct bytes b = bytes_of(source->kept, size, false);
	const struct kept_head *head = bytes_take(&b, sizeof(*head));

	missing_files_read(&source->missing, &b);
	if (!b.ok || !missing_files_are_unchanged(&source->missing)) {
		missing_files_deinit(&source->missing);
		return;
	}
	read_stored_units(source, &b, head);
	array_each(&source->units, unit)
		add_unit_stretches(source, *unit);
	sort_unit_stretches(source);
}

/*
 * Adds what another DSO of the same file, or another process, has stored since
 * load_stored_units(). Returns the cache entry, in which the added units are; owned by the
 * caller.
 */
static uint64_t *join_stored_units(struct line_source *source)
{
	struct missing_files missing = { 0 };
	size_t size;
	uint64_t *entry = load_cache_entry(source, &size);

	if (!entry)
		return NULL;
	struct bytes b = bytes_of(entry, size, false);
	const struct kept_head *head = bytes_take(&b, sizeof(*head));

	missing_files_read(&missing, &b);
	/* Units without a file that SOURCE may have are read again. */
	if (b.ok && !missing.files.n)
		read_stored_units(source, &b, head);
	missing_files_deinit(&missing);
	return entry;
}

/* --- reading ------------------------------------------------------------- */

struct line_source *line_source_create(
	const struct dwarf_line_files *files, const struct cache *cache)
{
	struct line_source *source = xcalloc(1, sizeof(*source));

	source->files = *files;
	source->layout = files->code ? files->code : files->debug;
	source->cache = cache;
	load_stored_units(source);
	return source;
}

void line_source_destroy(struct line_source *source)
{
	if (!source)
		return;
	_cleanup_free_ uint64_t *stored = NULL;

	if (source->cache && source->is_changed) {
		stored = join_stored_units(source);
		struct kept_head head = { source->units.n, source->misses.n };
		_cleanup_strbuf_ struct strbuf out = { 0 };

		strbuf_put(&out, &head, sizeof(head));
		missing_files_write(&source->missing, &out);
		array_each(&source->units, unit) {
			size_t size = line_unit_size(*unit);

			strbuf_put_u64(&out, size);
			strbuf_put(&out, *unit, size);
			strbuf_align(&out, 8);
		}
		array_each(&source->misses, miss)
			strbuf_put_u64(&out, *miss);
		if (out.n <= KEPT_MAX)
			cache_store(
				source->cache, &source->place, out.at, out.n);
	}
	dwarf_lines_destroy(source->reader);
	go_units_destroy(source->go);
	array_each(&source->made, unit)
		free(*unit);
	array_free(&source->made);
	array_free(&source->units);
	array_free(&source->stretches);
	array_free(&source->misses);
	hash_free(&source->by_miss);
	missing_files_deinit(&source->missing);
	free(source->kept);
	elf_file_close(source->files.alt);
	elf_file_close(source->files.debug);
	elf_file_close(source->files.code);
	free(source);
}

const char *line_source_missing_file(const struct line_source *source)
{
	const struct dwarf_line_files *files = &source->files;
	const struct missing_files *missing = &source->missing;
	struct build_id id;
	const char *alt = elf_file_altlink(
		files->debug ? files->debug : files->code, &id);

	if (alt && !files->alt)
		return alt;
	return missing->files.n ? missing->files.at->path : NULL;
}

uint64_t line_source_address(const struct line_source *source, uint64_t offset)
{
	return elf_file_address(source->layout, offset);
}

/*
 * Returns the unit with the code at ADDRESS, from the cache or newly read;
 * NULL: there is no such unit.
 */
static const struct line_unit *get_source_unit(
	struct line_source *source, uint64_t address)
{
	const struct line_unit *unit;
	struct line_unit *made = NULL;

	if (source->is_open && !source->reader && !source->go)
		return NULL;
	unit = find_source_unit(source, address);
	if (!unit && !is_known_miss(source, address)) {
		if (!source->is_open) {
			source->is_open = true;
			source->reader = dwarf_lines_create(
				&source->files, &source->missing);
			if (!source->reader && source->files.code)
				source->go =
					go_units_create(source->files.code);
		}
		if (source->reader)
			made = dwarf_lines_read_unit(source->reader, address);
		else if (source->go)
			made = go_units_read(source->go, address);
		source->is_changed |= source->reader || source->go;
		if (made) {
			*array_push(&source->made) = made;
			*array_push(&source->units) = made;
			add_unit_stretches(source, made);
			sort_unit_stretches(source);
			unit = find_source_unit(source, address);
		}
		if (!unit)
			add_known_miss(source, address);
	}
	return unit;
}

size_t line_source_frames(struct line_source *source, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX])
{
	const struct line_unit *unit = get_source_unit(source, address);

	return unit ? line_unit_frames(unit, address, ret) : 0;
}

uint64_t line_source_until(struct line_source *source, uint64_t address)
{
	const struct line_unit *unit = get_source_unit(source, address);

	return unit ? line_unit_until(unit, address) : UINT64_MAX;
}

/* --- JIT code ---------------------------------------------------------- */

/* Limit of the file names in the jitdump of a process. */
#define TEXTS_MAX 100000u

struct line_jit {
	struct jitdumps_code code;
	ARRAY(char *) files; /* owned; each name once */
	struct hash_index by_file;
};

struct line_jit *line_jit_create(const struct jitdumps_code *code)
{
	struct line_jit *jit;

	if (!code->dump)
		return NULL;
	jit = xcalloc(1, sizeof(*jit));
	jit->code = *code;
	return jit;
}

void line_jit_destroy(struct line_jit *jit)
{
	if (!jit)
		return;
	array_each(&jit->files, file)
		free(*file);
	array_free(&jit->files);
	hash_free(&jit->by_file);
	free(jit);
}

size_t line_jit_frames(struct line_jit *jit, uint64_t offset, uint64_t back,
	struct line_frame *ret)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };

	*ret = (struct line_frame){ 0 };
	if (!jitdumps_code_line(&jit->code, offset - back, &file, &ret->line))
		return 0;
	strbuf_putc(&file, '\0');
	uint64_t hash = hash_string(file.at);

	hash_each_match(&jit->by_file, hash, i)
		if (string_is(jit->files.at[i], file.at)) {
			ret->file = jit->files.at[i];
			return 1;
		}
	/* Without room for more names, the file is unknown. */
	if (jit->files.n < TEXTS_MAX) {
		hash_insert(&jit->by_file, hash, (uint32_t)jit->files.n);
		ret->file = *array_push(&jit->files) = xstrdup(file.at);
	}
	return 1;
}
