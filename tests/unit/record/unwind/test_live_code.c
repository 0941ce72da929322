/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/live_code.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/testing.h"

/* Longer than what was read is taken for what there is. */
#define LATER_US 600000u
#define MADE "made at run time"

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	assert_true(pid > 0);
	return pid;
}

static size_t read_made(struct livecode *livecode, pid_t pid, const void *made)
{
	uint8_t bytes[sizeof(MADE)] = { 0 };
	size_t n = livecode_read(livecode, (uint32_t)pid,
		(uint64_t)(uintptr_t)made, bytes, sizeof(bytes));

	assert_true(!n || !memcmp(bytes, MADE, sizeof(bytes)));
	return n;
}

static void what_was_read_outlives_its_process(void **state _unused_)
{
	struct livecode *livecode = livecode_create();
	char *made = mmap(NULL, 4 * LIVECODE_MAX, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *other = made + 2 * LIVECODE_MAX;
	size_t n;
	pid_t pid;

	assert_ptr_not_equal(made, MAP_FAILED);
	memcpy(made, MADE, sizeof(MADE));
	memcpy(other, MADE, sizeof(MADE));
	pid = start_child();
	n = read_made(livecode, pid, made);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	if (!n) {
		livecode_destroy(livecode);
		print_message("a child's memory can't be read here\n");
		skip();
	}
	assert_int_equal(n, sizeof(MADE));
	usleep(LATER_US);
	assert_int_equal(read_made(livecode, pid, made), sizeof(MADE));
	assert_int_equal(read_made(livecode, pid, other), 0);
	livecode_destroy(livecode);
	munmap(made, 4 * LIVECODE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_read_outlives_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
