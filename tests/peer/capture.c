/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes samples of itself to standard output, for tests/peer/captured. A
 * sample is 34 registers (by DWARF number; the pc is number 33), the stack's
 * address, size and bytes, and the number and addresses of the frames of
 * backtrace(). Numbers have 64 bits. For aarch64 and qemu-aarch64, in which the
 * kernel takes no samples.
 */
#include <execinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define CALLERS 4096
#define STACK_MAX 400000

static uint8_t stack[STACK_MAX];
static const char *top; /* end of the copied stack */
static volatile long sink;

static void put(const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(1, at, size);

		if (n <= 0)
			exit(1);
		at += n;
		size -= (size_t)n;
	}
}

static NOINLINE void capture(void)
{
	static void *callers[CALLERS];
	uint64_t registers[34] = { 0 }, numbers[2], i, n;
	ucontext_t context;

	n = (uint64_t)backtrace(callers, CALLERS);
	getcontext(&context);
#ifdef __aarch64__
	memcpy(registers, context.uc_mcontext.regs, 31 * 8);
	registers[31] = context.uc_mcontext.sp;
	registers[33] = context.uc_mcontext.pc;
#endif
	numbers[0] = registers[31];
	numbers[1] = (uint64_t)(top - (const char *)numbers[0]);
	if (numbers[1] > sizeof(stack))
		numbers[1] = sizeof(stack);
	memcpy(stack, (const void *)numbers[0], numbers[1]);
	put(registers, sizeof(registers));
	put(numbers, sizeof(numbers));
	put(stack, numbers[1]);
	put(&n, sizeof(n));
	for (i = 0; i < n; i++) {
		uint64_t caller = (uint64_t)callers[i];

		put(&caller, sizeof(caller));
	}
	sink++;
}

static NOINLINE void variable(unsigned n)
{
	volatile char *room = __builtin_alloca(n);

	room[0] = 1;
	capture();
	if (n > 100)
		variable(n / 2);
	sink += room[0];
}

static NOINLINE void large(void)
{
	volatile char room[70000];

	room[0] = room[69999] = 1;
	capture();
	sink += room[0];
}

static NOINLINE void deep(int n)
{
	volatile int here = n;

	if (n)
		deep(n - 1);
	else
		capture();
	sink += here;
}

static int compare(const void *a, const void *b)
{
	capture();
	return *(const int *)a - *(const int *)b;
}

/* Uses many callee-saved registers. */
static NOINLINE long busy(long a, long b, long c, long d)
{
	long e = a * b, f = c * d, g = a + d, h = b - c;

	capture();
	sink += e;
	capture();
	return e + f + g + h + a + b + c + d;
}

int main(void)
{
	int numbers[] = { 3, 1, 2 };

	top = (const char *)__builtin_frame_address(0) + 4096;
	variable(1000);
	large();
	deep(1000);
	qsort(numbers, 3, sizeof(int), compare);
	sink += busy(1, 2, 3, 4);
	return 0;
}
