/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/transform/waits_in.h"

#include "common/maps/runtime_dso.h"
#include "common/util/hash.h"
#include "report/util/glue.h"

/*
 * How the names of the files of C libraries and language runtimes begin, besides those
 * of interpreters.
 */
static const char *const runtime_files[] = { "libc.so", "libc-2", "ld-2",
	"ld-linux", "ld-musl", "ld.so", "libpthread", "libstdc++", "libc++",
	"libgomp.so", "libuv.so", "libjvm.so", "libjava.so", "libnio.so",
	"libnet.so", "libnode.so", "[vdso]" };
static const char *const runtime_programs[] = { "node", "nodejs" };

/*
 * How the names of functions in the libraries of Go and Java begin, and a part of the
 * names of those of Node.js.
 */
static const char *const runtime_names[] = { "runtime.", "internal/", "sync.",
	"syscall.", "time.Sleep", "java.", "jdk.", "sun.", "Ljava/", "Ljdk/",
	"Lsun/" };
#define NODE_LIBRARY " node:internal/"

/* Whether a frame is of the program, of a library, or neither. */
enum frame_owner {
	OWNER_UNKNOWN, /* not looked up yet */
	OWNER_KERNEL,
	OWNER_LIBRARY, /* also of code that belongs to no file */
	OWNER_PROGRAM,
};

/* A copy of context .of, for stacks with the user function .location. */
struct waiting_context {
	uint32_t of, location, context;
};

struct waits_in_search {
	struct stacks *stacks;
	struct resolver *resolver;
	ARRAY(uint8_t) owners; /* enum frame_owner of each location */
	ARRAY(struct waiting_context) copies;
	struct hash_index by_copy;
};

bool waits_in_is_runtime_file(const char *path)
{
	const char *file = path_base(path);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(runtime_files); i++)
		if (string_starts(file, runtime_files[i]))
			return true;
	for (i = 0; i < ARRAY_SIZE(runtime_programs); i++)
		if (string_is(file, runtime_programs[i]))
			return true;
	return runtime_dso_has_interpreter(path);
}

static enum frame_owner find_frame_owner(
	const struct waits_in_search *waiting, uint32_t number)
{
	const struct location *at =
		resolver_location(waiting->resolver, number);
	const char *name;
	size_t i;

	if (at->level != '.' && at->level != 'u')
		return OWNER_KERNEL;
	if (!at->dso || waits_in_is_runtime_file(at->dso->path))
		return OWNER_LIBRARY;
	name = resolver_function_name(waiting->resolver, number);
	for (i = 0; i < ARRAY_SIZE(runtime_names); i++)
		if (string_starts(name, runtime_names[i]))
			return OWNER_LIBRARY;
	return strstr(name, NODE_LIBRARY) || glue_is_name(name) ? OWNER_LIBRARY
								: OWNER_PROGRAM;
}

static enum frame_owner frame_owner(
	struct waits_in_search *waiting, uint32_t location)
{
	while (waiting->owners.n <= location)
		array_push(&waiting->owners);
	if (waiting->owners.at[location] == OWNER_UNKNOWN)
		waiting->owners.at[location] =
			find_frame_owner(waiting, location);
	return waiting->owners.at[location];
}

/*
 * Returns the location + 1 of the innermost frame of CHAIN in the program; if
 * there is none, of the innermost frame in user space; otherwise 0.
 */
static uint32_t find_waiting_location(
	struct waits_in_search *waiting, struct chain chain)
{
	uint32_t location = chain_next(&chain), found = 0;

	/*
	 * A chain with callers begins with a second copy of the sampled frame,
	 * which has the inlined functions that the first copy lacks.
	 */
	if (!chain_is_empty(&chain))
		location = chain_next(&chain);
	for (;; location = chain_next(&chain)) {
		enum frame_owner owner = frame_owner(waiting, location);

		if (owner == OWNER_PROGRAM)
			return location + 1;
		if (owner == OWNER_LIBRARY && !found)
			found = location + 1;
		if (chain_is_empty(&chain))
			return found;
	}
}

/* Returns the number of a copy of context OF that has LOCATION. */
static uint32_t find_waiting_context(
	struct waits_in_search *waiting, uint32_t of, uint32_t location)
{
	struct stacks *stacks = waiting->stacks;
	struct context context = stacks->contexts.at[of];
	struct context_functions functions = stacks_functions(stacks, of);
	uint64_t hash = hash_words(of, location);

	hash_each_match(&waiting->by_copy, hash, i) {
		const struct waiting_context *copy = &waiting->copies.at[i];

		if (copy->of == of && copy->location == location)
			return copy->context;
	}
	hash_insert(&waiting->by_copy, hash, (uint32_t)waiting->copies.n);
	*array_push(&waiting->copies) = (struct waiting_context){ of, location,
		(uint32_t)stacks->contexts.n };
	functions.waits_in = location;
	return stacks_add_context(stacks, &context, functions);
}

void waits_in_store(struct scan *scan, struct resolver *resolver)
{
	struct waits_in_search waiting = { .stacks = &scan->stacks,
		.resolver = resolver };
	uint32_t i;

	for (i = 0; i < stacks_n(&scan->stacks); i++) {
		struct stack *stack = stacks_at(&scan->stacks, i);
		uint32_t location;

		/* A stack beyond the memory limit has no names. */
		if (scan->stacks.contexts.at[stack->context].is_rest)
			continue;
		location = find_waiting_location(
			&waiting, stacks_chain(&scan->stacks, i));
		if (location)
			stack->context = find_waiting_context(
				&waiting, stack->context, location);
	}
	array_free(&waiting.owners);
	array_free(&waiting.copies);
	hash_free(&waiting.by_copy);
}
