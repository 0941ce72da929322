// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lua_states threads SECONDS: runs one Lua state in each of two threads, "first" and "second".
 * lua_states MODE SECONDS: a function of C spins, while the stack of its Lua state is a forged
 * one: of functions without code (1), of functions with a prototype that is not plausible (2),
 * or of functions with control characters in the name of their file (3).
 *
 * Linked to libluajit-5.1.so.2. The offsets are those of lj_obj.h, of LuaJIT 2.1 with GC64.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* From lua.h and lauxlib.h */
typedef struct lua_State lua_State;
lua_State *luaL_newstate(void);
void luaL_openlibs(lua_State *state);
int luaL_loadstring(lua_State *state, const char *text);
int lua_pcall(lua_State *state, int arguments, int results, int handler);
void lua_pushcclosure(lua_State *state, int (*function)(lua_State *), int n);
void lua_setfield(lua_State *state, int index, const char *name);
const char *lua_tolstring(lua_State *state, int index, size_t *n);
#define LUA_GLOBALSINDEX (-10002)

#define BASE 32
#define STACK 56
#define STACK_SIZE 88
#define WORDS 65536u
#define PROTOTYPE_SIZE 104
/* The tag of a value with the address of a function. */
#define IS_FUNCTION (~8ull << 47)

static double seconds;
static int mode;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint64_t *word_at(void *object, size_t offset)
{
	return (uint64_t *)((char *)object + offset);
}

/* Returns a value with the address of a forged function. */
static uint64_t make_function(void)
{
	static uint64_t function[5], prototype[64], text[8];
	static const char file[] = "@a\033[31m\nb";

	((char *)function)[9] = 8;
	function[4] =
		mode == 1 ? 0x123450000 : (uintptr_t)prototype + PROTOTYPE_SIZE;
	((char *)prototype)[9] = 7;
	*(uint32_t *)word_at(prototype, 12) = 4;
	prototype[8] = (uintptr_t)text;
	prototype[9] = 7;
	*(uint32_t *)word_at(text, 20) =
		mode == 2 ? UINT32_MAX : sizeof(file) - 1;
	memcpy((char *)text + 24, file, sizeof(file));
	return (uintptr_t)function | IS_FUNCTION;
}

/* Frames of 16 bytes, each called from C. */
static int spin(lua_State *state)
{
	static uint64_t stack[WORDS];
	uint64_t base = *word_at(state, BASE), start = *word_at(state, STACK);
	uint32_t size = (uint32_t)*word_at(state, STACK_SIZE);
	double end = now() + seconds;
	size_t i;

	for (i = 0; i + 1 < WORDS; i += 2) {
		stack[i] = make_function();
		stack[i + 1] = 16 | 1;
	}
	*word_at(state, STACK) = (uintptr_t)stack;
	*(uint32_t *)word_at(state, STACK_SIZE) = WORDS;
	*word_at(state, BASE) = (uintptr_t)&stack[WORDS - 2];
	while (now() < end)
		;
	*word_at(state, STACK) = start;
	*(uint32_t *)word_at(state, STACK_SIZE) = size;
	*word_at(state, BASE) = base;
	return 0;
}

static void run(lua_State *state, const char *text)
{
	if (luaL_loadstring(state, text) || lua_pcall(state, 0, 0, 0)) {
		fprintf(stderr, "%s\n", lua_tolstring(state, -1, NULL));
		exit(1);
	}
}

static void *run_thread(void *name)
{
	lua_State *state = luaL_newstate();
	char text[1024];

	pthread_setname_np(pthread_self(), name);
	luaL_openlibs(state);
	snprintf(text, sizeof(text),
		"local function work(n)\n"
		"	local value = 1\n"
		"	for i = 1, n do value = (value * 8191 + i) %% 65536 end\n"
		"	return value\n"
		"end\n"
		"%s"
		"local function run(n) return work(n) + 1 end\n"
		"local start = os.clock()\n"
		"while os.clock() < start + %f do run(1000) end\n",
		strcmp(name, "first") ? "\n\n" : "", seconds);
	run(state, text);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	lua_State *state;

	if (argc != 3)
		return 2;
	seconds = atof(argv[2]);
	mode = atoi(argv[1]);
	if (!mode) {
		pthread_create(&threads[0], NULL, run_thread, "first");
		pthread_create(&threads[1], NULL, run_thread, "second");
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		return 0;
	}
	state = luaL_newstate();
	lua_pushcclosure(state, spin, 0);
	lua_setfield(state, LUA_GLOBALSINDEX, "spin");
	run(state, "spin()");
	return 0;
}
