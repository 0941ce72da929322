/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/bpf/wait_join.h"

#include "common/perf/wait_sample.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

/*
 * Limits of kept stacks with a hash. The programs remember fewer (WAIT_STACKS_MAX), and
 * send a stack again that they have forgotten.
 */
#define STACKS_MAX (4u * WAIT_STACKS_MAX)
#define FRAMES_MAX (8u << 20) /* 64 MiB */
/* Limits of kept copies, and of copies that were read before their stacks. */
#define COPIES_MAX (64u << 20) /* bytes */
#define ARRIVING_MAX 16u
/* Rounds of the drain after which the stack of a wait must have come. */
#define ROUNDS_MAX 2u

struct kept_stack {
	uint64_t key;		   /* 0: none */
	uint32_t n_kernel, n_user; /* numbers of words in .pcs */
	uint64_t *pcs; /* the kernel's part, then the user's; owned */
	uint64_t last_used;
};

/*
 * The stack of a thread that is off-CPU, if the stack is not complete. Ring buffers are
 * read one after the other, so that the next stacks of the thread can come before the end
 * of its wait.
 */
#define INCOMPLETE_PER_THREAD 16u
struct incomplete_stack {
	uint32_t tid;
	struct kept_stack frames;
	struct chain_record *stack; /* only the members before .pcs; owned */
	struct chain_copy *copy;    /* owned; NULL: none */
};

struct wait_join {
	struct perf_event_attr attr;
	uint64_t id;
	struct hash_index by_key;
	ARRAY(struct kept_stack) stacks; /* with a hash */
	struct hash_index by_tid;
	ARRAY(struct incomplete_stack) incomplete;
	uint64_t uses, copied, n_frames;   /* n_frames: of .stacks */
	ARRAY(struct chain_copy *) copies; /* read before their stacks; owned */
	struct chain_record stack;	   /* the stack that is arriving */
	/* Waits that have no stack yet, by the round in which they came. */
	ARRAY(struct pending_wait {
		struct chain_wait wait;
		uint64_t round;
	})
	pending;
	uint64_t round;
	struct wait_join_counts counts;
	struct strbuf sample;
};

struct wait_join *wait_join_create(
	const struct perf_event_attr *attr, uint64_t id)
{
	struct wait_join *join = xcalloc(1, sizeof(*join));

	join->attr = *attr;
	join->id = id;
	return join;
}

/* Frees the stack of a thread; the thread keeps its place. */
static void free_incomplete(
	struct wait_join *join, struct incomplete_stack *incomplete)
{
	if (incomplete->copy)
		join->copied -= incomplete->copy->size;
	free(take_pointer(incomplete->frames.pcs));
	free(take_pointer(incomplete->stack));
	free(take_pointer(incomplete->copy));
	incomplete->frames.key = 0;
}

void wait_join_destroy(struct wait_join *join)
{
	if (!join)
		return;
	array_each(&join->stacks, kept)
		free(kept->pcs);
	array_free(&join->stacks);
	hash_free(&join->by_key);
	array_each(&join->incomplete, incomplete)
		free_incomplete(join, incomplete);
	array_free(&join->incomplete);
	hash_free(&join->by_tid);
	array_free(&join->pending);
	array_each(&join->copies, copy)
		free(*copy);
	array_free(&join->copies);
	strbuf_free(&join->sample);
	free(join);
}

struct wait_join_counts wait_join_counts(const struct wait_join *join)
{
	return join->counts;
}

/* --- stacks --- */

static struct kept_stack *find_kept_stack(
	const struct wait_join *join, uint64_t key)
{
	hash_each_match(&join->by_key, hash_words(key, 0), i)
		if (join->stacks.at[i].key == key)
			return &join->stacks.at[i];
	return NULL;
}

static struct incomplete_stack *find_incomplete(
	const struct wait_join *join, uint32_t tid, uint64_t key)
{
	hash_each_match(&join->by_tid, hash_words(tid, 0), i) {
		struct incomplete_stack *incomplete = &join->incomplete.at[i];

		if (incomplete->tid == tid && incomplete->frames.key == key)
			return incomplete;
	}
	return NULL;
}

/* Returns an empty place for a stack of thread TID, perhaps that of the oldest. */
static struct incomplete_stack *make_place(struct wait_join *join, uint32_t tid)
{
	struct incomplete_stack *oldest = NULL;
	size_t n = 0;

	hash_each_match(&join->by_tid, hash_words(tid, 0), i) {
		struct incomplete_stack *place = &join->incomplete.at[i];

		if (place->tid != tid)
			continue;
		if (!place->frames.key)
			return place;
		n++;
		if (!oldest ||
			place->frames.last_used < oldest->frames.last_used)
			oldest = place;
	}
	if (n >= INCOMPLETE_PER_THREAD) {
		free_incomplete(join, oldest);
		return oldest;
	}
	hash_insert(&join->by_tid, hash_words(tid, 0),
		(uint32_t)join->incomplete.n);
	oldest = array_push(&join->incomplete);
	*oldest = (struct incomplete_stack){ .tid = tid };
	return oldest;
}

static uint64_t count_frames(const struct kept_stack *kept)
{
	return kept->n_kernel + kept->n_user;
}

static int compare_uses(const void *a, const void *b)
{
	const struct kept_stack *left = a, *right = b;

	return COMPARE(right->last_used, left->last_used);
}

/* Drops the half of the stacks that were used longest ago. */
static void drop_old_stacks(struct wait_join *join)
{
	uint32_t i;

	array_sort(&join->stacks, compare_uses);
	hash_free(&join->by_key);
	join->by_key = (struct hash_index){ 0 };
	for (i = (uint32_t)join->stacks.n / 2; i < join->stacks.n; i++) {
		join->n_frames -= count_frames(&join->stacks.at[i]);
		free(join->stacks.at[i].pcs);
	}
	join->stacks.n /= 2;
	for (i = 0; i < join->stacks.n; i++)
		hash_insert(&join->by_key,
			hash_words(join->stacks.at[i].key, 0), i);
}

/*
 * Returns the frames of the arriving stack, those of the kernel first, and linked frames
 * behind CHAIN_LINKED_CONTEXT.
 */
static struct kept_stack take_frames(struct wait_join *join)
{
	const struct chain_record *stack = &join->stack;
	uint32_t n_linked = CHAIN_LINKED_WORDS * stack->n_linked;
	struct kept_stack ret = { .key = stack->key,
		.n_kernel = stack->n_kernel,
		.n_user = stack->n + (n_linked ? 1 + n_linked : 0),
		.last_used = ++join->uses };
	uint64_t *user;

	ret.pcs = xcalloc(count_frames(&ret) + 1, sizeof(*ret.pcs));
	memcpy(ret.pcs, stack->pcs + stack->n + n_linked,
		ret.n_kernel * sizeof(*ret.pcs));
	user = ret.pcs + ret.n_kernel;
	memcpy(user, stack->pcs, stack->n * sizeof(*user));
	if (!n_linked)
		return ret;
	user[stack->n] = CHAIN_LINKED_CONTEXT;
	memcpy(user + stack->n + 1, stack->pcs + stack->n,
		n_linked * sizeof(*user));
	return ret;
}

/* Returns the copy of the stack with KEY, or NULL. The caller owns it. */
static struct chain_copy *take_copy(struct wait_join *join, uint64_t key)
{
	array_each(&join->copies, place) {
		struct chain_copy *copy = *place;

		if (copy->key != key)
			continue;
		*place = join->copies.at[--join->copies.n];
		return copy;
	}
	return NULL;
}

/* --- samples --- */

static void put_chain(const struct perf_event_attr *attr,
	const struct kept_stack *kept, struct strbuf *out)
{
	uint32_t n_kernel =
		kept && !attr->exclude_callchain_kernel ? kept->n_kernel : 0;
	uint32_t n_user =
		kept && !attr->exclude_callchain_user ? kept->n_user : 0;

	strbuf_put_u64(
		out, (n_kernel ? 1 + n_kernel : 0) + (n_user ? 1 + n_user : 0));
	if (n_kernel) {
		strbuf_put_u64(out, PERF_CONTEXT_KERNEL);
		strbuf_put(out, kept->pcs, n_kernel * sizeof(uint64_t));
	}
	if (n_user) {
		strbuf_put_u64(out, PERF_CONTEXT_USER);
		strbuf_put(out, kept->pcs + kept->n_kernel,
			n_user * sizeof(uint64_t));
	}
}

/*
 * Returns the stack of the wait with KEY, or NULL. INCOMPLETE_RET is set if it
 * has a copy.
 */
static struct kept_stack *find_stack(const struct wait_join *join,
	const struct wait_key *key, struct incomplete_stack **incomplete_ret)
{
	struct incomplete_stack *incomplete;

	*incomplete_ret = NULL;
	if (!(key->stack & WAIT_KEY_UNIQUE))
		return find_kept_stack(join, key->stack);
	incomplete = find_incomplete(join, key->tid, key->stack);
	if (!incomplete)
		return NULL;
	*incomplete_ret = incomplete;
	return &incomplete->frames;
}

static const struct perf_event_header *make_sample(
	struct wait_join *join, const struct chain_wait *wait)
{
	struct incomplete_stack *incomplete;
	struct kept_stack *kept = find_stack(join, &wait->key, &incomplete);
	struct strbuf *out = &join->sample;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
		.misc = kept && !kept->n_kernel ? PERF_RECORD_MISC_USER
						: PERF_RECORD_MISC_KERNEL };

	strbuf_clear(out);
	strbuf_put(out, &header, sizeof(header));
	strbuf_put_u64(out, join->id);
	strbuf_put_u64(
		out, kept && kept->n_kernel + kept->n_user ? *kept->pcs : 0);
	strbuf_put_u32(out, wait->key.pid);
	strbuf_put_u32(out, wait->key.tid);
	strbuf_put_u64(out, wait->times.end);
	strbuf_put_u32(out, wait->times.cpu);
	strbuf_put_u32(out, 0);
	strbuf_put_u64(out,
		wait->times.blocked + wait->times.runnable +
			wait->times.preempted);
	put_chain(&join->attr, kept, out);
	const struct wait_sample fields = {
		.n = wait->times.n,
		.blocked = wait->times.blocked,
		.runnable = wait->times.runnable,
		.preempted = wait->times.preempted,
		.longest = wait->times.longest,
		.is_sum = wait->is_sum,
		.is_open = wait->is_open,
	};

	strbuf_put_u32(out, WAIT_SAMPLE_SIZE);
	wait_sample_put(&fields, out);
	if (join->attr.sample_type & PERF_SAMPLE_STACK_USER) {
		const struct chain_copy *copy =
			incomplete ? incomplete->copy : NULL;
		uint8_t *end;

		strbuf_grow(
			out, 80 * sizeof(uint64_t) + (copy ? copy->size : 0));
		end = chain_put_registers(incomplete ? incomplete->stack : NULL,
			copy, join->attr.sample_regs_user,
			(uint8_t *)out->at + out->n);
		out->n = (size_t)(end - (uint8_t *)out->at);
	}
	header.size = (uint16_t)out->n;
	memcpy(out->at, &header, sizeof(header));
	join->counts.samples++;
	join->counts.stackless += !kept;
	if (kept)
		kept->last_used = ++join->uses;
	/* The stack is of this wait only. */
	if (incomplete)
		free_incomplete(join, incomplete);
	return (const struct perf_event_header *)out->at;
}

/* --- records --- */

static bool take_stack_copy(
	struct wait_join *join, const struct chain_output *output)
{
	size_t head = offsetof(struct chain_copy, bytes);
	struct chain_copy *copy;
	uint64_t key;

	if (output->size < head)
		return false;
	memcpy(&key,
		(const uint8_t *)output->raw + offsetof(struct chain_copy, key),
		sizeof(key));
	if (!key)
		return false;
	copy = xmalloc(
		MAX(output->size, (uint32_t)sizeof(*copy) - CHAIN_COPY_MAX));
	memcpy(copy, output->raw, output->size);
	copy->size = MIN(copy->size, output->size - (uint32_t)head);
	if (join->copies.n == ARRIVING_MAX) {
		free(join->copies.at[0]);
		memmove(join->copies.at, join->copies.at + 1,
			--join->copies.n * sizeof(*join->copies.at));
	}
	*array_push(&join->copies) = copy;
	return true;
}

static bool take_stack(
	struct wait_join *join, const struct chain_output *output)
{
	struct chain_record *stack = &join->stack;

	if (!chain_output_stack(output, stack) || !stack->key)
		return false;
	if (stack->key & WAIT_KEY_UNIQUE) {
		/* Keep the stack until the wait of the thread ends. */
		struct incomplete_stack *kept = make_place(join, output->tid);
		struct chain_copy *copy = take_copy(join, stack->key);

		kept->frames = take_frames(join);
		kept->stack = xmalloc(offsetof(struct chain_record, pcs));
		memcpy(kept->stack, stack, offsetof(struct chain_record, pcs));
		if (copy && join->copied + copy->size > COPIES_MAX)
			free(take_pointer(copy));
		kept->copy = copy;
		if (copy)
			join->copied += copy->size;
	} else if (!find_kept_stack(join, stack->key)) {
		if (join->stacks.n >= STACKS_MAX ||
			join->n_frames >= FRAMES_MAX)
			drop_old_stacks(join);
		*array_push(&join->stacks) = take_frames(join);
		join->n_frames +=
			count_frames(&join->stacks.at[join->stacks.n - 1]);
		hash_insert(&join->by_key, hash_words(stack->key, 0),
			(uint32_t)join->stacks.n - 1);
	}
	return true;
}

bool wait_join_take(struct wait_join *join, const struct chain_output *output,
	const struct perf_event_header **sample_ret)
{
	struct incomplete_stack *incomplete;
	struct chain_wait wait;

	*sample_ret = NULL;
	switch (output->kind) {
	case CHAIN_COPY: return take_stack_copy(join, output);
	case CHAIN_STACK: return take_stack(join, output);
	case CHAIN_WAIT: break;
	default: return false;
	}
	if (output->size < sizeof(wait))
		return true;
	memcpy(&wait, output->raw, sizeof(wait));
	if (find_stack(join, &wait.key, &incomplete) || !wait.key.stack)
		*sample_ret = make_sample(join, &wait);
	else
		*array_push(&join->pending) =
			(struct pending_wait){ wait, join->round };
	return true;
}

void wait_join_begin_round(struct wait_join *join)
{
	join->round++;
}

const struct perf_event_header *wait_join_next(
	struct wait_join *join, bool is_end)
{
	struct incomplete_stack *incomplete;

	array_each(&join->pending, pending) {
		struct chain_wait wait = pending->wait;

		if (!is_end && join->round - pending->round <= ROUNDS_MAX &&
			!find_stack(join, &wait.key, &incomplete))
			continue;
		*pending = join->pending.at[--join->pending.n];
		return make_sample(join, &wait);
	}
	return NULL;
}
