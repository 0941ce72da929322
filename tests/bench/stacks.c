/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "stacks.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/perf/userchain.h"
#include "common/unwind/cfi_program.h"

/* The kernel's chains are shorter: kernel.perf_event_max_stack is 127. */
#define CHAIN_MAX 1024u

static _noreturn_ void die(const char *text)
{
	fprintf(stderr, "stacks: %s\n", text);
	exit(1);
}

static uint64_t mask_of(const struct reader *reader, size_t event)
{
	return reader_event(reader, event)->attr.sample_regs_user;
}

static void take_chain(struct sample *sample, struct stacks_sample *taken)
{
	static uint64_t joined[CHAIN_MAX];
	bool is_user = false;
	uint64_t i;

	userchain_frames_join(sample, joined, CHAIN_MAX);
	for (i = 0; i < sample->n_chain; i++) {
		uint64_t entry = sample_chain_entry(sample, i);

		if (is_user)
			*array_push(&taken->kernel) = entry;
		is_user = is_user || entry == PERF_CONTEXT_USER;
	}
}

static void take_sample(struct stacks *stacks, const struct record *record)
{
	size_t event = reader_event_of(stacks->reader, record);
	struct unwind_registers registers;
	struct stacks_sample *taken;
	struct sample sample;
	uint8_t *bytes;

	if (!sample_read(
		    reader_layout(stacks->reader, event), record, &sample) ||
		!sample.regs_user || !sample.stack_size ||
		sample.stack_size > stacks->size - stacks->used ||
		!unwind_registers_read(stacks->arch,
			mask_of(stacks->reader, event), sample.regs_user,
			&registers))
		return;
	bytes = stacks->bytes + stacks->used;
	memcpy(bytes, sample.stack, sample.stack_size);
	stacks->used += sample.stack_size;
	taken = array_push(&stacks->samples);
	taken->registers = registers;
	taken->memory.start = registers.value[unwind_numbers[stacks->arch].sp];
	taken->memory.bytes = bytes;
	taken->memory.size = sample.stack_size;
	take_chain(&sample, taken);
	taken->tid = sample.tid;
	taken->space =
		maps_context(stacks->maps, sample.pid, sample.tid, sample.time)
			.space;
}

static void number_threads(struct stacks *stacks)
{
	ARRAY(uint32_t) tids = { 0 };

	array_each(&stacks->samples, sample) {
		uint32_t i = 0;

		while (i < tids.n && tids.at[i] != sample->tid)
			i++;
		if (i == tids.n)
			*array_push(&tids) = sample->tid;
		sample->thread = i;
	}
	stacks->n_threads = (uint32_t)tids.n;
	array_free(&tids);
}

/*
 * Returns true if RECORD is sideband for code. Mappings of data are skipped
 * because they would make new address spaces with the same code. In records
 * that are not mappings, bit MISC_MMAP_DATA has another meaning.
 */
static bool is_of_code(const struct record *record)
{
	bool is_map =
		record->type == RECORD_MMAP || record->type == RECORD_MMAP2;

	return maps_wants_record(record->type) &&
		!(is_map && record->misc & MISC_MMAP_DATA);
}

struct sideband {
	uint64_t time;
	struct record record; /* .data is owned */
};
typedef ARRAY(struct sideband) sideband_array;

static int compare_times(const void *a, const void *b)
{
	const struct sideband *x = a, *y = b;

	return COMPARE(x->time, y->time);
}

static void take_sideband(struct stacks *stacks, const struct record *record,
	sideband_array *sideband)
{
	size_t event = reader_event_of(stacks->reader, record);
	struct sideband *taken;
	struct sample_id id;

	if (!is_of_code(record) ||
		!sample_id_read(
			reader_layout(stacks->reader, event), record, &id))
		return;
	taken = array_push(sideband);
	taken->time = id.time;
	taken->record = *record;
	taken->record.data = xmemdup(record->data, record->size);
}

/*
 * Adds the sideband in the order of time, because in the file a child's FORK
 * may come after the child's exec.
 */
static void load_maps(struct stacks *stacks)
{
	sideband_array sideband = { 0 };
	struct reader_chunk chunk;

	stacks->maps = maps_create();
	while (reader_next(stacks->reader, BLOCK_SIDEBAND, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		while (at < chunk.size &&
			record_at(chunk.data + at, chunk.size - at, false,
				&record)) {
			take_sideband(stacks, &record, &sideband);
			at += record.size;
		}
	}
	array_sort(&sideband, compare_times);
	array_each(&sideband, one) {
		maps_add_record(stacks->maps, &one->record, one->time);
		free((void *)(uintptr_t)one->record.data);
	}
	array_free(&sideband);
}

static void load_samples(struct stacks *stacks)
{
	struct cursor *cursor = cursor_create(stacks->reader);
	struct reader_chunk chunk;
	size_t i;

	for (i = 0; i < reader_n_extents(stacks->reader); i++) {
		cursor_load(cursor, reader_extent(stacks->reader, i));
		while (cursor_next(cursor, &chunk) == 0) {
			struct record record;
			size_t at = 0;

			while (record_at(chunk.data + at, chunk.size - at,
				false, &record)) {
				if (record.type == RECORD_SAMPLE)
					take_sample(stacks, &record);
				at += record.size;
			}
		}
	}
	cursor_destroy(cursor);
	number_threads(stacks);
}

void stacks_load(const char *path, size_t max, struct stacks *ret)
{
	struct error *err;

	memset(ret, 0, sizeof(*ret));
	err = reader_open(path, &ret->reader);
	if (err)
		die(err->text);
	load_maps(ret);
	ret->arch = UNWIND_X86_64;
	/* Huge pages, because otherwise TLB misses take most of the time. */
	ret->size = max;
	ret->bytes = mmap(NULL, max, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ret->bytes == MAP_FAILED)
		die("no memory");
	madvise(ret->bytes, max, MADV_HUGEPAGE);
	load_samples(ret);
}

void stacks_deinit(struct stacks *stacks)
{
	munmap(stacks->bytes, stacks->size);
	array_each(&stacks->files, file) {
		cfi_destroy(file->cfi);
		if (file->bytes)
			munmap((void *)(uintptr_t)file->bytes, file->size);
		elf_file_close(file->elf);
	}
	array_each(&stacks->samples, sample)
		array_free(&sample->kernel);
	array_free(&stacks->samples);
	array_free(&stacks->files);
	maps_destroy(stacks->maps);
	reader_close(stacks->reader);
}

static void map_file(struct stacks_file *file)
{
	struct stat status;
	void *bytes;

	if (fstat(elf_file_fd(file->elf), &status) < 0)
		return;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE,
		elf_file_fd(file->elf), 0);
	if (bytes == MAP_FAILED)
		return;
	file->bytes = bytes;
	file->size = (size_t)status.st_size;
}

static void open_file(struct stacks_file *file, const char *path)
{
	struct error *err;

	if (string_is(path, "[vdso]"))
		file->elf = elf_file_open_vdso();
	else if (*path == '/')
		error_free(elf_file_open(
			open(path, O_RDONLY | O_CLOEXEC), path, &file->elf));
	if (!file->elf)
		return;
	map_file(file);
	err = cfi_create(file->elf, NULL, &file->cfi);
	if (err)
		error_free(err);
	elf_file_section(
		file->elf, ".eh_frame", CFI_SECTION_MAX, &file->eh_frame);
	elf_file_section(file->elf, ".eh_frame_hdr", CFI_SECTION_MAX,
		&file->eh_frame_hdr);
}

struct stacks_file *stacks_file_at(
	struct stacks *stacks, uint32_t space, uint64_t pc, uint64_t *bias_ret)
{
	const struct mapping *mapping = maps_find(stacks->maps, space, pc);
	struct stacks_file *file;

	if (!mapping)
		return NULL;
	while (stacks->files.n <= mapping->dso) {
		file = array_push(&stacks->files);
		file->dso = (uint32_t)(file - stacks->files.at);
		open_file(file, maps_dso(stacks->maps, file->dso)->path);
	}
	file = &stacks->files.at[mapping->dso];
	*bias_ret = mapping->start;
	if (file->elf)
		*bias_ret -= elf_file_address(file->elf, mapping->offset);
	return file;
}

bool stacks_find_judged(
	void *data, uint32_t space, uint64_t pc, struct judge_code *ret)
{
	uint64_t bias;
	const struct stacks_file *file = stacks_file_at(data, space, pc, &bias);

	if (!file)
		return false;
	*ret = (struct judge_code){ file->dso, bias, file->elf, file->eh_frame,
		file->eh_frame_hdr };
	return true;
}

bool stacks_find(void *data, uint64_t pc, struct unwind_code *ret)
{
	const struct stacks_view *view = data;
	struct stacks *stacks = view->stacks;
	const struct mapping *mapping =
		maps_find(stacks->maps, view->space, pc);
	struct stacks_file *file;

	if (!mapping || pc >= UINT64_C(1) << 63)
		return false;
	file = stacks_file_at(stacks, view->space, pc, &ret->bias);
	ret->start = mapping->start;
	ret->end = mapping->end;
	ret->cfi = file->cfi;
	return true;
}

bool stacks_is_behind_call(struct stacks *stacks, uint32_t space, uint64_t pc)
{
	const struct mapping *mapping = maps_find(stacks->maps, space, pc - 1);
	const struct stacks_file *file;
	const uint8_t *end;
	uint64_t bias, at;
	unsigned size;

	if (!mapping)
		return false;
	file = stacks_file_at(stacks, space, pc - 1, &bias);
	at = pc - mapping->start + mapping->offset;
	if (!file->bytes || at < 8 || at > file->size)
		return true;
	end = file->bytes + at;
	if (end[-5] == 0xe8)
		return true;
	/* An indirect call: ff /2 with up to six bytes of operand. */
	for (size = 2; size <= 7; size++)
		if (end[-(int)size] == 0xff &&
			(end[1 - (int)size] >> 3 & 7) == 2)
			return true;
	return false;
}
