/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/rules.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "common/elf/elf.h"
#include "common/unwind/cfi.h"
#include "common/unwind/cfi_program.h"
#include "common/unwind/unwind_arch.h"
#include "common/util/alloc.h"
#include "record/bpf/bpf_unwind.h"
#include "record/unwind/cfi_files.h"
#include "record/unwind/code_pages.h"
#include "record/unwind/jitrules.h"

/*
 * The timeout for opening one file: on a busy machine, opening can take long.
 */
#define OPEN_TIMEOUT_MS 3000u
/*
 * Maximum number of open files, with two descriptors each, or three with a
 * debug file.
 */
#define FILES_MAX 512u
/*
 * Unused files are closed after this number of batches that exceeded FILES_MAX.
 */
#define LACKING_BATCHES_MAX 64u
#define NOT_KNOWN UINT32_MAX
/* Sections that compilers write to programs and libraries. */
static const char *const compiler_sections[RULES_COMPILERS] = {
	[RULES_GHC] = ".debug-ghc-link-info",
	[RULES_FREE_PASCAL] = ".fpcdata",
};

/* A file, with the unwind rules of its code while the file is open. */
struct rules_file_state {
	char *path; /* owned */
	struct build_id build_id;
	uint64_t inode, generation;
	struct cfi *cfi;      /* owned; NULL: no rules */
	struct elf_file *elf; /* owned; NULL: not opened */
	bool is_open;	      /* opened, or the attempt failed */
	enum rules_compiler compiler;
	bool is_used;
};

struct rules {
	struct cfi_files cfi_files;
	enum unwind_arch arch;	    /* of this machine */
	struct bpf_unwind *bpf;	    /* borrowed, or NULL */
	struct cache *cache;	    /* cache files of rules; NULL: no cache */
	struct code_pages *pages;   /* by the index in .files; owned */
	pthread_mutex_t lock;	    /* guards all following members */
	struct jitrules *jit_rules; /* rules of JIT code; NULL: no tracker */
	bool has_jit_rules;	    /* atomic: .jit_rules was used */
	struct jitrules_live *live; /* bytes of JIT code; owned */
	ARRAY(struct rules_file_state *) files;
	ARRAY(uint32_t) by_dso; /* index into .files, or NOT_KNOWN */
	struct hash_index by_file;
	size_t n_open; /* number of open files */
	bool needs_space;
	unsigned n_needing_space; /* batches that exceeded FILES_MAX */
	uint64_t n_closings;	  /* of unused files; atomic */
};

struct rules *rules_create(struct file_tracker *tracker)
{
	struct rules *rules = xcalloc(1, sizeof(*rules));
	struct utsname names;

	uname(&names);
	rules->arch = unwind_arch_of_name(names.machine);
	rules->cfi_files = (struct cfi_files){ tracker,
		timed_worker_create(OPEN_TIMEOUT_MS) };
	rules->cache = cache_open(CFI_CACHE, NULL);
	rules->pages = code_pages_create();
	rules->live = jitrules_live_create();
	if (tracker)
		rules->jit_rules = jitrules_create(tracker);
	pthread_mutex_init(&rules->lock, NULL);
	return rules;
}

static void close_rules_file(struct rules *rules, struct rules_file_state *file)
{
	cfi_destroy(take_pointer(file->cfi));
	rules->n_open -= !!file->elf;
	elf_file_close(take_pointer(file->elf));
	file->is_open = false;
}

void rules_destroy(struct rules *rules)
{
	if (!rules)
		return;
	array_each(&rules->files, file) {
		close_rules_file(rules, *file);
		free((*file)->path);
		free(*file);
	}
	array_free(&rules->files);
	array_free(&rules->by_dso);
	hash_free(&rules->by_file);
	jitrules_destroy(rules->jit_rules);
	jitrules_live_destroy(rules->live);
	timed_worker_destroy(rules->cfi_files.worker);
	cache_close(rules->cache);
	code_pages_destroy(rules->pages);
	pthread_mutex_destroy(&rules->lock);
	free(rules);
}

void rules_restart(struct rules *rules)
{
	pthread_mutex_lock(&rules->lock);
	rules->by_dso.n = 0;
	pthread_mutex_unlock(&rules->lock);
}

void rules_set_bpf(struct rules *rules, struct bpf_unwind *bpf)
{
	rules->bpf = bpf;
}

/*
 * Gives the rules of FILE, which is mapped at MAPPING, to the BPF program under
 * the numbers in KEY. Call with the lock held, because libelf is not thread-safe.
 */
static void share_rules_as(struct rules *rules, const struct chain_file *key,
	const struct rules_file_state *file, const struct mapping *mapping)
{
	uint64_t delta = 0;

	if (file->cfi)
		delta = elf_file_address(file->elf, mapping->offset) -
			mapping->offset;
	bpf_unwind_add_table(rules->bpf, key, file->cfi, delta);
}

static void open_rules_file(struct rules *rules, struct rules_file_state *file,
	const struct dso *dso, const struct mapping *mapping, uint32_t pid)
{
	struct chain_file key = { .inode = 1 }; /* the vdso */
	struct elf_file *debug;
	struct stat status;
	unsigned i;

	file->is_used = true;
	if (file->is_open)
		return;
	if (rules->n_open == FILES_MAX) {
		rules->needs_space = true;
		return;
	}
	file->is_open = true;
	file->elf = cfi_files_open(&rules->cfi_files, dso, mapping, pid);
	rules->n_open += !!file->elf;
	if (!file->elf)
		return;
	file->compiler = RULES_OTHER_COMPILER;
	for (i = RULES_COMPILERS; i-- > 0;)
		if (compiler_sections[i] &&
			elf_file_has_section(file->elf, compiler_sections[i]))
			file->compiler = (enum rules_compiler)i;
	debug = cfi_files_open_debug(&rules->cfi_files, file->elf, dso, pid);
	/* A file without rules is not an error. */
	error_free(
		cfi_cache_create(rules->cache, file->elf, debug, &file->cfi));
	elf_file_close(debug);
	if (!rules->bpf || !file->cfi)
		return;
	/* BPF finds the rules under the numbers that system calls return. */
	if (!maps_is_vdso(file->path)) {
		if (fstat(elf_file_fd(file->elf), &status) < 0)
			return;
		key.inode = status.st_ino;
		key.device = major(status.st_dev) << 20 | minor(status.st_dev);
	}
	share_rules_as(rules, &key, file, mapping);
}

static uint32_t add_rules_file(struct rules *rules, const struct dso *dso)
{
	uint64_t hash = hash_words(hash_string(dso->path), dso->inode);
	struct rules_file_state *file;

	hash_each_match(&rules->by_file, hash, i)
		if (rules->files.at[i]->inode == dso->inode &&
			rules->files.at[i]->generation == dso->generation &&
			build_id_equal(&rules->files.at[i]->build_id,
				&dso->build_id) &&
			string_is(rules->files.at[i]->path, dso->path))
			return i;
	file = xcalloc(1, sizeof(*file));
	file->path = xstrdup(dso->path);
	file->build_id = dso->build_id;
	file->inode = dso->inode;
	file->generation = dso->generation;
	hash_insert(&rules->by_file, hash, (uint32_t)rules->files.n);
	*array_push(&rules->files) = file;
	return (uint32_t)rules->files.n - 1;
}

void rules_prepare(struct rules *rules, const struct record_mmap *map)
{
	const struct dso dso = {
		.path = (char *)maps_dso_path(map),
		.build_id = map->build_id,
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
		.generation = map->generation,
	};
	const struct mapping mapping = { .start = map->start,
		.end = map->start + map->size,
		.offset = map->offset };

	if (maps_is_anonymous(dso.path))
		return;
	pthread_mutex_lock(&rules->lock);
	if (rules->n_open < FILES_MAX / 2) {
		uint32_t number = add_rules_file(rules, &dso);

		open_rules_file(rules, rules->files.at[number], &dso, &mapping,
			map->pid);
	}
	pthread_mutex_unlock(&rules->lock);
}

/*
 * Returns the file of MAPPING, opened if possible. The result remains valid;
 * only rules_settle() closes the file.
 */
static const struct rules_file_state *find_rules_file(struct rules *rules,
	const struct rules_place *place, const struct mapping *mapping,
	uint32_t *number_ret)
{
	const struct dso *dso = maps_dso(place->maps, mapping->dso);
	struct rules_file_state *file;
	uint32_t *number;

	pthread_mutex_lock(&rules->lock);
	while (rules->by_dso.n <= mapping->dso)
		*array_push(&rules->by_dso) = NOT_KNOWN;
	number = &rules->by_dso.at[mapping->dso];
	if (*number == NOT_KNOWN)
		*number = add_rules_file(rules, dso);
	file = rules->files.at[*number];
	open_rules_file(rules, file, dso, mapping, place->pid);
	*number_ret = *number;
	pthread_mutex_unlock(&rules->lock);
	return file;
}

void rules_share_unknown(struct rules *rules, const struct rules_place *place)
{
	const struct rules_file_state *file;
	const struct mapping *mapping;
	struct chain_unknown unknown;
	uint32_t number;

	while (rules->bpf &&
		bpf_unwind_take_unknown(rules->bpf, place->pid, &unknown)) {
		mapping = maps_find(place->maps, place->space, unknown.pc);
		if (!mapping || mapping->is_data ||
			maps_is_anonymous(
				maps_dso(place->maps, mapping->dso)->path))
			continue;
		file = find_rules_file(rules, place, mapping, &number);
		pthread_mutex_lock(&rules->lock);
		if (file->is_open)
			share_rules_as(rules, &unknown.file, file, mapping);
		pthread_mutex_unlock(&rules->lock);
	}
}

uint64_t rules_version(struct rules *rules, const struct rules_place *place)
{
	uint64_t n = __atomic_load_n(&rules->n_closings, __ATOMIC_RELAXED);
	uint64_t state;

	if (!__atomic_load_n(&rules->has_jit_rules, __ATOMIC_RELAXED))
		return hash_words(0, n);
	pthread_mutex_lock(&rules->lock);
	state = jitrules_version(rules->jit_rules, place->pid, place->time);
	pthread_mutex_unlock(&rules->lock);
	return hash_words(state, n);
}

void rules_settle(struct rules *rules)
{
	pthread_mutex_lock(&rules->lock);
	if (rules->jit_rules)
		jitrules_settle(rules->jit_rules);
	/*
	 * Close files that were not used since the last closing. Unwinders
	 * cache rules without marking their file as used, so each closing
	 * changes rules_version(): then all rules are requested from files
	 * again.
	 */
	if (rules->needs_space &&
		++rules->n_needing_space >= LACKING_BATCHES_MAX) {
		rules->needs_space = false;
		rules->n_needing_space = 0;
		__atomic_add_fetch(&rules->n_closings, 1, __ATOMIC_RELAXED);
		array_each(&rules->files, file) {
			if (!(*file)->is_used)
				close_rules_file(rules, *file);
			(*file)->is_used = false;
		}
	}
	pthread_mutex_unlock(&rules->lock);
}

bool rules_has_jitdump(struct rules *rules, const struct rules_place *place)
{
	bool has_dump;

	if (!rules->jit_rules)
		return false;
	pthread_mutex_lock(&rules->lock);
	has_dump = jitrules_has_dump(rules->jit_rules, place->pid, place->time);
	__atomic_store_n(&rules->has_jit_rules, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&rules->lock);
	return has_dump;
}

bool rules_find(struct rules *rules, const struct rules_place *place,
	uint64_t pc, struct unwind_code *ret)
{
	struct maps_part part;
	const struct mapping *mapping =
		maps_find_part(place->maps, place->space, pc, &part);
	const struct rules_file_state *file;
	uint64_t offset;
	uint32_t number;

	if (!mapping || mapping->is_data)
		return false;
	*ret = (struct unwind_code){ .start = part.start, .end = part.end };
	if (maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path)) {
		struct jitrules_part jit;

		if (!rules->jit_rules)
			return true;
		pthread_mutex_lock(&rules->lock);
		jit = jitrules_find(
			rules->jit_rules, place->pid, pc, place->time);
		__atomic_store_n(&rules->has_jit_rules, true, __ATOMIC_RELAXED);
		pthread_mutex_unlock(&rules->lock);
		ret->start = MAX(ret->start, jit.start);
		ret->end = MIN(ret->end, jit.end);
		ret->cfi = jit.cfi;
		return true;
	}
	file = find_rules_file(rules, place, mapping, &number);
	if (!file->cfi)
		return true;
	offset = pc - mapping->start + mapping->offset;
	ret->cfi = file->cfi;
	/* libelf is not thread-safe. */
	pthread_mutex_lock(&rules->lock);
	ret->bias = pc - elf_file_address(file->elf, offset);
	pthread_mutex_unlock(&rules->lock);
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
	*path_ret = find_rules_file(rules, place, mapping, number_ret)->path;
	return true;
}

/* Returns the file that is mapped at PC as code, or NULL. */
static const struct rules_file_state *find_file_at(
	struct rules *rules, const struct rules_place *place, uint64_t pc)
{
	const struct mapping *mapping =
		maps_find(place->maps, place->space, pc);
	uint32_t number;

	if (!mapping || mapping->is_data ||
		maps_dso(place->maps, mapping->dso)->path[0] != '/' ||
		maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path))
		return NULL;
	return find_rules_file(rules, place, mapping, &number);
}

bool rules_file_is_missing(
	struct rules *rules, const struct rules_place *place, uint64_t pc)
{
	const struct rules_file_state *file = find_file_at(rules, place, pc);

	return file && file->is_open && !file->elf;
}

enum rules_compiler rules_compiler_of(
	struct rules *rules, const struct rules_place *place, uint64_t pc)
{
	const struct rules_file_state *file = find_file_at(rules, place, pc);

	return file ? file->compiler : RULES_OTHER_COMPILER;
}

size_t rules_code(struct rules *rules, const struct rules_place *place,
	uint64_t address, uint8_t *bytes, size_t size)
{
	const struct mapping *mapping =
		maps_find(place->maps, place->space, address);
	const struct rules_file_state *file;
	struct code_pages_file pages_file;
	uint32_t number;

	if (!mapping || mapping->is_data)
		return 0;
	size = MIN(size, mapping->end - address);
	if (maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path)) {
		pthread_mutex_lock(&rules->lock);
		size = jitrules_live_read(
			rules->live, place->pid, address, bytes, size);
		pthread_mutex_unlock(&rules->lock);
		return size;
	}
	file = find_rules_file(rules, place, mapping, &number);
	if (!file->elf)
		return 0;
	pages_file = (struct code_pages_file){ number, elf_file_fd(file->elf) };
	return code_pages_read(rules->pages, &pages_file,
		address - mapping->start + mapping->offset, bytes, size);
}

bool rules_follows_call(
	struct rules *rules, const struct rules_place *place, uint64_t address)
{
	uint8_t bytes[UNWIND_CALLS_BYTES];

	return rules_code(rules, place, address - sizeof(bytes), bytes,
		       sizeof(bytes)) == sizeof(bytes) &&
		unwind_ends_with_call(rules->arch, bytes, sizeof(bytes));
}

static bool function_starts_at(
	struct rules *rules, const struct rules_place *place, uint64_t address)
{
	const struct cfi_section *unused;
	struct unwind_code code;
	struct cfi_row row;

	return rules_find(rules, place, address, &code) && code.cfi &&
		cfi_row(code.cfi, address - code.bias, &row, &unused) &&
		row.start == address - code.bias;
}

bool rules_is_stack_start(
	struct rules *rules, const struct rules_place *place, uint64_t address)
{
	return function_starts_at(rules, place, address) ||
		function_starts_at(rules, place, address - 1);
}

/* --- rules of files that were just mapped --------------------------------- */

/* Limit of waiting mappings; the rules of others are read when needed. */
#define WAITING_MAX 1024u

/* A mapping of a file that was not mapped before. */
struct rules_waiting {
	struct record_mmap map;
	char *path; /* owned; map.path */
};

struct rules_ahead {
	struct rules *rules;
	struct file_tracker *tracker;
	pthread_t thread;
	pthread_mutex_t lock; /* guards the following members */
	pthread_cond_t news;
	bool is_over;
	ARRAY(struct rules_waiting) waiting;
	struct hash_index seen; /* hashes of files */
};

static void take_mapping(void *data, const struct record_mmap *map)
{
	uint64_t hash = hash_words(hash_string(map->path), map->inode);
	struct rules_ahead *ahead = data;
	struct rules_waiting *added;
	bool is_new = true;

	pthread_mutex_lock(&ahead->lock);
	hash_each_match(&ahead->seen, hash, i) {
		(void)i;
		is_new = false;
	}
	if (is_new && ahead->waiting.n < WAITING_MAX) {
		hash_insert(&ahead->seen, hash, 0);
		added = array_push(&ahead->waiting);
		added->map = *map;
		added->map.path = added->path = xstrdup(map->path);
		pthread_cond_signal(&ahead->news);
	}
	pthread_mutex_unlock(&ahead->lock);
}

/* Waits for a mapping. Returns false if there will be none. */
static bool next_mapping(struct rules_ahead *ahead, struct rules_waiting *ret)
{
	bool is_over;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->is_over && !ahead->waiting.n)
		pthread_cond_wait(&ahead->news, &ahead->lock);
	is_over = ahead->is_over;
	if (!is_over) {
		*ret = ahead->waiting.at[0];
		memmove(ahead->waiting.at, ahead->waiting.at + 1,
			--ahead->waiting.n * sizeof(*ret));
	}
	pthread_mutex_unlock(&ahead->lock);
	return !is_over;
}

static void *run_ahead(void *data)
{
	struct rules_ahead *ahead = data;
	struct rules_waiting waiting;

	while (next_mapping(ahead, &waiting)) {
		rules_prepare(ahead->rules, &waiting.map);
		free(waiting.path);
	}
	return NULL;
}

static void free_ahead(struct rules_ahead *ahead)
{
	array_each(&ahead->waiting, waiting)
		free(waiting->path);
	array_free(&ahead->waiting);
	hash_free(&ahead->seen);
	pthread_cond_destroy(&ahead->news);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

struct rules_ahead *rules_ahead_create(
	struct rules *rules, struct file_tracker *tracker)
{
	struct rules_ahead *ahead = xcalloc(1, sizeof(*ahead));

	ahead->rules = rules;
	ahead->tracker = tracker;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->news, NULL);
	if (pthread_create(&ahead->thread, NULL, run_ahead, ahead)) {
		free_ahead(ahead);
		return NULL;
	}
	file_tracker_on_mapping(tracker, take_mapping, ahead);
	return ahead;
}

void rules_ahead_destroy(struct rules_ahead *ahead)
{
	if (!ahead)
		return;
	file_tracker_on_mapping(ahead->tracker, NULL, NULL);
	pthread_mutex_lock(&ahead->lock);
	ahead->is_over = true;
	pthread_cond_signal(&ahead->news);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	free_ahead(ahead);
}
