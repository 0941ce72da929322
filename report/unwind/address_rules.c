/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/address_rules.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/unwind/cfi.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/symbols/code_bytes.h"
#include "report/unwind/dso_rules.h"

/* Limit of loaded segments per file; linkers make fewer. */
#define SEGMENTS_MAX 8u
/*
 * Limit of the packed rules of one DSO in bytes; larger rules are left out with
 * a message.
 */
#define PUT_MAX MIB(128)
/*
 * Number of ranges of used code of one DSO that are united first, and the limit of
 * these ranges. Code beyond the limit is not packed.
 */
#define USED_MIN 65536u
#define USED_MAX (1u << 21)

enum state { UNKNOWN, BEING_READ, READ };

/* The rules of a DSO. */
struct address_rules_code {
	struct dso_rules rules;
	struct jitdumps_code jit; /* jitdump of JIT code */
	struct address_rules *all;
	uint64_t end;	 /* a file offset that samples hit */
	bool is_certain; /* the rules are of the recorded file */
	_Atomic enum state state;
	/* code that was read; all numbers are 0; overlapping; see .lock */
	struct address_ranges used;
	size_t used_limit; /* number of ranges at which .used is united next */
};

struct address_rules {
	const struct survey *survey;
	struct files *files;	    /* borrowed */
	struct cache *cache;	    /* on-disk cache of rules; owned; NULL:
	                             * none */
	struct packed_dsos *packed; /* rules in the recording; owned, or NULL */
	struct address_rules_code *codes; /* rules of each DSO, by DSO number of
	                             * survey->maps */
	bool records_lookups;
	/*
	 * Protects changes of .state and .used in .codes, the jitdumps, and the
	 * following members.
	 */
	pthread_mutex_t lock;
	struct code_bytes *bytes; /* owned; NULL: not needed yet */
	pthread_cond_t was_read;
	uint32_t n_missing, first_missing;
};

struct address_rules *address_rules_create(
	const struct survey *survey, struct files *files)
{
	struct address_rules *codes = xcalloc(1, sizeof(*codes));

	codes->survey = survey;
	codes->files = files;
	codes->cache = cache_open(CFI_CACHE, NULL);
	codes->packed = dso_rules_create_packed(files_reader(files));
	codes->codes =
		xcalloc(maps_n_dsos(survey->maps), sizeof(*codes->codes));
	pthread_mutex_init(&codes->lock, NULL);
	pthread_cond_init(&codes->was_read, NULL);
	return codes;
}

void address_rules_destroy(struct address_rules *codes)
{
	uint32_t i;

	if (!codes)
		return;
	for (i = 0; i < maps_n_dsos(codes->survey->maps); i++) {
		dso_rules_deinit(&codes->codes[i].rules);
		address_ranges_free(&codes->codes[i].used);
	}
	free(codes->codes);
	cache_close(codes->cache);
	code_bytes_destroy(codes->bytes);
	packed_dsos_destroy(codes->packed);
	pthread_mutex_destroy(&codes->lock);
	pthread_cond_destroy(&codes->was_read);
	free(codes);
}

void address_rules_record_lookups(struct address_rules *codes)
{
	codes->records_lookups = true;
}

/*
 * Whether DSO is a file or the vdso. Other memory has no rules, which is not
 * reported.
 */
static bool has_mapped_file(const struct dso *dso)
{
	return !dso->is_data && !maps_is_anonymous(dso->path) &&
		(dso->path[0] == '/' || maps_is_vdso(dso->path));
}

static void read_cfi(struct address_rules *codes, struct elf_file *file,
	uint32_t number, struct dso_rules *ret)
{
	struct elf_segment segments[SEGMENTS_MAX];
	struct elf_file *debug = files_open_debug(codes->files, number);
	struct cfi *cfi = NULL;
	struct error *err = cfi_cache_create(codes->cache, file, debug, &cfi);

	/* A file with unreadable CFI counts as a file without CFI. */
	error_free(err);
	elf_file_close(debug);
	if (cfi)
		dso_rules_add(ret, cfi, segments,
			elf_file_segments(file, segments, SEGMENTS_MAX));
}

/*
 * Callback of cfi_set_fallback(). Returns the rules of the DSO's file, or NULL
 * if the packed rules were not made from this file.
 */
static struct cfi *find_file_rules(void *data)
{
	struct address_rules_code *code = data;
	struct address_rules *codes = code->all;
	uint32_t number = (uint32_t)(code - codes->codes);
	struct dso_rules rules = { 0 };
	struct cfi *cfi = NULL;
	enum buildid_trust trust;
	struct elf_file *file =
		files_open(codes->files, number, code->end, &trust);

	if (file && trust == BUILDID_PROVEN)
		read_cfi(codes, file, number, &rules);
	if (rules.cfis.n && dso_rules_have_same_parts(&rules, &code->rules)) {
		cfi = rules.cfis.at[--rules.cfis.n];
		if (codes->records_lookups)
			cfi_lookups_start(cfi);
	}
	dso_rules_deinit(&rules);
	elf_file_close(file);
	return cfi;
}

/*
 * Reads the rules of DSO NUMBER from the recording, or from a jitdump or the
 * DSO's file. Returns true if the file is needed but missing.
 */
static bool read_dso_rules(
	struct address_rules *codes, uint32_t number, uint64_t end)
{
	const struct dso *dso = maps_dso(codes->survey->maps, number);
	enum buildid_trust trust;
	struct elf_file *file;

	/*
	 * The rules in the recording are preferred: they are of the recorded
	 * program. They may be incomplete, because stacks ended early if files
	 * were missing during packing.
	 */
	struct build_id id = files_build_id(codes->files, number);
	struct address_rules_code *code = &codes->codes[number];
	const void *piece = codes->packed
		? packed_dsos_find(codes->packed,
			  maps_dso(codes->survey->maps, number), &id)
		: NULL;

	code->is_certain = piece &&
		dso_rules_take(piece, reader_budget(files_reader(codes->files)),
			&code->rules);
	code->all = codes;
	code->end = end;
	if (code->rules.cfis.n == 1 &&
		has_mapped_file(maps_dso(codes->survey->maps, number)))
		cfi_set_fallback(code->rules.cfis.at[0], find_file_rules, code);
	if (code->is_certain)
		return false;
	codes->codes[number].jit = files_dump(codes->files, number);
	if (!has_mapped_file(dso))
		return false;
	file = files_fetch(codes->files, number, end, &trust);
	if (!file)
		return true;
	read_cfi(codes, file, number, &codes->codes[number].rules);
	codes->codes[number].is_certain = trust == BUILDID_PROVEN;
	elf_file_close(file);
	return false;
}

/* One thread reads a file; threads that need the same file wait. */
static void ensure_rules_are_read(
	struct address_rules *codes, uint32_t number, uint64_t end)
{
	struct address_rules_code *code = &codes->codes[number];
	bool is_mine, is_missing;

	pthread_mutex_lock(&codes->lock);
	is_mine = code->state == UNKNOWN;
	if (is_mine)
		code->state = BEING_READ;
	while (!is_mine && code->state != READ)
		pthread_cond_wait(&codes->was_read, &codes->lock);
	pthread_mutex_unlock(&codes->lock);
	if (!is_mine)
		return;
	is_missing = read_dso_rules(codes, number, end);
	if (codes->records_lookups)
		array_each(&code->rules.cfis, cfi)
			cfi_lookups_start(*cfi);
	pthread_mutex_lock(&codes->lock);
	if (is_missing && codes->n_missing++ == 0)
		codes->first_missing = number;
	code->state = READ;
	pthread_cond_broadcast(&codes->was_read);
	pthread_mutex_unlock(&codes->lock);
}

bool address_rules_find(struct address_rules *codes, uint32_t space,
	uint64_t pc, struct unwind_code *ret)
{
	struct maps_part part;
	const struct mapping *mapping =
		maps_find_part(codes->survey->maps, space, pc, &part);
	struct address_rules_code *code;
	uint64_t offset;

	if (!mapping || mapping->is_data)
		return false;
	code = &codes->codes[mapping->dso];
	offset = pc - mapping->start + mapping->offset;
	if (atomic_load_explicit(&code->state, memory_order_acquire) != READ)
		ensure_rules_are_read(codes, mapping->dso, offset);
	*ret = (struct unwind_code){ .start = part.start, .end = part.end };
	if (code->jit.dump) {
		struct jitcodes_part found;

		/* Only one thread may use a jitdump at a time. */
		pthread_mutex_lock(&codes->lock);
		found = jitdumps_code_find(&code->jit, offset);
		if (found.code)
			ret->cfi = jitcodes_rules(
				code->jit.dump->codes, found.code);
		if (ret->cfi && codes->records_lookups)
			cfi_lookups_start(ret->cfi);
		pthread_mutex_unlock(&codes->lock);
		ret->start = MAX(ret->start, found.start);
		ret->end = MIN(ret->end, found.end);
	} else {
		/*
		 * Find the rules at the offset in the DSO, which is mapped at
		 * PC.
		 */
		struct dso_rules_answer answer =
			dso_rules_find(&code->rules, offset);

		ret->start = pc - MIN(pc - ret->start, offset - answer.start);
		ret->end = pc + MIN(ret->end - pc, answer.end - offset);
		ret->cfi = answer.cfi;
		ret->bias = pc - (offset + answer.delta);
	}
	return true;
}

/*
 * Reads the code of QUERY. ELF sections that are adjacent in memory are read as
 * one block.
 */
static size_t read_adjacent_code(struct address_rules *codes,
	const struct code_query *query, uint8_t *out)
{
	struct code_query rest = *query;
	struct code_facts unused;
	size_t n;

	if (!codes->bytes)
		codes->bytes = code_bytes_create(codes->files);
	while (rest.size) {
		n = code_bytes_read(codes->bytes, &rest,
			out + (query->size - rest.size), &unused);
		if (!n)
			break;
		rest.place += n;
		rest.size -= n;
	}
	return query->size - rest.size;
}

size_t address_rules_read_code(struct address_rules *codes, uint32_t space,
	uint64_t address, uint8_t *out, size_t size)
{
	const struct mapping *mapping =
		maps_find(codes->survey->maps, space, address);
	struct code_query query;
	struct address_rules_code *code;
	size_t n;

	if (!mapping || mapping->is_data)
		return 0;
	query = (struct code_query){ mapping->dso,
		address - mapping->start + mapping->offset,
		MIN(size, mapping->end - address) };
	pthread_mutex_lock(&codes->lock);
	n = read_adjacent_code(codes, &query, out);
	code = &codes->codes[query.dso];
	if (codes->records_lookups && n) {
		/*
		 * Ranges are united from time to time, because the same code is
		 * read for many stacks.
		 */
		if (code->used.ranges.n >= code->used_limit) {
			address_ranges_flatten(&code->used);
			code->used_limit = 2 * code->used.ranges.n + USED_MIN;
		}
		if (code->used.ranges.n < USED_MAX)
			*array_push(&code->used.ranges) =
				(struct address_range){ query.place,
					query.place + n, 0 };
	}
	pthread_mutex_unlock(&codes->lock);
	return n;
}

static bool find_space_code(void *data, uint64_t pc, struct unwind_code *ret)
{
	const struct address_rules_space *space = data;

	return address_rules_find(space->rules, space->space, pc, ret);
}

static size_t read_space_code(
	void *data, uint64_t address, uint8_t *bytes, size_t size)
{
	const struct address_rules_space *space = data;

	return address_rules_read_code(
		space->rules, space->space, address, bytes, size);
}

struct unwind_space address_rules_space(struct address_rules_space *space)
{
	return (struct unwind_space){ space->space + UINT64_C(1),
		find_space_code, space, read_space_code };
}

bool address_rules_put(
	const struct address_rules *codes, uint32_t number, struct strbuf *out)
{
	const struct address_rules_code *code = &codes->codes[number];

	if (code->jit.dump)
		dso_rules_put_jit(&code->jit, out);
	/*
	 * Only rules of the recorded file are packed, because readers prefer
	 * packed rules to those of files.
	 */
	else if (code->is_certain)
		dso_rules_put(&code->rules, out);
	if (out->n <= PUT_MAX)
		return out->n > 0;
	log_note("%s: its unwind rules were not added: they exceed %lu MiB",
		maps_dso(codes->survey->maps, number)->path, PUT_MAX / MIB(1));
	return false;
}

const struct address_ranges *address_rules_used_code(
	struct address_rules *codes, uint32_t number)
{
	struct address_rules_code *code = &codes->codes[number];

	address_ranges_flatten(&code->used);
	return &code->used;
}

uint32_t address_rules_missing(
	const struct address_rules *codes, const char **first_ret)
{
	if (codes->n_missing)
		*first_ret = maps_dso(codes->survey->maps, codes->first_missing)
				     ->path;
	return codes->n_missing;
}
