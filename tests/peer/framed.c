/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program without libraries in which every function has a frame pointer, for
 * tests/peer/chains. For about a second it runs recursion, callbacks, frames of
 * variable size, functions with many arguments, and short functions.
 */
#define NOINLINE __attribute__((noinline))

static volatile long sink;

/*
 * The volatile is on the stack: gcc omits the frame of a leaf without a stack.
 */
static NOINLINE long leaf(long n)
{
	volatile long sum = 0;
	long i;

	for (i = 0; i < 200; i++)
		sum += i ^ n;
	return sum;
}

static NOINLINE long deep(long n)
{
	volatile long here = n;

	if (n)
		here += deep(n - 1);
	else
		here += leaf(n);
	return here;
}

static NOINLINE long variable(long n)
{
	volatile char *room = __builtin_alloca((unsigned long)n);
	long sum = 0, i;

	for (i = 0; i < n; i += 16)
		room[i] = (char)i;
	sum += leaf(room[n / 2]);
	return n > 100 ? sum + variable(n / 2) : sum;
}

static NOINLINE long many(
	long a, long b, long c, long d, long e, long f, long g, long h)
{
	return leaf(a + b * c - d) + leaf(e + f * g - h) + a + h;
}

static int is_less(const long *a, const long *b)
{
	volatile long first = *a;

	return first < *b;
}
static int (*volatile order)(const long *, const long *) = is_less;

static NOINLINE void sort(
	long *at, long n, int (*less)(const long *, const long *))
{
	long i, k, swapped;

	for (i = 1; i < n; i++)
		for (k = i; k > 0 && less(&at[k], &at[k - 1]); k--) {
			swapped = at[k];
			at[k] = at[k - 1];
			at[k - 1] = swapped;
		}
}

void run(void);
void run(void)
{
	long round, i, numbers[8];

	for (round = 0; round < 200000; round++) {
		sink += deep(round % 30);
		sink += variable(1000);
		sink += many(1, 2, 3, 4, 5, 6, 7, round);
		for (i = 0; i < 8; i++)
			numbers[i] = (i * 7 + round) % 8;
		sort(numbers, 8, order);
	}
}

__asm__(".globl _start\n.type _start, @function\n_start:\n"
	".cfi_startproc\n.cfi_undefined rip\n"
	"xor %ebp, %ebp\ncall run\n"
	"mov $231, %eax\nxor %edi, %edi\nsyscall\n"
	".cfi_endproc\n.size _start, . - _start\n");
