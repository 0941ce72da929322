/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces libFuzzer in builds without clang: runs the fuzz target once on each
 * file argument. `make check` tests the corpora with it.
 */
#include "config.h"

#include <stdio.h>

#include "common/util/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* Only for the linker: a replay changes no input. */
size_t LLVMFuzzerMutate(uint8_t *data _unused_, size_t size, size_t max _unused_)
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

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		_cleanup_strbuf_ struct strbuf file = { 0 };

		if (!read_file(argv[i], &file)) {
			perror(argv[i]);
			return 1;
		}
		replay(&file);
	}
	return 0;
}
