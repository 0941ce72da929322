/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/unpack_recording.h"

#include <inttypes.h>

#include "common/file/simpleperf.h"
#include "common/file/symbols_section.h"
#include "common/util/log.h"
#include "common/util/sink.h"
#include "report/pack/symbol_file.h"
#include "report/symbols/dso_name.h"
#include "report/symbols/kernel_symbols.h"

/* More than a machine has programs: a recording may claim any number. */
#define FILES_MAX 100000u
/*
 * Lines of kallsyms have no size. Where the next name isn't known, this one ends
 * the last one, so that it isn't taken for what was never recorded. Without a
 * bracket: perf 6.1 takes a name with one for a module's, and both ends for its.
 */
#define NOT_RECORDED "not_recorded"

/* --- programs and libraries ----------------------------------------------- */

struct own {
	const struct bundle_dso *dso;
	bool is_packed; /* by dwell pack, which knows more */
};

struct owns {
	ARRAY(struct own) at;
};

static int compare_own(const void *a, const void *b)
{
	const struct own *x = a, *y = b;
	const struct build_id *p = &x->dso->build_id, *q = &y->dso->build_id;
	int order = COMPARE(p->size, q->size);

	if (!order)
		order = memcmp(p->bytes, q->bytes, p->size);
	return order ? order : COMPARE(y->is_packed, x->is_packed);
}

/* All other names in brackets are the kernel and its modules, by address. */
static bool has_file(const struct bundle_dso *dso)
{
	return dso->path[0] != '[' || maps_is_vdso(dso->path);
}

/* How many have symbols, and no build ID. */
static uint64_t list(const struct bundle *bundle, bool is_packed,
	struct owns *owns)
{
	uint64_t n_without = 0;

	array_each(&bundle->dsos, dso) {
		if (!dso->symbols.symbols.n || !has_file(dso))
			continue;
		if (dso->build_id.size >= UNPACKED_ID_MIN)
			*array_push(&owns->at) =
				(struct own){ dso, is_packed };
		else
			n_without++;
	}
	return n_without;
}

static struct error *put(struct unpacked *unpacked, const struct build_id *id,
	enum unpacked_name name, const struct strbuf *text)
{
	int fd, errnum;
	struct error *err = unpacked_begin(unpacked, &fd);

	if (err)
		return err;
	errnum = sink_write(fd, text->at, text->n);
	if (!errnum)
		return unpacked_put(unpacked, id, name);
	unpacked_drop(unpacked);
	return error_errno(errnum, "%s: can't be written",
		unpacked_path(unpacked));
}

/* One file of N DSOs that have the same build ID. */
static struct error *put_file(const struct own *own, size_t n, unsigned machine,
	struct unpacked *unpacked)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct symtab all = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		const struct symtab *table = &own[i].dso->symbols;

		if (own[i].is_packed != own->is_packed)
			continue;
		array_each(&table->symbols, symbol)
			symtab_add(&all, symbol->start, symbol->end,
				symbol->binding, symtab_name(table, symbol));
	}
	symtab_finish(&all);
	symbol_file_put(&own->dso->build_id, machine, &all, &text);
	symtab_deinit(&all);
	return put(unpacked, &own->dso->build_id,
		maps_is_vdso(own->dso->path) ? UNPACKED_VDSO
						    : UNPACKED_ELF,
		&text);
}

static struct error *put_files(
	const struct owns *owns, unsigned machine, struct unpacked *unpacked)
{
	const struct own *own = owns->at.at;
	struct error *err = NULL;
	size_t i, n, n_files = 0;

	for (i = 0; !err && i < owns->at.n; i += n) {
		for (n = 1; i + n < owns->at.n; n++)
			if (!build_id_equal(&own[i].dso->build_id,
				    &own[i + n].dso->build_id))
				break;
		if (++n_files > FILES_MAX)
			return error_new("it names over %u files", FILES_MAX);
		err = put_file(&own[i], n, machine, unpacked);
	}
	return err;
}

/* --- the kernel ----------------------------------------------------------- */

static void put_lines(const struct bundle_dso *dso, struct strbuf *out)
{
	bool is_module = !dso_name_is_kernel(dso->path);
	const char *tab = is_module ? "\t" : "";
	const char *module = is_module ? dso->path : "";
	const struct symtab *table = &dso->symbols;
	const struct symbol *last = NULL;

	array_each(&table->symbols, symbol) {
		if (last && last->end < symbol->start)
			strbuf_printf(out, "%016" PRIx64 " t " NOT_RECORDED
				"%s%s\n", last->end, tab, module);
		strbuf_printf(out, "%016" PRIx64 " T %s%s%s\n", symbol->start,
			symtab_name(table, symbol), tab, module);
		last = symbol;
	}
	if (last)
		strbuf_printf(out, "%016" PRIx64 " t " NOT_RECORDED "%s%s\n",
			last->end, tab, module);
}

/*
 * By these two readers see that it is the recorded boot; which one perf asks for
 * depends on the processor.
 */
static void put_start(
	const struct bundle *bundle, uint64_t start, struct strbuf *out)
{
	strbuf_printf(out, "%016" PRIx64 " T _text\n%016" PRIx64 " T _stext\n",
		start, start);
	array_each(&bundle->dsos, dso)
		if (dso_name_is_kernel(dso->path) &&
			symtab_find(&dso->symbols, start))
			return;
	strbuf_printf(out, "%016" PRIx64 " t " NOT_RECORDED "\n", start + 1);
}

/* The kernel that runs elsewhere isn't asked: only what the recorder embedded. */
static struct error *put_kernel(const struct survey *survey,
	const struct reader *reader, const struct bundle *bundle,
	struct unpacked *unpacked)
{
	struct build_id id = kernel_symbols_id(reader);
	uint64_t start = kernel_symbols_text(survey->maps);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (id.size < UNPACKED_ID_MIN || !start)
		return NULL;
	put_start(bundle, start, &text);
	array_each(&bundle->dsos, dso)
		if (dso->symbols.symbols.n && !has_file(dso))
			put_lines(dso, &text);
	return put(unpacked, &id, UNPACKED_KALLSYMS, &text);
}

/* --- all of it ------------------------------------------------------------ */

static void read_bundle(
	struct reader *reader, const char *name, struct bundle *ret)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };

	memset(ret, 0, sizeof(*ret));
	if (reader_section(reader, name, BUNDLE_VERSION, &section))
		bundle_read(bytes_of(section.at, section.n, false), ret);
}

struct error *unpack_recording(struct reader *reader,
	const struct survey *survey, struct unpacked *unpacked)
{
	const struct features *features = reader_features(reader);
	const struct feature_bytes *files2 = &features->simpleperf_files;
	struct bundle packed, hit;
	struct owns owns = { 0 };
	struct error *err;
	uint64_t n_without;

	read_bundle(reader, SECTION_PACKED, &packed);
	read_bundle(reader, SECTION_SYMBOLS, &hit);
	simpleperf_read_files(
		bytes_of(files2->at, files2->n, files2->swap), &hit);
	list(&packed, true, &owns);
	n_without = list(&hit, false, &owns);
	array_sort(&owns.at, compare_own);
	err = put_files(&owns, symbol_file_machine(features->arch), unpacked);
	if (!err)
		err = put_kernel(survey, reader, &hit, unpacked);
	if (!err && n_without)
		log_note("%s: names of %" PRIu64 " file%s unpacked: "
			 "without a build ID",
			reader_path(reader), n_without,
			n_without == 1 ? " aren't" : "s aren't");
	array_free(&owns.at);
	bundle_deinit(&packed);
	bundle_deinit(&hit);
	return error_wrap(err, "%s", reader_path(reader));
}
