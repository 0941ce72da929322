/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program or library that claims to be an interpreter, and forges its structures: PHP
 * 8.2, Perl 5.36 or Ruby 3.1, by the macro FORGED_PHP, FORGED_PERL or FORGED_RUBY. The
 * name of the file must be that of the interpreter.
 *
 *	php8.2 MODE SECONDS
 *
 * MODE 1: the frames are a circle, and lead to a code object of a wrong type.
 * MODE 2: the same, and the texts of the code object claim to have 2^60 characters.
 * MODE 3: the same with a name that contains control characters, and impossible lines.
 * The program waits before it ends, so that a recorder on a busy machine can read it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONTROLS "a\033[31m\nb"

static uint64_t frames[2][512], code[64], name[64], lines[16];

static void put(void *object, unsigned offset, const void *value)
{
	memcpy((char *)object + offset, &value, sizeof(value));
}

static void put_number(void *object, unsigned offset, uint64_t value)
{
	put(object, offset, (void *)(uintptr_t)value);
}

static void spin(double seconds)
{
	while (clock() < seconds * CLOCKS_PER_SEC)
		;
	usleep(300000);
}

/* The offsets are those of record/runtimes, for x86-64. */
#if defined(FORGED_PHP)
char executor_globals[1800];

static void forge(int mode)
{
	int i;

	put(executor_globals, 488, frames[0]);
	for (i = 0; i < 2; i++) {
		put(frames[i], 0, lines);
		put(frames[i], 24, code);
		put(frames[i], 48, frames[1 - i]);
	}
	put_number(code, 0, mode == 1 ? 77 : 2);
	put(code, 8, name);
	put(code, 152, name);
	put_number(code, 160, UINT64_C(0xffffffff00000001));
	put_number(name, 16, mode == 2 ? UINT64_C(1) << 60 : strlen(CONTROLS));
	strcpy((char *)name + 24, CONTROLS);
	put_number(lines, 24, UINT32_MAX);
}

__attribute__((noinline)) void execute_ex(double seconds)
{
	spin(seconds);
}
#define INTERPRET execute_ex
#elif defined(FORGED_PERL)
const uint8_t PL_version = 36;
pthread_key_t PL_thr_key;
void *PL_curinterp;
static uint64_t interpreter[64], stack[8], wild[8], function[8], package[16];

static void forge(int mode)
{
	pthread_key_create(&PL_thr_key, NULL);
	pthread_setspecific(PL_thr_key, interpreter);
	PL_curinterp = interpreter;
	put(interpreter, 208, lines);
	put(interpreter, 224, stack);
	/* The stack is its own outer stack, or the outer one claims to be huge. */
	put(stack, 8, frames[0]);
	put(stack, 16, mode == 2 ? wild : stack);
	put_number(stack, 32, 3);
	put(wild, 8, frames[0]);
	put_number(wild, 32, INT32_MAX);
	for (int i = 0; i < 4; i++) {
		put_number((char *)frames[0] + 104 * i, 0, 9);
		put((char *)frames[0] + 104 * i, 16, lines);
		put((char *)frames[0] + 104 * i, 72, function);
	}
	put(function, 0, code);
	put(code, 32, package);
	put(code, 40, lines);
	put(code, 56, name);
	put(code, 64, (char *)name + 8);
	put_number(code, 92, mode == 1 ? 0 : 0x8000);
	put(package, 0, package);
	put(package, 32, name);
	put_number(name, 4, mode == 2 ? INT32_MAX : strlen(CONTROLS));
	strcpy((char *)name + 8, CONTROLS);
	put_number(lines, 32, 195 | UINT64_C(0xffffffff) << 32);
	/* As while Perl starts: its key is set last. */
	if (mode == 4) {
		pthread_key_t key = PL_thr_key;

		PL_thr_key = 20;
		spin(0.003);
		PL_thr_key = key;
	}
}

__attribute__((noinline)) void Perl_runops_standard(double seconds)
{
	spin(seconds);
}
#define INTERPRET Perl_runops_standard
#else
const char ruby_version[] = "3.1.2";
__thread void *ruby_current_ec;
void *rb_thread_current(void);
void *rb_thread_current(void)
{
	return ruby_current_ec;
}
static uint64_t context[8], sequence[8], label[8];

static void forge(int mode)
{
	int i;

	ruby_current_ec = context;
	/* The stack claims to have 2^60 words. */
	put(context, 0, frames[0]);
	put_number(context, 8, UINT64_C(1) << 60);
	put(context, 16, frames[0]);
	for (i = 0; i < 16; i++) {
		put((char *)frames[0] + 64 * i, 0, lines);
		put((char *)frames[0] + 64 * i, 16, sequence);
		put((char *)frames[0] + 64 * i, 32, name);
	}
	put(sequence, 16, code);
	put(code, 64, label);
	put(code, 80, label);
	put(code, 88, (void *)3);
	put(code, 120, lines);
	put_number(code, 136, UINT32_MAX);
	put(code, 144, lines);
	put_number(label, 0, (mode == 1 ? 6 : 5) | 1 << 13);
	put_number(label, 16, mode == 2 ? UINT64_C(1) << 60 : strlen(CONTROLS));
	put(label, 24, CONTROLS);
}

__attribute__((noinline)) void interpret(double seconds)
{
	spin(seconds);
}
#define INTERPRET interpret
/* The library is the interpreter; its program is only main(). */
int run(int argc, char **argv);
#define main run
#endif

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	forge(atoi(argv[1]));
	INTERPRET(atof(argv[2]));
	return 0;
}
