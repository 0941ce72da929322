/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flips single bits of a recording, and checks that no command loses data
 * without a message.
 *
 *	flip make FILE
 *	flip PROGRAM FILE COUNT
 *
 * The first command writes a small recording to FILE, in blocks, as dwell
 * record does. The second flips one bit at each of COUNT places of FILE, and
 * runs `PROGRAM script` and `PROGRAM report` on each result, FILE.bad. Either
 * their output is the same as for FILE, with status 0, or they report the
 * damage on stderr and exit with status 3, or with 1 if nothing can be read.
 * Any other result is printed, and flip exits with 1.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "common/util/alloc.h"
#include "tests/unit/make_recording.h"

static int fail(const char *what)
{
	fprintf(stderr, "flip: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_file(const char *path, const struct strbuf *bytes)
{
	/* The header of a report contains the file's time. */
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	_cleanup_close_ int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes->at, bytes->n) != (ssize_t)bytes->n ||
		futimens(fd, times) < 0)
		fail(path);
}

static void read_all(int fd, struct strbuf *ret)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		strbuf_put(ret, bytes, (size_t)n);
}

/* --- commands ------------------------------------------------------------- */

static const char *const verbs[][6] = {
	{ "script", "-i" },
	{ "report", "--stdio", "--header", "-g", "none", "-i" },
};

struct answer {
	int status; /* -1: a signal */
	struct strbuf text;
	struct strbuf notes;
};

static void exec_verb(
	const char *program, size_t verb, const char *path, int out, int notes)
{
	const char *argv[ARRAY_SIZE(verbs[0]) + 3] = { program };
	size_t i, n = 1;

	for (i = 0; i < ARRAY_SIZE(verbs[0]) && verbs[verb][i]; i++)
		argv[n++] = verbs[verb][i];
	argv[n] = path;
	dup2(out, STDOUT_FILENO);
	dup2(notes, STDERR_FILENO);
	execv(program, (char **)argv);
	_exit(127);
}

/* Stderr is read after stdout: its few messages fit into the pipe. */
static struct answer run_verb(
	const char *program, size_t verb, const char *path)
{
	struct answer answer = { 0 };
	int text[2], notes[2], status;
	pid_t pid;

	if (pipe2(text, O_CLOEXEC) < 0 || pipe2(notes, O_CLOEXEC) < 0)
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0)
		exec_verb(program, verb, path, text[1], notes[1]);
	close(text[1]);
	close(notes[1]);
	read_all(text[0], &answer.text);
	read_all(notes[0], &answer.notes);
	close(text[0]);
	close(notes[0]);
	waitpid(pid, &status, 0);
	answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return answer;
}

static void answer_deinit(struct answer *answer)
{
	strbuf_free(&answer->text);
	strbuf_free(&answer->notes);
}

static bool is_right(const struct answer *answer, const struct answer *sound)
{
	if (answer->status == 0)
		return answer->text.n == sound->text.n &&
			!memcmp(answer->text.at, sound->text.at, sound->text.n);
	return (answer->status == 3 || answer->status == 1) &&
		answer->notes.n > 0;
}

/* --- places of the flipped bits ------------------------------------------- */

/*
 * File offsets of the parts of a file. Each part gets the same number of flips.
 */
typedef ARRAY(size_t) part_list;

static uint64_t word_at(const struct strbuf *file, size_t at)
{
	uint64_t word;

	memcpy(&word, file->at + at, sizeof(word));
	return word;
}

/*
 * Finds the parts: the header, the head, each record of the data, the tables
 * behind the data, and the trailer.
 */
static void find_parts(const struct strbuf *file, part_list *ret)
{
	size_t at = word_at(file, 40), end = at + word_at(file, 48);
	struct record record;

	*array_push(ret) = 0;
	*array_push(ret) = 104;
	while (at < end &&
		record_at((uint8_t *)file->at + at, end - at, false, &record)) {
		*array_push(ret) = at;
		/* A block's description and its frame are two parts. */
		if (record.type == RECORD_COMPRESSED)
			*array_push(ret) = at + BLOCK_HEAD_SIZE;
		at += record.size;
	}
	*array_push(ret) = end;
	*array_push(ret) = word_at(file, 24);
	*array_push(ret) = file->n - TRAILER_SIZE;
	*array_push(ret) = file->n;
}

struct flipping {
	const char *program, *path; /* of the file with a flipped bit */
	struct strbuf file;
	struct answer sound[ARRAY_SIZE(verbs)];
};

static bool check_verb(
	const struct flipping *flipping, size_t verb, const char *place)
{
	struct answer answer =
		run_verb(flipping->program, verb, flipping->path);
	bool is_well = is_right(&answer, &flipping->sound[verb]);

	if (!is_well)
		printf("%s: %s: status %d, stderr: %.*s\n", place,
			verbs[verb][0], answer.status, (int)answer.notes.n,
			answer.notes.at);
	answer_deinit(&answer);
	return is_well;
}

static bool check_place(struct flipping *flipping, size_t place, unsigned bit)
{
	_cleanup_free_ char *name = xasprintf("byte %zu, bit %u", place, bit);
	bool is_well = true;
	size_t i;

	flipping->file.at[place] ^= (char)(1 << bit);
	write_file(flipping->path, &flipping->file);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		is_well &= check_verb(flipping, i, name);
	flipping->file.at[place] ^= (char)(1 << bit);
	return is_well;
}

static void find_sound(struct flipping *flipping)
{
	size_t i;

	write_file(flipping->path, &flipping->file);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		flipping->sound[i] =
			run_verb(flipping->program, i, flipping->path);
}

static int flip_bits(const char *program, const char *path, unsigned count)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *bad = xasprintf("%s.bad", path);
	struct flipping flipping = { .program = program, .path = bad };
	part_list parts = { 0 };
	unsigned i, wrong = 0;

	if (fd < 0)
		fail(path);
	read_all(fd, &flipping.file);
	find_parts(&flipping.file, &parts);
	find_sound(&flipping);
	srandom(1);
	for (i = 0; i < count; i++) {
		size_t part = i % (parts.n - 1);
		size_t first = parts.at[part];
		size_t size = parts.at[part + 1] - first;
		size_t place = first + (size_t)random() % MAX(size, 1ul);

		wrong += !check_place(&flipping, place, (unsigned)random() % 8);
	}
	printf("%u places, %u wrong\n", count, wrong);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		answer_deinit(&flipping.sound[i]);
	strbuf_free(&flipping.file);
	array_free(&parts);
	return wrong != 0;
}

/* --- the recording -------------------------------------------------------- */

static int make_file(const char *path)
{
	struct recording recording = {
		.n_samples = 60,
		.n_events = 2,
		.per_block = 20,
		.has_tracing_data = true,
		.section = { SECTION_META, META_VERSION, { 0 } },
	};
	struct memory memory = { 0 };
	struct error *err;

	strbuf_put(&recording.section.raw,
		"stacks\0"
		"5",
		9);
	err = make_recording(&recording, &memory);
	if (err)
		fail(err->text);
	write_file(path, &memory.file);
	strbuf_free(&recording.section.raw);
	memory_deinit(&memory);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && string_is(argv[1], "make"))
		return make_file(argv[2]);
	if (argc == 4)
		return flip_bits(
			argv[1], argv[2], (unsigned)strtoul(argv[3], NULL, 10));
	fputs("usage: flip make FILE | flip PROGRAM FILE COUNT\n", stderr);
	return 2;
}
