/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/jit/jitcodes.h"

#include <sys/utsname.h>

#include "common/unwind/unwind_arch.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"

/* Newly read JIT codes are sorted when more than this many are unsorted. */
#define RECENT_MAX 1024u
/* JIT codes per leaf of the tree. */
#define LEAF 16u
/* Limit of tree nodes per search; only hostile files need more. */
#define NODES_MAX 4096u
/*
 * Limit of neighboring JIT codes that are checked to find the address range of
 * a result.
 */
#define BESIDE_MAX 4096u

/* Bounds of a group of JIT codes that are neighbors in codes->list. */
struct jitcodes_hull {
	uint64_t end;	/* highest end address */
	uint64_t since; /* earliest load time */
	size_t order;	/* highest .order */
};

struct jitcodes {
	int fd;
	struct jitdump *dump;
	enum unwind_arch arch;
	/*
	 * JIT codes, sorted by .start and .order, except the last .n_recent
	 * codes, which are in file order.
	 */
	ARRAY(struct jitcode) list;
	size_t n_recent;
	ARRAY(uint64_t) times; /* load times of all codes, ascending */
	ARRAY(struct jitcode_load) loads;
	/* The newest load of each code index. */
	ARRAY(struct {
		uint64_t index;
		size_t load;
	})
	newest_loads;
	struct hash_index by_index; /* .newest_loads by code index */
	/* Index of the sorted codes, for jitcodes_find(): */
	/* a binary tree: hulls[1] is the root */
	ARRAY(struct jitcodes_hull) hulls;
	ARRAY(uint64_t) ends; /* end addresses, ascending */
};

static size_t n_sorted_jitcodes(const struct jitcodes *codes)
{
	return codes->list.n - codes->n_recent;
}

/* --- the tree --------------------------------------------------------------
 */

static struct jitcodes_hull join_hulls(
	struct jitcodes_hull a, const struct jitcodes_hull *b)
{
	a.end = MAX(a.end, b->end);
	a.since = MIN(a.since, b->since);
	a.order = MAX(a.order, b->order);
	return a;
}

static int compare_jitcode_ends(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return COMPARE(*left, *right);
}

/* --- the code --------------------------------------------------------------
 */

struct jitcodes_search {
	uint64_t address, time;
	size_t n_before; /* sorted codes that start at or below .address */
	size_t n_nodes;	 /* number of visited tree nodes */
	struct jitcodes_part part;
};

static bool jitcode_covers(const struct jitcode *code, uint64_t address)
{
	return code->start <= address && address < code->end;
}

static void choose_jitcode(struct jitcodes_search *search, struct jitcode *code)
{
	struct jitcodes_part *part = &search->part;

	if (code->since <= search->time &&
		jitcode_covers(code, search->address) &&
		(!part->code || code->order > part->code->order))
		part->code = code;
}

/*
 * Searches the JIT codes of the tree node NODE, which are the N sorted codes
 * from FIRST on. The last code is searched first.
 */
static void search_subtree(struct jitcodes *codes,
	struct jitcodes_search *search, size_t node, size_t first, size_t n)
{
	const struct jitcodes_hull *hull = &codes->hulls.at[node];
	const struct jitcode *best = search->part.code;
	size_t i;

	if (first >= search->n_before || hull->end <= search->address ||
		hull->since > search->time ||
		(best && hull->order < best->order) ||
		search->n_nodes++ == NODES_MAX)
		return;
	if (n > LEAF) {
		n /= 2;
		search_subtree(codes, search, 2 * node + 1, first + n, n);
		search_subtree(codes, search, 2 * node, first, n);
		return;
	}
	for (i = MIN(first + n, search->n_before); i-- > first;)
		choose_jitcode(search, &codes->list.at[i]);
}

/* --- address range of the result -------------------------------------------
 */

/*
 * Cuts search->part, the address range of the result, at CODE if the result is
 * different for the addresses of CODE: if CODE is later than the code that was
 * found, or if no code was found.
 */
static void narrow_part(
	struct jitcodes_search *search, const struct jitcode *code)
{
	struct jitcodes_part *part = &search->part;

	if (code->since > search->time || code == part->code ||
		jitcode_covers(code, search->address) ||
		(part->code && code->order < part->code->order))
		return;
	if (code->end <= search->address)
		part->start = MAX(part->start, code->end);
	else
		part->end = MIN(part->end, code->start);
}

/*
 * Of the codes that cover ADDRESS and were loaded at TIME or earlier, the last
 * code in the file is found. A runtime may reuse an address thousands of times,
 * so the codes are searched in a tree.
 */
struct jitcodes_part jitcodes_find(
	struct jitcodes *codes, uint64_t address, uint64_t time)
{
	const struct {
		const struct jitcode *at;
		size_t n;
	} sorted = { codes->list.at, n_sorted_jitcodes(codes) };
	struct jitcodes_search search = { .address = address,
		.time = time,
		.n_before = array_count_before(
			&sorted, code, code->start <= address),
		.part = { .end = UINT64_MAX } };
	uint64_t nearest;
	size_t i, n;

	for (i = n_sorted_jitcodes(codes); i < codes->list.n; i++)
		choose_jitcode(&search, &codes->list.at[i]);
	if (search.n_before)
		search_subtree(codes, &search, 1, 0, codes->hulls.n / 2 * LEAF);
	if (search.part.code) {
		search.part.start = search.part.code->start;
		search.part.end = search.part.code->end;
	}
	/*
	 * Cut the range at the JIT codes that end before ADDRESS. If some of
	 * these codes are not checked, the range begins at the nearest end of
	 * any code.
	 */
	n = array_count_before(&codes->ends, end, *end <= address);
	nearest = n ? codes->ends.at[n - 1] : 0;
	for (i = search.n_before, n = 0; i > 0 && search.part.start < nearest;)
		if (n++ == BESIDE_MAX)
			search.part.start = nearest;
		else
			narrow_part(&search, &codes->list.at[--i]);
	for (i = search.n_before;
		i < sorted.n && sorted.at[i].start < search.part.end; i++)
		if (i - search.n_before == BESIDE_MAX)
			search.part.end = sorted.at[i].start;
		else
			narrow_part(&search, &sorted.at[i]);
	for (i = n_sorted_jitcodes(codes); i < codes->list.n; i++)
		narrow_part(&search, &codes->list.at[i]);
	return search.part;
}

/* --- reading ---------------------------------------------------------------- */

struct jitcodes *jitcodes_create(int fd)
{
	struct jitdump *dump = jitdump_open(fd);
	struct jitcodes *codes;
	struct utsname here;

	if (!dump) {
		close(fd);
		return NULL;
	}
	codes = xcalloc(1, sizeof(*codes));
	codes->fd = fd;
	codes->dump = dump;
	codes->arch = unwind_arch_of_elf(jitdump_machine(dump));
	/* Python 3.13 writes no ELF machine: it is this one. */
	if (!jitdump_machine(dump) && uname(&here) == 0)
		codes->arch = unwind_arch_of_name(here.machine);
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
	size_t n_leaves = 1, i;

	while (n_leaves * LEAF < codes->list.n)
		n_leaves *= 2;
	array_clear(&codes->hulls);
	for (i = 0; i < 2 * n_leaves; i++)
		array_push(&codes->hulls);
	for (i = 0; i < n_leaves; i++) {
		size_t at = i * LEAF, end = MIN(codes->list.n, at + LEAF);
		struct jitcodes_hull hull = { .since = UINT64_MAX };

		for (; at < end; at++) {
			const struct jitcode *code = &codes->list.at[at];

			hull = join_hulls(hull,
				&(struct jitcodes_hull){
					code->end, code->since, code->order });
		}
		codes->hulls.at[n_leaves + i] = hull;
	}
	for (i = n_leaves; i-- > 1;)
		codes->hulls.at[i] = join_hulls(
			codes->hulls.at[2 * i], &codes->hulls.at[2 * i + 1]);
	array_clear(&codes->ends);
	array_each(&codes->list, code)
		*array_push(&codes->ends) = code->end;
	array_sort(&codes->ends, compare_jitcode_ends);
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
