/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs luajit by single steps, and reads the frames of Lua after each
 * instruction of the interpreter: a sample can be at any of them. Compiled for
 * x86-64: the code of the BPF program, with stand-ins for the kernel's helpers.
 * The native frames of the interpreter come from the links that LuaJIT keeps,
 * not from unwind rules.
 */
#include "config.h"

#include "tests/unit/testing.h"

#ifdef __x86_64__

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "record/bpf/linked.bpf.h"
#include "record/runtimes/luajit/luajit_vm.h"

#define CALLS_MAX 16
/*
 * Bytes of the native frame of the interpreter, up to its return address and
 * with it.
 */
#define NATIVE_RETURN 72
#define NATIVE_SIZE 80
/* In GCproto: firstline */
#define FIRST_LINE 72
/* Recursion of deep() in lua_steps.lua. */
#define DEEP_MAX 8

static pid_t child;
static struct chain_record made_record;
static struct window made_window;
static struct linked_frame made_linked;
static struct chain_runtime made_runtime;
static struct chain_counts made_counts;

void *bpf_map_lookup_elem(const void *map, const void *key)
{
	(void)key;
	if (map == &records)
		return &made_record;
	if (map == &windows)
		return &made_window;
	if (map == &linked_frames)
		return &made_linked;
	if (map == &counts)
		return &made_counts;
	if (map == &runtimes)
		return &made_runtime;
	return NULL;
}

long bpf_probe_read_user(void *to, uint32_t size, const void *from)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)from, size };

	return process_vm_readv(child, &local, 1, &remote, 1, 0) == size
		? 0
		: -14; /* EFAULT */
}

long bpf_probe_read_kernel(void *to, uint32_t size, const void *from)
{
	(void)to;
	(void)size;
	(void)from;
	return -14;
}

/* --- the process --- */

/* Returns the path of luajit, owned by the caller, or NULL. */
static char *find_luajit(void)
{
	char line[PATH_MAX] = "";
	FILE *found = popen("command -v luajit", "r");

	if (!found)
		return NULL;
	if (!fgets(line, sizeof(line), found))
		line[0] = '\0';
	pclose(found);
	line[strcspn(line, "\n")] = '\0';
	return line[0] ? realpath(line, NULL) : NULL;
}

/* Returns the address of the first mapping of PATH in the child. */
static uint64_t mapping_of_program(const char *path)
{
	_cleanup_free_ char *maps = xasprintf("/proc/%d/maps", (int)child);
	FILE *file = fopen(maps, "r");
	char line[PATH_MAX + 100];
	uint64_t at = 0;

	assert_non_null(file);
	while (!at && fgets(line, sizeof(line), file))
		if (strstr(line, path))
			at = strtoull(line, NULL, 16);
	fclose(file);
	return at;
}

static void start_child(const char *luajit)
{
	_cleanup_free_ char *script =
		xasprintf("%s/tests/unit/record/bpf/lua_steps.lua",
			getenv("DWELL_SOURCE"));

	child = fork();
	if (child)
		return;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execl(luajit, luajit, "-joff", script, (char *)NULL);
	_exit(127);
}

/*
 * Lets the child go on by REQUEST. Returns the signal that stops it; 0: it has
 * ended.
 */
static int go_on(enum __ptrace_request request)
{
	int status;

	if (ptrace(request, child, NULL, NULL) < 0 ||
		waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return 0;
	return WSTOPSIG(status);
}

/* --- frames --- */

static bool is_in_vm(uint64_t address)
{
	return address - made_runtime.lua_start < made_runtime.lua_size;
}

/*
 * Notes the native frames of the interpreter, as the walk of the native stack
 * does.
 */
static void note_native_frames(const u64 *r)
{
	struct walk *walk = &made_window.walk;
	u64 ra;
	int i;

	memset(walk, 0, sizeof(*walk));
	walk->window = 1;
	walk->lua_size = made_runtime.lua_size;
	walk->lua_start = made_runtime.lua_start;
	walk->lua_current = made_runtime.lua_current;
	walk->pc = r[IP];
	walk->sp = r[SP];
	walk->fp = r[FP];
	walk->is_exact = walk->n = 1;
	made_linked.n_calls = made_linked.next_call = 0;
	for (i = 0; i < CALLS_MAX; i++) {
		note_lua_call(walk);
		if (bpf_probe_read_user(&ra, sizeof(ra),
			    (const void *)(uintptr_t)(walk->sp +
				    NATIVE_RETURN)))
			return;
		/* coroutine.resume() is a call from the interpreter. */
		if (is_in_vm(ra))
			walk->sp += NATIVE_SIZE;
		else if (walk->lua_outer)
			walk->sp = walk->lua_outer;
		else
			return;
		walk->fp = 0;
		walk->is_exact = 0;
		walk->n = 2;
	}
}

/* Reads the frames of Lua at the registers REGISTERS. */
static void read_frames(const struct user_regs_struct *registers)
{
	u64 *r = (u64 *)made_record.registers;
	u64 hash = 0;

	memset(r, 0, sizeof(made_record.registers));
	r[DX] = registers->rdx;
	r[BX] = registers->rbx;
	r[IP] = registers->rip;
	r[SP] = registers->rsp;
	r[FP] = registers->rbp;
	note_native_frames(r);
	add_linked_frames(0, 0, NULL, 1, &hash);
}

struct step_counts {
	unsigned steps, lost, never, too_deep, rootless;
	uint32_t deep, never_line; /* lines of functions */
};

/* Adds the frames to FOUND. The lines of the functions are known. */
static void count_frames(struct step_counts *found)
{
	unsigned n_lua = 0, n_deep = 0, i;
	uint32_t line = UINT32_MAX;

	for (i = 0; i < made_record.n_linked; i++) {
		const u64 *words =
			(const u64 *)&made_record.pcs[CHAIN_LINKED_WORDS * i];

		if (words[2] >> CHAIN_MARK_SHIFT & CHAIN_MARK_LUA_C ||
			bpf_probe_read_user(&line, sizeof(line),
				(const void *)(uintptr_t)(words[0] +
					FIRST_LINE)))
			continue;
		n_lua++;
		n_deep += line == found->deep;
		found->never += line == found->never_line;
	}
	found->steps++;
	found->lost += !n_lua;
	found->too_deep += n_deep > DEEP_MAX;
	/* The outermost function is the main chunk, which begins in line 0. */
	found->rootless += n_lua && line;
}

static void step_through(struct step_counts *found)
{
	struct user_regs_struct registers;
	int signal;

	while ((signal = go_on(PTRACE_SINGLESTEP)) != SIGUSR1) {
		assert_true(signal);
		assert_int_equal(
			ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
		if (!is_in_vm(registers.rip))
			continue;
		read_frames(&registers);
		count_frames(found);
	}
}

/* Returns the line of lua_steps.lua that begins with TEXT. */
static uint32_t line_of_text(const char *text)
{
	_cleanup_free_ char *path =
		xasprintf("%s/tests/unit/record/bpf/lua_steps.lua",
			getenv("DWELL_SOURCE"));
	FILE *file = fopen(path, "r");
	char line[256];
	uint32_t n = 1;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file) &&
		strncmp(line, text, strlen(text)) != 0)
		n++;
	fclose(file);
	return n;
}

static void find_vm(const char *path)
{
	struct elf_file *file;
	struct luajit_vm vm;

	assert_no_error(
		elf_file_open(open(path, O_RDONLY | O_CLOEXEC), path, &file));
	assert_true(luajit_vm_find(file, &vm));
	elf_file_close(file);
	made_runtime = (struct chain_runtime){
		.lua_start = vm.code.start + mapping_of_program(path),
		.lua_size = (uint32_t)(vm.code.end - vm.code.start),
		.lua_current = vm.current,
	};
}

static void lua_frames_are_found_at_each_instruction_of_luajit(void **state)
{
	_cleanup_free_ char *luajit = find_luajit();
	struct step_counts found = {
		.deep = line_of_text("local function deep("),
		.never_line = line_of_text("local function never("),
	};

	(void)state;
	if (!luajit)
		skip_without("luajit");
	start_child(luajit);
	assert_int_equal(waitpid(child, NULL, 0), child);
	find_vm(luajit);
	while (go_on(PTRACE_CONT) != SIGUSR1)
		;
	step_through(&found);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	print_message(
		"%u steps, %u lost, %u without a root, %u with a function that "
		"did not run, %u too deep\n",
		found.steps, found.lost, found.rootless, found.never,
		found.too_deep);
	assert_true(found.steps > 5000);
	/* A call of the interpreter begins and ends without frames. */
	assert_true(found.lost < found.steps / 100);
	assert_true(found.rootless < found.steps / 200);
	assert_int_equal(found.never, 0);
	assert_int_equal(found.too_deep, 0);
}

#else
static void lua_frames_are_found_at_each_instruction_of_luajit(void **state)
{
	(void)state;
	/* The recorder does not read LuaJIT on other processors. */
	skip_without("x86_64");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			lua_frames_are_found_at_each_instruction_of_luajit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
