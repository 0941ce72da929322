/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests process_memory.h with the memory of this process and of its children. */
#include "config.h"

#include "record/runtimes/interface/process_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <malloc.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/testing.h"

#define PAGE 4096u

/* .pages are two pages of 'A', and a page that cannot be read. */
struct fixture {
	struct process_memory *memory;
	char *pages;
	uint64_t address;
};

static int set_up(void **state)
{
	static struct fixture f;

	f.memory = process_memory_create((uint32_t)getpid());
	f.pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(f.pages != MAP_FAILED);
	memset(f.pages, 'A', 2 * PAGE);
	assert_int_equal(mprotect(f.pages + 2 * PAGE, PAGE, PROT_NONE), 0);
	f.address = (uintptr_t)f.pages;
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	process_memory_destroy(f->memory);
	munmap(f->pages, 3 * PAGE);
	return 0;
}

static void numbers_are_read_across_pages(void **state)
{
	const struct fixture *f = *state;
	uint64_t wide;
	uint32_t half;
	uint16_t quarter;
	uint8_t byte;

	memcpy(f->pages + PAGE - 4, "\1\2\3\4\5\6\7\10", 8);
	assert_true(
		process_memory_u64(f->memory, f->address + PAGE - 4, &wide));
	assert_int_equal(wide, UINT64_C(0x0807060504030201));
	assert_true(
		process_memory_u32(f->memory, f->address + PAGE - 2, &half));
	assert_int_equal(half, 0x06050403);
	assert_true(process_memory_u16(f->memory, f->address + PAGE, &quarter));
	assert_int_equal(quarter, 0x0605);
	assert_true(process_memory_u8(f->memory, f->address + PAGE, &byte));
	assert_int_equal(byte, 5);
}

static void reading_unmapped_memory_fails(void **state)
{
	const struct fixture *f = *state;
	static uint8_t large[3 * PAGE];
	uint64_t word = 1;

	assert_false(process_memory_u64(
		f->memory, f->address + 2 * PAGE - 4, &word));
	assert_false(process_memory_u64(f->memory, 0, &word));
	assert_false(process_memory_u64(f->memory, UINT64_MAX - 3, &word));
	assert_false(process_memory_read(
		f->memory, f->address, large, sizeof(large)));
	assert_true(
		process_memory_read(f->memory, f->address, large, 2 * PAGE));
	assert_false(process_memory_is_gone(f->memory));
}

static void a_text_must_end_within_the_given_size(void **state)
{
	const struct fixture *f = *state;
	char text[64];

	memcpy(f->pages + 2 * PAGE - 8, "name", 5);
	assert_true(process_memory_text(
		f->memory, f->address + 2 * PAGE - 8, text, sizeof(text)));
	assert_string_equal(text, "name");
	assert_false(
		process_memory_text(f->memory, f->address, text, sizeof(text)));
	assert_false(process_memory_text(
		f->memory, f->address + 2 * PAGE - 3, text, sizeof(text)));
}

static void a_read_page_is_cached_until_process_memory_settle(void **state)
{
	const struct fixture *f = *state;
	uint8_t byte;

	assert_true(process_memory_u8(f->memory, f->address, &byte));
	f->pages[0] = 'B';
	assert_true(process_memory_u8(f->memory, f->address, &byte));
	assert_int_equal(byte, 'A');
	process_memory_settle(f->memory);
	assert_true(process_memory_u8(f->memory, f->address, &byte));
	assert_int_equal(byte, 'B');
}

static void the_number_of_system_calls_is_limited(void **state)
{
	const struct fixture *f = *state;
	uint64_t word, before = process_memory_calls(f->memory), i;

	for (i = 0; i < PROCESS_MEMORY_CALLS_MAX + 10; i++)
		process_memory_u64(f->memory, f->address + 2 * PAGE, &word);
	assert_int_equal(process_memory_calls(f->memory) - before,
		PROCESS_MEMORY_CALLS_MAX);
	assert_false(process_memory_u64(f->memory, f->address, &word));
	process_memory_allow_calls(f->memory);
	assert_true(process_memory_u64(f->memory, f->address, &word));
}

static void the_end_of_the_process_is_detected(void **state)
{
	const struct fixture *f = *state;
	struct process_memory *memory;
	pid_t pid = fork();
	uint64_t word;

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	memory = process_memory_create((uint32_t)pid);
	assert_false(process_memory_u64(memory, f->address, &word));
	assert_true(process_memory_is_gone(memory));
	process_memory_destroy(memory);
}

/* Blocks each reader of the page at ADDRESS for ever. Returns false if that fails. */
static bool make_endless(uint64_t address)
{
	int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { address, PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING };

	return uffd >= 0 && !ioctl(uffd, UFFDIO_API, &api) &&
		!ioctl(uffd, UFFDIO_REGISTER, &range);
}

/*
 * Returns the PID of a new process whose page at ADDRESS blocks readers, or 0 if the
 * kernel does not permit such a page.
 */
static pid_t fork_with_endless_page(uint64_t address)
{
	int fds[2];
	char letter = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		letter = make_endless(address) ? 'y' : 'n';
		if (write(fds[1], &letter, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], &letter, 1), 1);
	close(fds[0]);
	close(fds[1]);
	if (letter == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint8_t *map_untouched_page(void)
{
	uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	return page;
}

static void a_process_whose_memory_blocks_is_not_read_again(void **state)
{
	uint8_t *page = map_untouched_page();
	pid_t pid = fork_with_endless_page((uintptr_t)page);
	struct process_memory *memory;
	uint64_t word;

	(void)state;
	if (!pid)
		skip_without("userfaultfd");
	memory = process_memory_create((uint32_t)pid);
	assert_true(process_memory_u64(memory, (uintptr_t)&pid, &word));
	assert_false(process_memory_u64(memory, (uintptr_t)page, &word));
	assert_false(process_memory_u64(memory, (uintptr_t)&pid, &word));
	assert_string_equal(process_memory_blocked(memory),
		"it blocks readers of its memory");
	process_memory_destroy(memory);
	/* This also holds for the next program of the process. */
	memory = process_memory_create((uint32_t)pid);
	assert_false(process_memory_u64(memory, (uintptr_t)&pid, &word));
	end_process(pid);
	process_memory_destroy(memory);
	munmap(page, PAGE);
}

static void processes_whose_memory_blocks_do_not_end_the_reading_of_others(
	void **state)
{
	uint8_t *page = map_untouched_page();
	struct process_memory *memory;
	uint64_t word;
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		pid_t pid = fork_with_endless_page((uintptr_t)page);

		if (!pid)
			skip_without("userfaultfd");
		memory = process_memory_create((uint32_t)pid);
		assert_false(
			process_memory_u64(memory, (uintptr_t)page, &word));
		end_process(pid);
		process_memory_destroy(memory);
	}
	memory = process_memory_create((uint32_t)getpid());
	assert_true(process_memory_u64(memory, (uintptr_t)&memory, &word));
	assert_null(process_memory_blocked(memory));
	process_memory_destroy(memory);
	munmap(page, PAGE);
}

static unsigned count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	unsigned n = 0;

	assert_non_null(folder);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

static void processes_share_the_thread_that_reads(void **state)
{
	const struct fixture *f = *state;
	struct process_memory *others[10];
	unsigned n = count_threads();
	uint64_t word;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = process_memory_create((uint32_t)getpid());
		assert_true(process_memory_u64(others[i], f->address, &word));
	}
	assert_int_equal(count_threads(), n + 1);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		process_memory_destroy(others[i]);
}

static void processes_need_memory_for_the_pages_in_use_only(void **state)
{
	const struct fixture *f = *state;
	struct process_memory *others[64];
	uint64_t word;
	size_t before, i;

	/* The buffer of the thread that reads is allocated here. */
	assert_true(process_memory_u64(f->memory, f->address, &word));
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = process_memory_create((uint32_t)getpid());
		assert_true(process_memory_u64(others[i], f->address, &word));
	}
	assert_in_range(mallinfo2().uordblks + mallinfo2().hblkhd - before, 0,
		ARRAY_SIZE(others) * 16 * 1024);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		process_memory_destroy(others[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			numbers_are_read_across_pages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reading_unmapped_memory_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_text_must_end_within_the_given_size, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_read_page_is_cached_until_process_memory_settle,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_number_of_system_calls_is_limited, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			the_end_of_the_process_is_detected, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			processes_share_the_thread_that_reads, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			processes_need_memory_for_the_pages_in_use_only, set_up,
			tear_down),
		cmocka_unit_test(
			a_process_whose_memory_blocks_is_not_read_again),
		cmocka_unit_test(
			processes_whose_memory_blocks_do_not_end_the_reading_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
