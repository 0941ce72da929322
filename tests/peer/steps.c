/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps [-c] N COMMAND...: single-steps N instructions of a program and keeps
 * its true call chain, from each call and each change of the stack pointer,
 * without CFI. After every instruction it unwinds the registers and stack with
 * compiled rules, and sometimes with interpreted rules, and compares the chain
 * with the true one. With -c, dwell also reads code that has no unwind rules,
 * and only wrong chains that count as complete are printed. For x86-64.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"
#include "common/util/array.h"

#define STACK_MAX KIB(128)
#define DEPTH_MAX 4096u
#define SHOWN_MAX 400u
#define SLOW_EVERY 16u
#define SIGNAL_PC 168 /* from sp in the handler's caller; see unwind_step.c */

struct call {
	uint64_t slot, value; /* address on the stack; return address */
};

struct program {
	pid_t pid;
	struct user_regs_struct now, before;
	struct call calls[DEPTH_MAX];
	size_t n_calls;
	uint8_t stack[STACK_MAX];
	size_t stack_size;
	ARRAY(struct place {
		struct unwind_code code;
		char *path;
	})
	places;
	ARRAY(struct known {
		char *path;
		struct elf_file *file; /* or NULL */
		struct cfi *cfi;
	})
	files;
	uint64_t space;
	bool has_code;
	struct unwinder *unwinder;
	unsigned long n_steps, n_same, n_slow, n_differ, n_ends[UNWIND_ENDS];
	unsigned long n_guessed;
	unsigned long n_false; /* of n_differ: chains that end with a root */
};

static _noreturn_ void die(const char *text)
{
	fprintf(stderr, "steps: %s\n", text);
	exit(1);
}

static size_t read_memory(
	const struct program *program, uint64_t at, void *ret, size_t size)
{
	struct iovec local = { ret, size };
	struct iovec remote = { (void *)(uintptr_t)at, size };
	ssize_t n;

	for (; size; size /= 2) {
		local.iov_len = remote.iov_len = size;
		n = process_vm_readv(program->pid, &local, 1, &remote, 1, 0);
		if (n > 0)
			return (size_t)n;
	}
	return 0;
}

static const struct known *read_file(struct program *program, const char *path)
{
	struct known *known;

	array_each(&program->files, other)
		if (string_is(other->path, path))
			return other;
	known = array_push(&program->files);
	known->path = xstrdup(path);
	if (string_is(path, "[vdso]"))
		known->file = elf_file_open_vdso();
	else if (*path == '/')
		error_free(elf_file_open(
			open(path, O_RDONLY | O_CLOEXEC), path, &known->file));
	if (known->file)
		error_free(cfi_create(known->file, NULL, &known->cfi));
	return known;
}

static void add_place(struct program *program, uint64_t start, uint64_t end,
	uint64_t offset, const char *path)
{
	const struct known *known = read_file(program, path);
	struct place *place = array_push(&program->places);

	place->code = (struct unwind_code){ start, end, start, known->cfi };
	if (known->file)
		place->code.bias =
			start - elf_file_address(known->file, offset);
}

static void read_places(struct program *program)
{
	char path[64], line[4096];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)program->pid);
	maps = fopen(path, "re");
	if (!maps)
		die("no maps");
	array_clear(&program->places);
	program->space++;
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset;
		char rights[5], name[4096] = "";

		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095s", &start, &end,
			    rights, &offset, name) >= 4 &&
			rights[2] == 'x')
			add_place(program, start, end, offset, name);
	}
	fclose(maps);
}

static bool look_up(
	struct program *program, uint64_t pc, struct unwind_code *ret)
{
	array_each(&program->places, place)
		if (pc >= place->code.start && pc < place->code.end) {
			*ret = place->code;
			return true;
		}
	return false;
}

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	return look_up(data, pc, ret);
}

static size_t read_code(
	void *data, uint64_t address, uint8_t *bytes, size_t size)
{
	return read_memory(data, address, bytes, size);
}

static bool is_call(const struct program *program, uint64_t pc)
{
	uint8_t code[8] = { 0 };
	unsigned i = 0;

	read_memory(program, pc, code, sizeof(code));
	while (i < 4 &&
		(code[i] == 0x66 || code[i] == 0xf2 || code[i] == 0x3e ||
			code[i] == 0x67 || code[i] >> 4 == 4))
		i++;
	return code[i] == 0xe8 ||
		(code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2);
}

static void push(struct program *program, uint64_t slot, uint64_t value)
{
	if (program->n_calls == DEPTH_MAX)
		die("too deep");
	program->calls[program->n_calls++] = (struct call){ slot, value };
}

/* Updates the true call chain after an instruction. */
static void follow(struct program *program, int delivered)
{
	uint64_t sp = program->now.rsp, word;

	while (program->n_calls &&
		program->calls[program->n_calls - 1].slot < sp)
		program->n_calls--;
	if (delivered) {
		push(program, sp + 8 + SIGNAL_PC, program->before.rip);
		read_memory(program, sp, &word, sizeof(word));
		push(program, sp, word);
	} else if (sp == program->before.rsp - 8 &&
		is_call(program, program->before.rip)) {
		read_memory(program, sp, &word, sizeof(word));
		push(program, sp, word);
	}
}

static void take_registers(
	const struct program *program, struct unwind_registers *ret)
{
	const struct user_regs_struct *now = &program->now;
	const uint64_t values[] = { now->rax, now->rdx, now->rcx, now->rbx,
		now->rsi, now->rdi, now->rbp, now->rsp, now->r8, now->r9,
		now->r10, now->r11, now->r12, now->r13, now->r14, now->r15 };

	memset(ret, 0, sizeof(*ret));
	memcpy(ret->value, values, sizeof(values));
	ret->known = 0xffff;
	ret->pc = now->rip;
}

static bool is_same(
	const struct program *program, const struct unwind_chain *chain)
{
	size_t i;

	if (chain->n != program->n_calls + 1)
		return false;
	for (i = 1; i < chain->n; i++)
		if (chain->pcs[i] != program->calls[program->n_calls - i].value)
			return false;
	return true;
}

static void show(const struct program *program,
	const struct unwind_chain *chain, const char *how)
{
	size_t i;

	printf("step %lu, %s, ends with %s:\n  true ", program->n_steps, how,
		unwind_end_name(chain->end));
	printf(" %" PRIx64, (uint64_t)program->now.rip);
	for (i = program->n_calls; i--;)
		printf(" %" PRIx64, program->calls[i].value);
	printf("\n  dwell");
	for (i = 0; i < chain->n; i++)
		printf(" %" PRIx64, chain->pcs[i]);
	printf("\n");
	array_each(&program->places, place)
		if (program->now.rip - place->code.start <
			place->code.end - place->code.start)
			printf("  linked at %" PRIx64 "\n",
				(uint64_t)program->now.rip - place->code.bias);
}

static void check(struct program *program, bool is_slow)
{
	static uint64_t pcs[DEPTH_MAX + 2], slots[DEPTH_MAX + 2];
	struct unwind_chain chain = {
		.pcs = pcs, .slots = slots, .room = DEPTH_MAX + 2
	};
	const struct unwind_space space = { program->space, find, program,
		program->has_code ? read_code : NULL };
	const struct unwind_memory memory = { .start = program->now.rsp,
		.bytes = program->stack,
		.size = program->stack_size,
		.thread = (uint32_t)program->pid };
	struct unwind_registers registers;
	struct unwind_walk walk = { .unwinder = program->unwinder,
		.space = &space,
		.registers = &registers,
		.memory = &memory,
		.chain = &chain };

	take_registers(program, &registers);
	if (is_slow)
		unwind_interpret(&walk);
	else
		unwind(program->unwinder, &space, &registers, &memory, &chain);
	if (!is_slow) {
		program->n_slow += chain.is_slow;
		program->n_guessed += chain.n_guessed > 0;
		program->n_ends[chain.end]++;
	}
	if (is_same(program, &chain)) {
		program->n_same += !is_slow;
		return;
	}
	program->n_false += chain.end == UNWIND_ROOT;
	program->n_differ++;
	if (program->has_code ? chain.end == UNWIND_ROOT
			      : program->n_differ <= SHOWN_MAX)
		show(program, &chain, is_slow ? "interpreted" : "compiled");
}

/* Runs one instruction. Returns false if the program has ended. */
static bool step(struct program *program)
{
	struct unwind_code code;
	int status, delivered = 0;

	program->before = program->now;
	if (ptrace(PTRACE_SINGLESTEP, program->pid, 0, 0) < 0)
		return false;
	for (;;) {
		if (waitpid(program->pid, &status, 0) < 0 ||
			!WIFSTOPPED(status))
			return false;
		if (WSTOPSIG(status) == SIGTRAP)
			break;
		delivered = WSTOPSIG(status);
		ptrace(PTRACE_GETREGS, program->pid, 0, &program->before);
		ptrace(PTRACE_SINGLESTEP, program->pid, 0, delivered);
	}
	ptrace(PTRACE_GETREGS, program->pid, 0, &program->now);
	follow(program, delivered);
	if (!look_up(program, program->now.rip, &code))
		read_places(program);
	program->stack_size = read_memory(program, program->now.rsp,
		program->stack, sizeof(program->stack));
	program->n_steps++;
	check(program, false);
	if (program->n_steps % SLOW_EVERY == 0)
		check(program, true);
	return true;
}

static pid_t start(char **command)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	execvp(command[0], command);
	_exit(127);
}

int main(int argc, char **argv)
{
	static struct program program;
	const struct unwind_counts *counts;
	unsigned long max;
	int status, i;

	program.has_code = argc > 1 && string_is(argv[1], "-c");
	argv += program.has_code;
	if (argc < 3 + program.has_code)
		die("usage: steps [-c] N COMMAND...");
	max = strtoul(argv[1], NULL, 10);
	program.pid = start(argv + 2);
	program.unwinder = unwinder_create(UNWIND_X86_64);
	if (waitpid(program.pid, &status, 0) < 0 || !WIFSTOPPED(status))
		die("cannot trace");
	ptrace(PTRACE_GETREGS, program.pid, 0, &program.now);
	read_places(&program);
	while (program.n_steps < max && step(&program))
		;
	kill(program.pid, SIGKILL);
	counts = unwinder_counts(program.unwinder);
	printf("%lu steps, %lu same, %lu differ, %lu interpreted, %lu guessed\n",
		program.n_steps, program.n_same, program.n_differ,
		program.n_slow, program.n_guessed);
	printf("  %lu of these that differ end with root\n", program.n_false);
	printf("  %.0f %% of frames as in the last stack\n",
		100.0 * (double)counts->n_reused / (double)counts->n_frames);
	for (i = 0; i < UNWIND_ENDS; i++)
		printf("  %s: %lu\n", unwind_end_name((enum unwind_end)i),
			program.n_ends[i]);
	return program.n_differ != 0;
}
