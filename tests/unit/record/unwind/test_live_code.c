/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/jitrules.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/testing.h"

/* Longer than the time for which pieces are kept. */
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

static size_t read_made(
	struct jitrules_live *live_code, pid_t pid, const void *made)
{
	uint8_t bytes[sizeof(MADE)] = { 0 };
	size_t n = jitrules_live_read(live_code, (uint32_t)pid,
		(uint64_t)(uintptr_t)made, bytes, sizeof(bytes));

	assert_true(!n || !memcmp(bytes, MADE, sizeof(bytes)));
	return n;
}

static void code_that_was_read_is_kept_after_its_process_ends(
	void **state _unused_)
{
	struct jitrules_live *live_code = jitrules_live_create();
	char *made = mmap(NULL, 4 * JITRULES_LIVE_MAX, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *other = made + 2 * JITRULES_LIVE_MAX;
	size_t n;
	pid_t pid;

	assert_ptr_not_equal(made, MAP_FAILED);
	memcpy(made, MADE, sizeof(MADE));
	memcpy(other, MADE, sizeof(MADE));
	pid = start_child();
	n = read_made(live_code, pid, made);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	if (!n) {
		jitrules_live_destroy(live_code);
		skip_without("process-memory");
	}
	assert_int_equal(n, sizeof(MADE));
	usleep(LATER_US);
	assert_int_equal(read_made(live_code, pid, made), sizeof(MADE));
	assert_int_equal(read_made(live_code, pid, other), 0);
	jitrules_live_destroy(live_code);
	munmap(made, 4 * JITRULES_LIVE_MAX);
}

/* A process can always read its own memory. */
static void code_written_beside_known_code_is_read(void **state _unused_)
{
	static _Alignas(JITRULES_LIVE_MAX) uint8_t code[2 * JITRULES_LIVE_MAX];
	struct jitrules_live *live_code = jitrules_live_create();
	size_t at;

	for (at = 0; at < sizeof(code); at += 64) {
		uint8_t byte = 0;

		code[at] = (uint8_t)(at / 64 + 1);
		assert_int_equal(
			jitrules_live_read(live_code, (uint32_t)getpid(),
				(uint64_t)(uintptr_t)&code[at], &byte, 1),
			1);
		assert_int_equal(byte, code[at]);
	}
	jitrules_live_destroy(live_code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_written_beside_known_code_is_read),
		cmocka_unit_test(
			code_that_was_read_is_kept_after_its_process_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
