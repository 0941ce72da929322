/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/jit/jitcodes.h"

#include <sys/utsname.h>

#include "common/jit/jitcodes_private.h"
#include "common/util/alloc.h"

/* Newly read JIT codes are sorted when more than this many are unsorted. */
#define RECENT_MAX 1024u
/*
 * Returns the architecture of the JIT code. Python 3.13 writes no ELF machine
 * into the jitdump; then returns this machine's architecture.
 */
static enum unwind_arch jitdump_arch(const struct jitdump *dump)
{
	struct utsname here;

	if (jitdump_machine(dump) || uname(&here) < 0)
		return unwind_arch_of_elf(jitdump_machine(dump));
	return unwind_arch_of_name(here.machine);
}

struct jitcodes *jitcodes_create(int fd)
{
	struct jitdump *dump = jitdump_open(fd);
	struct jitcodes *codes;

	if (!dump) {
		close(fd);
		return NULL;
	}
	codes = xcalloc(1, sizeof(*codes));
	codes->fd = fd;
	codes->dump = dump;
	codes->arch = jitdump_arch(dump);
	return codes;
}

void jitcodes_destroy(struct jitcodes *codes)
{
	if (!codes)
		return;
	array_each(&codes->list, code)
		cfi_destroy(code->cfi);
	array_free(&codes->list);
	array_free(&codes->times);
	array_free(&codes->loads);
	array_free(&codes->newest_loads);
	hash_free(&codes->by_index);
	array_free(&codes->hulls);
	array_free(&codes->ends);
	jitdump_close(codes->dump);
	close(codes->fd);
	free(codes);
}

/* --- reading ---------------------------------------------------------------
 */

/*
 * Returns a pointer to the number of the newest load of the code index INDEX,
 * or NULL. If IS_WANTED is set, a missing element of codes->newest_loads is
 * added.
 */
static size_t *find_latest_load(
	struct jitcodes *codes, uint64_t index, bool is_wanted)
{
	uint64_t hash = hash_words(index, 0);

	hash_each_match(&codes->by_index, hash, i)
		if (codes->newest_loads.at[i].index == index)
			return &codes->newest_loads.at[i].load;
	if (!is_wanted)
		return NULL;
	hash_insert(&codes->by_index, hash, (uint32_t)codes->newest_loads.n);
	array_push(&codes->newest_loads)->index = index;
	return &codes->newest_loads.at[codes->newest_loads.n - 1].load;
}

/*
 * Returns the index in codes->loads of the load of NEXT. If NEXT is a
 * JIT_CODE_LOAD, adds the load. If NEXT is a JIT_CODE_MOVE, returns the newest
 * load with its code index, or adds a load that contains only the address.
 */
static size_t add_jitcode_load(
	struct jitcodes *codes, const struct jitdump_code *next)
{
	size_t *newest = find_latest_load(codes, next->index, !next->is_moved);
	size_t number;

	if (next->is_moved && newest)
		return *newest;
	if (newest)
		*newest = codes->loads.n;
	number = codes->loads.n;
	*array_push(&codes->loads) = (struct jitcode_load){
		.index = next->index,
		.start = next->start,
		.name_at = next->name_at,
		.code_at = next->code_at,
		.size = next->code_at ? next->size : 0,
		.unwinding = next->unwinding,
		.debug = next->debug,
	};
	return number;
}

bool jitcodes_has_times(
	const struct jitcodes *codes, const struct jitdump_clock *clock)
{
	return jitdump_has_times(codes->dump, clock);
}

static int compare_jitcodes(const void *a, const void *b)
{
	const struct jitcode *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->order, right->order);
}

static void sort_jitcodes(struct jitcodes *codes)
{
	array_sort(&codes->list, compare_jitcodes);
	codes->n_recent = 0;
	jitcodes_index(codes);
}

bool jitcodes_update(struct jitcodes *codes, const struct jitdump_clock *clock)
{
	struct jitdump_code *next = xmalloc(sizeof(*next));
	size_t before = codes->list.n;

	while (codes->list.n < JITCODES_MAX &&
		jitdump_next(codes->dump, next)) {
		uint64_t since = jitdump_time(codes->dump, clock, next->time);
		uint64_t last = codes->times.n
			? codes->times.at[codes->times.n - 1]
			: 0;
		const struct jitcode new = {
			.start = next->start,
			.end = next->start + next->size,
			.since = since,
			.order = codes->list.n,
			.load = add_jitcode_load(codes, next),
		};

		*array_push(&codes->list) = new;
		*array_push(&codes->times) = MAX(since, last);
		codes->n_recent++;
	}
	free(next);
	if (codes->n_recent > RECENT_MAX)
		sort_jitcodes(codes);
	return codes->list.n > before;
}

struct jitdump_end jitcodes_end(const struct jitcodes *codes)
{
	return jitdump_end(codes->dump);
}

size_t jitcodes_count(const struct jitcodes *codes, uint64_t time)
{
	return array_count_before(&codes->times, since, *since <= time);
}

/* --- queries ---------------------------------------------------------------
 */

struct cfi *jitcodes_rules(struct jitcodes *codes, struct jitcode *code)
{
	const struct jitcode_load *load = &codes->loads.at[code->load];
	struct cfi_bytes bytes = { .arch = codes->arch,
		.start = code->start,
		.end = code->end,
		.eh_frame_address =
			code->start + ALIGN_UP(code->end - code->start, 8) };
	_cleanup_free_ uint8_t *eh_frame = NULL;

	if (code->is_compiled)
		return code->cfi;
	code->is_compiled = true;
	eh_frame = jitdump_unwinding(
		codes->dump, &load->unwinding, &bytes.eh_frame_size);
	if (!eh_frame)
		return NULL;
	bytes.eh_frame = eh_frame;
	bytes.eh_frame_hdr_address =
		bytes.eh_frame_address + bytes.eh_frame_size;
	code->cfi = cfi_create_from_bytes(&bytes);
	return code->cfi;
}

struct jitcode *jitcodes_all(struct jitcodes *codes, size_t *n_ret)
{
	if (codes->n_recent)
		sort_jitcodes(codes);
	*n_ret = codes->list.n;
	return codes->list.at;
}

void jitcodes_name(const struct jitcodes *codes, const struct jitcode *code,
	char name[JITDUMP_NAME_MAX])
{
	jitdump_name(codes->dump, codes->loads.at[code->load].name_at, name);
}

bool jitcodes_line(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, struct strbuf *file, uint32_t *line_ret)
{
	const struct jitcode_load *load = &codes->loads.at[code->load];

	return jitdump_line(codes->dump, &load->debug, load->start + offset,
		file, line_ret);
}

size_t jitcodes_read(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, void *out, size_t size)
{
	const struct jitcode_load *load = &codes->loads.at[code->load];

	if (offset >= load->size)
		return 0;
	return jitdump_read(codes->dump, load->code_at + offset, out,
		MIN((uint64_t)size, load->size - offset));
}

unsigned jitcodes_machine(const struct jitcodes *codes)
{
	return jitdump_machine(codes->dump);
}
