/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces libFuzzer in builds without clang: runs the fuzz target once on each
 * file argument. `make check` tests the corpora with it, through tests/run-tap.
 *
 * Prints a comment before each file and a TAP line after it. If the target crashes or
 * loses memory, the last comment names the file, and run-tap starts the target again
 * behind that file.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/util/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/*
 * In builds with the address sanitizer: reports memory that is lost, and returns 0
 * if there is none. Otherwise NULL.
 */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* Only for the linker: a replay changes no input. */
size_t LLVMFuzzerMutate(
	uint8_t *data _unused_, size_t size, size_t max _unused_)
{
	return size;
}

static bool read_file(const char *path, struct strbuf *ret)
{
	FILE *file = fopen(path, "re");
	char buffer[4096];
	size_t n;
	bool ok;

	if (!file)
		return false;
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
		strbuf_put(ret, buffer, n);
	ok = !ferror(file);
	fclose(file);
	return ok;
}

/* Copies the file to memory of exactly its size, as libFuzzer does. */
static void replay(const struct strbuf *file)
{
	uint8_t *data = malloc(file->n ? file->n : 1);

	if (!data)
		abort();
	if (file->n)
		memcpy(data, file->at, file->n);
	LLVMFuzzerTestOneInput(data, file->n);
	free(data);
}

/* Returns what follows SEPARATOR the last time in TEXT, or TEXT. */
static const char *behind_last(const char *text, const char *separator)
{
	const char *at;

	while ((at = strstr(text, separator)))
		text = at + strlen(separator);
	return text;
}

int main(int argc, char **argv)
{
	const char *target = behind_last(argv[0], "fuzz_");
	/* Some targets redirect stdout. */
	FILE *tap = fdopen(dup(STDOUT_FILENO), "w");
	int i;

	if (!tap)
		abort();
	for (i = 1; i < argc; i++) {
		_cleanup_strbuf_ struct strbuf file = { 0 };
		const char *name = behind_last(argv[i], "/");

		fprintf(tap, "# %s: %s\n", target, name);
		fflush(tap);
		if (!read_file(argv[i], &file)) {
			perror(argv[i]);
			return 1;
		}
		replay(&file);
		if (__lsan_do_recoverable_leak_check &&
			__lsan_do_recoverable_leak_check() != 0)
			_exit(1);
		fprintf(tap, "ok %d - %s: %s\n", i, target, name);
		fflush(tap);
	}
	fclose(tap);
	return 0;
}
