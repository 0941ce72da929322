/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that claims to be CPython 3.11, and forges its structures. Its name
 * must begin with "python". The program waits before it ends, so that a recorder
 * on a busy machine can read the process.
 *
 *	python3.11 MODE SECONDS
 *
 * MODE 0: there is no interpreter yet.
 * MODE 1: the list of threads is a circle, and no thread is a real one.
 * MODE 2: the list of frames is a circle, and the code object has the wrong type.
 * MODE 3: the same, and the texts of the code object claim to have 2^60 characters.
 * MODE 4: the same with a name that contains control characters, and a damaged
 * line table.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Offsets of CPython 3.11 on x86-64: record/runtimes/cpython/cpython_layout.c. */
struct {
	uint64_t words[64];
} _PyRuntime;
struct {
	uint64_t words[64];
} PyCode_Type;
const unsigned Py_Version = 0x030b07f0;

static uint64_t interpreter[64], thread[64], frames[2][64], cframe[8], code[64];
static uint64_t name[16], lines[16];

static void put(void *object, unsigned offset, const void *value)
{
	memcpy((char *)object + offset, &value, sizeof(value));
}

static void put_text(uint64_t *text, uint64_t length, const char *characters)
{
	text[2] = length;
	text[4] = 1 << 2 | 0x20 |
		0x40; /* one byte per character, compact, ASCII */
	strcpy((char *)text + 48, characters);
}

static void forge(int mode)
{
	pthread_key_t key;

	put(&_PyRuntime, 40, interpreter);
	put(interpreter, 16, thread);
	put(thread, 8, thread);
	if (mode == 1)
		return;
	pthread_key_create(&key, NULL);
	pthread_setspecific(key, thread);
	put(thread, 152, (void *)pthread_self());
	put(thread, 56, cframe);
	put(cframe, 8, frames[0]);
	put(frames[0], 48, frames[1]);
	put(frames[1], 48, frames[0]);
	put(frames[0], 32, code);
	put(frames[1], 32, code);
	put(code, 8, mode == 2 ? (void *)code : &PyCode_Type);
	put(code, 112, name);
	put(code, 128, name);
	put(code, 136, lines);
	put_text(name, mode == 3 ? UINT64_C(1) << 60 : 8, "a\033[31m\nb");
	lines[2] = 24;
	memset(&lines[4], 0xff, 24);
}

__attribute__((noinline)) void _PyEval_EvalFrameDefault(double seconds)
{
	while (clock() < seconds * CLOCKS_PER_SEC)
		;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (atoi(argv[1]))
		forge(atoi(argv[1]));
	_PyEval_EvalFrameDefault(atof(argv[2]));
	usleep(300000);
	return 0;
}
