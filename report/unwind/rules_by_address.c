/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/rules_by_address.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/unwind/cfi_cache.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/symbols/code_bytes.h"
#include "report/unwind/jit_rules.h"
#include "report/unwind/packed_rules.h"

/* More pieces of code than linkers make of one file. */
#define SEGMENTS_MAX 8u
/* Of a DSO's rules as bytes; what is larger is left out, which is said. */
#define PUT_MAX MIB(128)

enum state { UNKNOWN, BEING_READ, READ };

/* What is kept of a DSO. */
struct code {
	struct dso_rules rules;
	struct dump_code made; /* of code without a file */
	struct codes *all;
	uint64_t end;          /* a file offset that samples reached */
	bool is_certain;       /* they are of what ran */
	_Atomic enum state state;
};

struct codes {
	const struct survey *survey;
	struct files *files; /* borrowed */
	struct cache *cache; /* of rules; owned, NULL: none */
	struct packed_dsos *packed; /* those in the recording; owned, or NULL */
	struct code *codes;  /* by number of survey->maps */
	bool is_watched;
	/* Of states on their way, of made code, and of what follows. */
	pthread_mutex_t lock;
	struct code_bytes *bytes; /* owned; NULL: nobody has asked yet */
	pthread_cond_t was_read;
	uint32_t n_missing, first_missing;
};

struct codes *codes_create(const struct survey *survey, struct files *files)
{
	struct codes *codes = xcalloc(1, sizeof(*codes));

	codes->survey = survey;
	codes->files = files;
	codes->cache = cache_open(CFI_CACHE, NULL);
	codes->packed = packed_rules_create(files_reader(files));
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
	for (i = 0; i < maps_n_dsos(codes->survey->maps); i++)
		dso_rules_deinit(&codes->codes[i].rules);
	free(codes->codes);
	cache_close(codes->cache);
	code_bytes_destroy(codes->bytes);
	packed_dsos_destroy(codes->packed);
	pthread_mutex_destroy(&codes->lock);
	pthread_cond_destroy(&codes->was_read);
	free(codes);
}

void codes_watch(struct codes *codes)
{
	codes->is_watched = true;
}

/* Memory without a file has no rules, which is nothing to tell. */
static bool has_file(const struct dso *dso)
{
	return !dso->is_data && !maps_is_anonymous(dso->path) &&
		(dso->path[0] == '/' || maps_is_vdso(dso->path));
}

static void watch(const struct codes *codes, const struct dso_rules *rules)
{
	if (codes->is_watched)
		array_each(&rules->cfis, cfi)
			cfi_watch(*cfi);
}

static void compile(struct codes *codes, struct elf_file *file,
	uint32_t number, struct dso_rules *ret)
{
	struct elf_segment segments[SEGMENTS_MAX];
	struct elf_file *debug = files_open_debug(codes->files, number);
	struct cfi *cfi = NULL;
	struct error *err = cfi_cache_create(codes->cache, file, debug, &cfi);

	/* No rules that can be read are no rules. */
	error_free(err);
	elf_file_close(debug);
	if (cfi)
		dso_rules_add(ret, cfi, segments,
			elf_file_segments(file, segments, SEGMENTS_MAX));
}

/* The rules of the file itself, as long as it is what was packed. */
static struct cfi *find_rest(void *data)
{
	struct code *code = data;
	struct codes *codes = code->all;
	uint32_t number = (uint32_t)(code - codes->codes);
	struct dso_rules rules = { 0 };
	struct cfi *cfi = NULL;
	enum store_trust trust;
	struct elf_file *file =
		files_open(codes->files, number, code->end, &trust);

	if (file && trust == STORE_SAME)
		compile(codes, file, number, &rules);
	if (rules.cfis.n && dso_rules_are_alike(&rules, &code->rules)) {
		cfi = rules.cfis.at[--rules.cfis.n];
		if (codes->is_watched)
			cfi_watch(cfi);
	}
	dso_rules_deinit(&rules);
	elf_file_close(file);
	return cfi;
}

/*
 * What the recording has wins: it is of the program that ran. Where files were
 * missing when it was packed, stacks ended early, and not all was asked.
 */
static bool find_packed(struct codes *codes, uint32_t number, uint64_t end)
{
	struct build_id id = files_build_id(codes->files, number);
	struct code *code = &codes->codes[number];
	const void *piece = codes->packed
		? packed_dsos_find(codes->packed,
			  maps_dso(codes->survey->maps, number), &id)
		: NULL;

	code->is_certain = piece &&
		dso_rules_take(piece, files_reader(codes->files),
			&code->rules);
	code->all = codes;
	code->end = end;
	if (code->rules.cfis.n == 1 &&
		has_file(maps_dso(codes->survey->maps, number)))
		cfi_set_rest(code->rules.cfis.at[0], find_rest, code);
	return code->is_certain;
}

/* True if DSO's file should be there, but isn't. */
static bool read_file(struct codes *codes, uint32_t number, uint64_t end)
{
	const struct dso *dso = maps_dso(codes->survey->maps, number);
	enum store_trust trust;
	struct elf_file *file;

	if (find_packed(codes, number, end))
		return false;
	codes->codes[number].made = files_dump(codes->files, number);
	if (!has_file(dso))
		return false;
	file = files_fetch(codes->files, number, end, &trust);
	if (!file)
		return true;
	compile(codes, file, number, &codes->codes[number].rules);
	codes->codes[number].is_certain = trust == STORE_SAME;
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
	watch(codes, &code->rules);
	pthread_mutex_lock(&codes->lock);
	if (is_missing && codes->n_missing++ == 0)
		codes->first_missing = number;
	code->state = READ;
	pthread_cond_broadcast(&codes->was_read);
	pthread_mutex_unlock(&codes->lock);
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
	if (ret->cfi && codes->is_watched)
		cfi_watch(ret->cfi);
	pthread_mutex_unlock(&codes->lock);
	ret->start = MAX(ret->start, part.start);
	ret->end = MIN(ret->end, part.end);
}

/* At OFFSET, where PC is. */
static void find_rules(const struct code *code, uint64_t offset, uint64_t pc,
	struct unwind_code *ret)
{
	struct dso_rules_answer answer = dso_rules_find(&code->rules, offset);

	ret->start = pc - MIN(pc - ret->start, offset - answer.start);
	ret->end = pc + MIN(ret->end - pc, answer.end - offset);
	ret->cfi = answer.cfi;
	ret->bias = pc - (offset + answer.delta);
}

bool codes_find(struct codes *codes, uint32_t space, uint64_t pc,
	struct unwind_code *ret)
{
	struct maps_part part;
	const struct mapping *mapping = maps_find_part(
		codes->survey->maps, space, pc, &part);
	struct code *code;
	uint64_t offset;

	if (!mapping || mapping->is_data)
		return false;
	code = &codes->codes[mapping->dso];
	offset = pc - mapping->start + mapping->offset;
	if (atomic_load_explicit(&code->state, memory_order_acquire) != READ)
		make_known(codes, mapping->dso, offset);
	*ret = (struct unwind_code){ .start = part.start, .end = part.end };
	if (code->made.dump)
		find_made(codes, code, offset, ret);
	else
		find_rules(code, offset, pc, ret);
	return true;
}

/* Sections that adjoin are one piece, as they are in memory. */
static size_t read_bytes(
	struct codes *codes, const struct code_wish *wish, uint8_t *out)
{
	struct code_wish rest = *wish;
	struct code_facts unused;
	size_t n;

	if (!codes->bytes)
		codes->bytes = code_bytes_create(codes->files);
	while (rest.size) {
		n = code_bytes_read(codes->bytes, &rest,
			out + (wish->size - rest.size), &unused);
		if (!n)
			break;
		rest.place += n;
		rest.size -= n;
	}
	return wish->size - rest.size;
}

size_t codes_read(struct codes *codes, uint32_t space, uint64_t address,
	uint8_t *out, size_t size)
{
	const struct mapping *mapping =
		maps_find(codes->survey->maps, space, address);
	struct code_wish wish;
	size_t n;

	if (!mapping || mapping->is_data)
		return 0;
	wish = (struct code_wish){ mapping->dso,
		address - mapping->start + mapping->offset,
		MIN(size, mapping->end - address) };
	pthread_mutex_lock(&codes->lock);
	n = read_bytes(codes, &wish, out);
	pthread_mutex_unlock(&codes->lock);
	return n;
}

bool codes_put(
	const struct codes *codes, uint32_t number, struct strbuf *out)
{
	const struct code *code = &codes->codes[number];

	if (code->made.dump)
		made_rules_put(&code->made, out);
	/* What is packed wins from then on. */
	else if (code->is_certain)
		dso_rules_put(&code->rules, out);
	if (out->n <= PUT_MAX)
		return out->n > 0;
	log_note("%s: its unwinding rules are left out: they are more than "
		 "%lu MiB",
		maps_dso(codes->survey->maps, number)->path, PUT_MAX / MIB(1));
	return false;
}

uint32_t codes_missing(const struct codes *codes, const char **first_ret)
{
	if (codes->n_missing)
		*first_ret = maps_dso(codes->survey->maps,
			codes->first_missing)->path;
	return codes->n_missing;
}
