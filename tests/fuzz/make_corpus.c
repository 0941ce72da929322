/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_corpus FOLDER: writes small recordings of every kind to FOLDER, as the
 * fuzzer's initial corpus. Run it again when the format has changed:
 *
 *	make tests/fuzz/make_corpus
 *	tests/fuzz/make_corpus ../tests/fuzz/corpus/reader
 *
 * Other files in that folder were found by fuzzing, and are named after the bug
 * that they caused. Keep them.
 */
#include "config.h"

#include <elf.h>
#include <stdio.h>

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "tests/unit/make_recording.h"

static const char *folder;

static void save(const char *name, const void *data, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "we");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* --- dwell's recordings --------------------------------------------------- */

static void put_symbols(struct strbuf *out)
{
	struct symbols_section bundle = { 0 };
	struct symbols_dso *dso = array_push(&bundle.dsos);

	dso->path = xstrdup(MADE_PATH);
	symtab_add(&dso->symbols, 0x00, 0x40, STB_GLOBAL, "_Z3foov");
	symtab_add(&dso->symbols, 0x8000, 0x8000, STB_GLOBAL, "main");
	symtab_finish(&dso->symbols);
	symbols_section_write(&bundle, out);
	symbols_section_deinit(&bundle);
}

static void make(const struct recording *recording, struct memory *ret)
{
	struct error *err;

	*ret = (struct memory){ 0 };
	err = make_recording(recording, ret);
	if (err) {
		fprintf(stderr, "%s\n", err->text);
		exit(1);
	}
}

static void save_recording(const char *name, const struct recording *recording)
{
	struct memory memory;

	make(recording, &memory);
	save(name, memory.file.at, memory.file.n);
	memory_deinit(&memory);
}

static void save_dwells(void)
{
	struct recording recording = { .n_samples = 9, .n_events = 1 };
	struct memory memory;

	save_recording("plain", &recording);
	recording.is_open = true;
	save_recording("plain-open", &recording);
	recording.has_tracing_data = true;
	save_recording("tracing-data", &recording);
	recording = (struct recording){
		.n_samples = 9, .n_events = 2, .per_block = 4
	};
	recording.section = (struct writer_section){ SECTION_SYMBOLS,
		SYMBOLS_SECTION_VERSION, { 0 } };
	put_symbols(&recording.section.raw);
	save_recording("blocks-symbols", &recording);
	make(&recording, &memory);
	save("blocks-cut-in-trailer", memory.file.at, memory.file.n - 20);
	save("blocks-cut-in-ids", memory.file.at, memory.file.n - 64 - 112 - 8);
	save("blocks-cut-in-block", memory.file.at, 1250);
	memory_deinit(&memory);
	recording.is_open = true;
	save_recording("blocks-open", &recording);
	strbuf_free(&recording.section.raw);
}

/* --- perf's recordings ---------------------------------------------------- */

static void save_perf(const char *name, const struct strbuf *data,
	size_t n_events, bool is_pipe)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct features host;

	make_host(&host, n_events);
	if (is_pipe)
		make_perf_pipe(&host, data, &file);
	else
		make_perf_file(&host, data, &file);
	save(name, file.at, file.n);
	features_deinit(&host);
}

static void put_other_records(struct strbuf *out)
{
	static const uint64_t zeros[16];
	static const uint64_t lost[6] = { 100, 7, 0, 0, 0, 100 };
	static const uint64_t tracing[1] = { 16 };
	static const uint64_t auxtrace[5] = { 24 };
	uint32_t type;

	make_fork(out, MADE_PID, MADE_PID, 99, 99, MADE_TIME(3));
	make_comm(out, 99, 99, "\x1b[31mred", true, MADE_TIME(4));
	make_mmap(out, UINT32_MAX, UINT64_C(0xffffffff81000000), 0x1000,
		UINT64_C(0xffffffff81000000), "[kernel.kallsyms]_text", 0);
	record_write(out, RECORD_LOST, 0, lost, sizeof(lost));
	record_write_lost_samples(out, 9, zeros, 32);
	record_write(out, RECORD_KSYMBOL, 0, zeros, 64);
	record_write(out, RECORD_HEADER_TRACING_DATA, 0, tracing, 8);
	strbuf_fill(out, 'x', 16);
	record_write(out, RECORD_AUXTRACE, 0, auxtrace, sizeof(auxtrace));
	strbuf_fill(out, 'x', 24);
	for (type = 0; type < RECORD_END + 2; type++)
		if (type != RECORD_HEADER_TRACING_DATA &&
			type != RECORD_AUXTRACE && type != RECORD_COMPRESSED &&
			type != RECORD_COMPRESSED2)
			record_write(out, type, 0, zeros, 8);
}

static void save_perfs(void)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, stream = { 0 };
	_cleanup_strbuf_ struct strbuf stream2 = { 0 }, cut = { 0 };

	make_sideband(&raw);
	make_samples(&raw, 3, 0, 8);
	save_perf("perf-plain-three-events", &raw, 3, false);
	save_perf("perf-pipe", &raw, 3, true);
	save_perf("perf-pipe-without-events", &raw, 0, true);
	make_perf_stream(&raw, 300, 65519, RECORD_COMPRESSED, &stream);
	save_perf("perf-stream", &stream, 3, false);
	make_perf_stream(&raw, 300, 65519, RECORD_COMPRESSED2, &stream2);
	save_perf("perf-stream-83", &stream2, 3, false);
	make_perf_stream(&raw, 100, 40, RECORD_COMPRESSED, &cut);
	save_perf("perf-stream-straddling", &cut, 3, true);
	put_other_records(&raw);
	save_perf("perf-every-type", &raw, 1, true);
}

/* --- damaged recordings --------------------------------------------------- */

/* Writes a perf.data of one event with the 8 bytes at AT set to VALUE. */
static void save_bad(const char *name, size_t at, uint64_t value)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, file = { 0 };
	struct features host;

	make_host(&host, 1);
	make_sideband(&data);
	make_samples(&data, 1, 0, 3);
	make_perf_file(&host, &data, &file);
	memcpy(file.at + at, &value, sizeof(value));
	save(name, file.at, file.n);
	features_deinit(&host);
}

static void save_bads(void)
{
	const size_t ids = 104, attr = ids + 8, data = attr + 128;

	save_bad("bad-header-of-72", 8, 72);
	save_bad("bad-attr-size-0", 16, 0);
	save_bad("bad-attrs-outside", 24, UINT64_MAX);
	save_bad("bad-attrs-size", 32, UINT64_MAX);
	save_bad("bad-data-outside", 40, UINT64_MAX);
	save_bad("bad-data-size-0", 48, 0);
	save_bad("bad-data-size", 48, UINT64_MAX);
	save_bad("bad-trailer-outside", 56, UINT64_MAX);
	save_bad("bad-bitmap", 72, UINT64_MAX);
	save_bad("bad-sample-type", attr + 24, UINT64_MAX);
	save_bad("bad-ids-size", attr + 120, UINT64_MAX);
	save_bad("bad-record-size-0", data, RECORD_COMM);
	save_bad("bad-section-size", data + 192 + 3 * 96 + 8, UINT64_MAX);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_corpus FOLDER\n");
		return 2;
	}
	folder = argv[1];
	save_dwells();
	save_perfs();
	save_bads();
	return 0;
}
