/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All kinds of frames, for tests/peer/steps: of variable size, realigned, of
 * many arguments, deep, in assembly, under a signal, thrown through.
 */
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

static NOINLINE void leaf(const volatile void *at)
{
	sink += *static_cast<const volatile char *>(at);
}

static NOINLINE void variable(int n)
{
	volatile char *room = static_cast<char *>(alloca(n));

	room[0] = 1;
	leaf(room);
	if (n > 100)
		variable(n / 2);
	leaf(room);
}

static NOINLINE void realigned(int n)
{
	alignas(64) volatile char room[128];
	volatile char *more = static_cast<char *>(alloca(n));

	room[0] = more[0] = 1;
	leaf(room);
	leaf(more);
}

static NOINLINE int many(const char *form, ...)
{
	char text[256];
	va_list list;

	va_start(list, form);
	int n = vsnprintf(text, sizeof(text), form, list);
	va_end(list);
	leaf(text);
	return n;
}

static NOINLINE int deep(int n)
{
	volatile int here = n;

	if (n)
		sink += deep(n - 1);
	return here;
}

static int compare(const void *a, const void *b)
{
	leaf(a);
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

static void handler(int)
{
	variable(200);
}

struct guard {
	~guard() { leaf(this); }
	char byte = 1;
};

static NOINLINE void thrower(int depth)
{
	guard here;

	if (!depth)
		throw std::runtime_error("thrown");
	thrower(depth - 1);
	leaf(&here);
}

static NOINLINE void catcher()
{
	try {
		thrower(3);
	} catch (const std::exception &error) {
		leaf(error.what());
	}
}

/* Calls leaf(arg) from a frame that only its CFI explains. */
extern "C" void by_hand(void (*)(const volatile void *), const void *);
asm(".text\n"
    ".type by_hand, @function\n"
    "by_hand:\n"
    "	.cfi_startproc\n"
    "	push	%rbx\n"
    "	.cfi_def_cfa_offset 16\n"
    "	.cfi_offset %rbx, -16\n"
    "	mov	%rsp, %rbx\n"
    "	.cfi_def_cfa_register %rbx\n"
    "	sub	$1000, %rsp\n"
    "	and	$-128, %rsp\n"
    "	mov	%rdi, %rax\n"
    "	mov	%rsi, %rdi\n"
    "	call	*%rax\n"
    "	mov	%rbx, %rsp\n"
    "	.cfi_def_cfa_register %rsp\n"
    "	pop	%rbx\n"
    "	.cfi_def_cfa_offset 8\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size by_hand, .-by_hand\n");

static jmp_buf place;

static NOINLINE void jumper(int n)
{
	if (!n)
		longjmp(place, 1);
	jumper(n - 1);
	leaf(&place);
}

int main()
{
	int numbers[] = { 3, 1, 2, 5, 4 };
	std::string text;

	variable(1000);
	realigned(77);
	many("%d %s %f", 1, "two", 3.0);
	deep(50);
	qsort(numbers, 5, sizeof(int), compare);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	catcher();
	by_hand(leaf, "x");
	if (!setjmp(place))
		jumper(5);
	for (int i = 0; i < 20; i++)
		text += std::to_string(i);
	leaf(text.c_str());
	return 0;
}
