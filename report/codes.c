/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/codes.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/alloc.h"
#include "common/cfi_cache.h"
#include "common/elf.h"

/* More pieces of code than linkers make of one file. */
#define SEGMENTS_MAX 8u

enum state { UNKNOWN, BEING_READ, READ };

/* What is kept of a file. */
struct code {
	struct cfi *cfi;              /* owned; NULL: no rules are known */
	struct elf_segment *segments; /* owned */
	struct dump_code made; /* of code without a file */
	size_t n_segments;
	_Atomic enum state state;
};

struct codes {
	const struct survey *survey;
	struct files *files; /* borrowed */
	struct cache *cache; /* of rules; owned, NULL: none */
	struct code *codes;  /* by number of survey->maps */
	pthread_mutex_t lock; /* of states on their way, and of what follows */
	pthread_cond_t was_read;
	uint32_t n_missing, first_missing;
};

struct codes *codes_create(const struct survey *survey, struct files *files)
{
	struct codes *codes = xcalloc(1, sizeof(*codes));

	codes->survey = survey;
	codes->files = files;
	codes->cache = cache_open(CFI_CACHE, NULL);
	codes->codes =
		xcalloc(maps_n_dsos(survey->maps), sizeof(*codes->codes));
	pthread_mutex_init(&codes->lock, NULL);
	pthread_cond_init(&codes->was_read, NULL);
	return codes;
}

void codes_destroy(struct codes *codes)
{
	uint32_t i;

	if (!codes)
		return;
	for (i = 0; i < maps_n_dsos(codes->survey->maps); i++) {
		cfi_destroy(codes->codes[i].cfi);
		free(codes->codes[i].segments);
	}
	free(codes->codes);
	cache_close(codes->cache);
	pthread_mutex_destroy(&codes->lock);
	pthread_cond_destroy(&codes->was_read);
	free(codes);
}

static void compile(struct codes *codes, struct elf_file *file, uint32_t number)
{
	struct elf_segment segments[SEGMENTS_MAX];
	struct elf_file *debug = files_open_debug(codes->files, number);
	struct code *code = &codes->codes[number];
	struct error *err =
		cfi_cache_create(codes->cache, file, debug, &code->cfi);

	/* No rules that can be read are no rules. */
	error_free(err);
	elf_file_close(debug);
	code->n_segments = elf_file_segments(file, segments, SEGMENTS_MAX);
	code->segments = xcalloc(code->n_segments, sizeof(*segments));
	if (code->n_segments)
		memcpy(code->segments, segments,
			code->n_segments * sizeof(*segments));
}

/* Memory without a file has no rules, which is nothing to tell. */
static bool has_file(const struct dso *dso)
{
	return dso->path[0] == '/' || string_is(dso->path, "[vdso]");
}

/* True if DSO's file should be there, but isn't. */
static bool read_file(struct codes *codes, uint32_t number, uint64_t end)
{
	const struct dso *dso = maps_dso(codes->survey->maps, number);
	enum store_trust trust;
	struct elf_file *file;

	codes->codes[number].made = files_dump(codes->files, number);
	if (dso->is_data || maps_is_anonymous(dso->path) || !has_file(dso))
		return false;
	file = files_fetch(codes->files, number, end, &trust);
	if (!file)
		return true;
	compile(codes, file, number);
	elf_file_close(file);
	return false;
}

/* One thread reads a file, those that need the same one wait. */
static void make_known(struct codes *codes, uint32_t number, uint64_t end)
{
	struct code *code = &codes->codes[number];
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
	is_missing = read_file(codes, number, end);
	pthread_mutex_lock(&codes->lock);
	if (is_missing && codes->n_missing++ == 0)
		codes->first_missing = number;
	code->state = READ;
	pthread_cond_broadcast(&codes->was_read);
	pthread_mutex_unlock(&codes->lock);
}

/* What is added to an address to get the one that its code is linked at. */
static bool find_delta(
	const struct code *code, uint64_t offset, uint64_t *delta_ret)
{
	size_t i;

	for (i = 0; i < code->n_segments; i++) {
		const struct elf_segment *segment = &code->segments[i];

		if (offset < segment->start || offset >= segment->end)
			continue;
		*delta_ret = segment->delta;
		return true;
	}
	return false;
}

/* By what a jitdump tells; a dump is for one thread at a time. */
static void find_made(struct codes *codes, const struct code *code,
	uint64_t offset, struct unwind_code *ret)
{
	struct jitcodes_part part;

	pthread_mutex_lock(&codes->lock);
	part = dump_find(&code->made, offset);
	if (part.code)
		ret->cfi = jitcodes_rules(code->made.dump->codes, part.code);
	pthread_mutex_unlock(&codes->lock);
	ret->start = MAX(ret->start, part.start);
	ret->end = MIN(ret->end, part.end);
}

bool codes_find(struct codes *codes, uint32_t space, uint64_t pc,
	struct unwind_code *ret)
{
	struct maps_part part;
	const struct mapping *mapping = maps_find_part(
		codes->survey->maps, space, pc, &part);
	struct code *code;
	uint64_t delta;

	if (!mapping ||
		maps_dso(codes->survey->maps, mapping->dso)->is_data)
		return false;
	code = &codes->codes[mapping->dso];
	if (atomic_load_explicit(&code->state, memory_order_acquire) != READ)
		make_known(codes, mapping->dso,
			pc - mapping->start + mapping->offset);
	*ret = (struct unwind_code){ .start = part.start, .end = part.end };
	if (code->made.dump) {
		find_made(codes, code,
			pc - mapping->start + mapping->offset, ret);
		return true;
	}
	if (!code->cfi ||
		!find_delta(code, pc - mapping->start + mapping->offset,
			&delta))
		return true;
	ret->cfi = code->cfi;
	ret->bias = mapping->start - mapping->offset - delta;
	return true;
}

uint32_t codes_missing(const struct codes *codes, const char **first_ret)
{
	if (codes->n_missing)
		*first_ret = maps_dso(codes->survey->maps,
			codes->first_missing)->path;
	return codes->n_missing;
}
