/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_source.h"

#include <sys/stat.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "report/lines/packed_source.h"
#include "report/lines/source_lines.h"
#include "report/pack/pack_hits.h"
#include "report/pack/pack_lines.h"
#include "report/symbols/code_bytes.h"

struct span {
	uint32_t file; /* index in .sources_found of struct source_packing */
	const char *function; /* name of an inlined function; NULL: the sampled
				 function */
	uint32_t first, last; /* line numbers */
};

/* Consecutive lines of a source file to pack. */
struct source_range {
	uint32_t first, n;
	uint64_t built_ns; /* build time of the program with these lines */
};

struct source_packing {
	struct lines *lines;
	struct source_lines *sources;
	struct files *files;
	ARRAY(struct source {
		char *path; /* owned */
		bool is_there, has_changed;
		ARRAY(struct source_range) ranges; /* to pack, in any order */
	})
	sources_found;
	struct hash_index by_path;
	uint64_t built_ns;	   /* build time of the current program */
	ARRAY(struct span) spans;  /* lines of the current function */
	struct hash_index by_file; /* .spans by file and function */
	uint64_t left;		   /* bytes that may still be added */
	uint32_t lines_left;
};

/* --- selecting lines ------------------------------------------------------ */

static uint32_t intern_source(struct source_packing *packing, const char *path)
{
	uint64_t hash = hash_string(path);
	uint32_t n = (uint32_t)packing->sources_found.n;

	hash_each_match(&packing->by_path, hash, i)
		if (string_is(packing->sources_found.at[i].path, path))
			return i;
	hash_insert(&packing->by_path, hash, n);
	array_push(&packing->sources_found)->path = xstrdup(path);
	return n;
}

/*
 * Returns the range of lines of FUNCTION in source file number FILE. A new
 * range is empty.
 */
static struct span *intern_span(
	struct source_packing *packing, uint32_t file, const char *function)
{
	uint64_t hash = hash_words(file, (uintptr_t)function);
	struct span *span;

	hash_each_match(&packing->by_file, hash, i) {
		span = &packing->spans.at[i];
		if (span->file == file && span->function == function)
			return span;
	}
	hash_insert(&packing->by_file, hash, (uint32_t)packing->spans.n);
	span = array_push(&packing->spans);
	*span = (struct span){ file, function, UINT32_MAX, 0 };
	return span;
}

static void extend_step_spans(void *data, const struct lines_step *step)
{
	size_t i;

	for (i = 0; i < step->n; i++) {
		struct span *span;

		if (!step->frames[i].file || !step->frames[i].line)
			continue;
		span = intern_span(data,
			intern_source(data, step->frames[i].file),
			step->frames[i].name);
		span->first = MIN(span->first, step->frames[i].line);
		span->last = MAX(span->last, step->frames[i].line);
	}
}

/*
 * Returns LINE of SOURCE as it was at BUILT_NS, when the program was built. If
 * SOURCE was modified later, returns the line only if the recording contains
 * the line; otherwise .text is NULL.
 */
static struct source_line find_source_text(struct source_packing *packing,
	struct source *source, uint32_t line, uint64_t built_ns)
{
	struct source_line found =
		source_lines_find(packing->sources, source->path, line);

	if (!found.text)
		return found;
	source->is_there = true;
	if (found.is_recorded || found.changed_ns <= built_ns)
		return found;
	source->has_changed = true;
	return (struct source_line){ 0 };
}

/*
 * Adds the source lines of the function at file offsets [START, END) of a DSO.
 * HITS are N sorted hits in the DSO.
 */
static void add_function_spans(struct source_packing *packing,
	const struct pack_hit *hits, size_t n, uint64_t start, uint64_t end)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	struct lines_step step = { .frames = frames };
	size_t i;

	lines_walk(packing->lines, hits->dso, start, end, extend_step_spans,
		packing);
	/*
	 * lines_walk() does not support JIT code, so the lines of JIT code are
	 * looked up at each hit.
	 */
	for (i = 0; i < n && hits[i].place <= end; i++) {
		const struct line_query query = { hits[i].dso, hits[i].place,
			hits[i].place == end };

		if (hits[i].place < start)
			continue;
		step.n = lines_frames(packing->lines, &query, frames);
		extend_step_spans(packing, &step);
	}
	array_each(&packing->spans, span) {
		struct source *source = &packing->sources_found.at[span->file];
		uint32_t n_lines = span->last - span->first + 1;

		if (find_source_text(
			    packing, source, span->first, packing->built_ns)
				.text)
			*array_push(&source->ranges) =
				(struct source_range){ span->first,
					MIN(n_lines, PACK_SOURCE_SPAN_MAX),
					packing->built_ns };
	}
	array_clear(&packing->spans);
	hash_free(&packing->by_file);
}

static void add_dso_spans(struct source_packing *packing,
	struct symbols *symbols, const struct pack_hit *hits, size_t n)
{
	struct pack_functions functions = { 0 };
	uint64_t done = 0, start;
	struct files *files = packing->files;
	uint64_t recorded = files_recorded_ns(files) ?: UINT64_MAX;
	enum buildid_trust trust;
	struct elf_file *file =
		files_open(files, hits->dso, hits->place, &trust)
		?: files_open_debug(files, hits->dso);
	struct stat status;

	packing->built_ns = recorded;
	if (file) {
		if (fstat(elf_file_fd(file), &status) < 0)
			memset(&status, 0, sizeof(status));
		elf_file_close(file);
		packing->built_ns = MIN(recorded, clock_ns(&status.st_mtim));
	}
	pack_functions_find(hits, n, symbols, &functions);
	array_each(&functions.at, function) {
		start = MAX(function->symbol->start, done);
		if (start >= function->symbol->end)
			continue;
		done = start +
			MIN(function->symbol->end - start,
				(uint64_t)CODE_BYTES_MAX);
		while (n > 1 && hits[1].place < start) {
			hits++;
			n--;
		}
		add_function_spans(packing, hits, n, start, done);
	}
	pack_functions_deinit(&functions);
}

/* --- reading lines -------------------------------------------------------- */

static int compare_source_ranges(const void *a, const void *b)
{
	const struct source_range *left = a, *right = b;

	return COMPARE(left->first, right->first);
}

/*
 * Adds LINE of SOURCE to BUILDER. Returns false if the line is not available or
 * a limit is reached.
 */
static bool add_source_line(struct source_packing *packing,
	struct source *source, uint32_t line, uint64_t built_ns,
	struct packed_source_builder *builder)
{
	struct source_line found =
		find_source_text(packing, source, line, built_ns);
	size_t size = MIN(found.size, (size_t)PACK_SOURCE_LINE_MAX);

	/* Source text contains no NUL byte. */
	if (!found.text || memchr(found.text, '\0', found.size))
		return false;
	if (size >= packing->left || !packing->lines_left) {
		packing->left = 0;
		return false;
	}
	packing->left -= size + 1;
	packing->lines_left--;
	packed_source_builder_add(builder, line, found.text, size);
	return true;
}

static uint32_t put_source_files(
	struct source_packing *packing, struct strbuf *out)
{
	uint32_t n_files = 0;

	array_each(&packing->sources_found, source) {
		struct packed_source_builder builder = { 0 };
		uint32_t next = 0;

		array_sort(&source->ranges, compare_source_ranges);
		array_each(&source->ranges, range) {
			uint32_t end = range->first + range->n;

			next = MAX(next, range->first);
			while (next < end &&
				add_source_line(packing, source, next,
					range->built_ns, &builder))
				next++;
		}
		if (!builder.stretches.n)
			continue;
		log_verbose("lines of %s are packed", source->path);
		packed_source_put(source->path, &builder, out);
		n_files++;
	}
	return n_files;
}

void pack_source_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	struct source_packing packing = {
		.lines = lines_create(files),
		.sources = source_lines_create(files, SOURCE_RELATIVE_TO_SYMFS),
		.files = files,
		.left = PACK_SOURCE_MAX,
		.lines_left = PACKED_SOURCE_LINES_MAX,
	};
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint32_t n_files;
	size_t i, n;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		if (pack_lines_include(symbols, &hits->at.at[i + n - 1]))
			add_dso_spans(&packing, symbols, &hits->at.at[i], n);
	}
	n_files = put_source_files(&packing, &text);
	if (n_files) {
		packed_source_begin(n_files, out);
		strbuf_put(out, text.at, text.n);
	}
	size_t n_missing = 0, n_changed = 0;

	array_each(&packing.sources_found, source) {
		n_missing += !source->is_there;
		n_changed += source->has_changed;
	}
	if (n_missing || n_changed)
		log_note("--source: of %zu source files, %zu were not found, "
			 "and %zu were changed after their program was built; "
			 "they are not packed",
			packing.sources_found.n, n_missing, n_changed);
	source_lines_report_missing(packing.sources);
	if (!packing.left)
		log_note("--source: the limit of %lu MiB is reached; the other "
			 "lines are not packed",
			PACK_SOURCE_MAX / MIB(1));
	array_each(&packing.sources_found, source) {
		free(source->path);
		array_free(&source->ranges);
	}
	array_free(&packing.sources_found);
	array_free(&packing.spans);
	hash_free(&packing.by_file);
	hash_free(&packing.by_path);
	source_lines_destroy(packing.sources);
	lines_destroy(packing.lines);
}
