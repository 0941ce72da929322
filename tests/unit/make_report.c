/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/make_report.h"

#include <elf.h>
#include <inttypes.h>

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "tests/unit/testing.h"

static void put_symbols(struct strbuf *out)
{
	struct symbols_section bundle = { 0 };
	struct symbols_dso *dso = array_push(&bundle.dsos);

	dso->path = xstrdup(MADE_PATH);
	symtab_add(&dso->symbols, 0x000, 0x100, STB_GLOBAL, "main");
	symtab_add(&dso->symbols, 0x100, 0x200, STB_GLOBAL, "work");
	symtab_add(&dso->symbols, 0x200, 0x300, STB_GLOBAL, "leaf");
	symtab_finish(&dso->symbols);
	symbols_section_write(&bundle, out);
	symbols_section_deinit(&bundle);
}

static void put_stack(
	const struct made_stack *stack, uint64_t time, struct strbuf *out)
{
	uint64_t chain[7] = { PERF_CONTEXT_USER };
	struct made_sample sample = {
		.id = 100 + stack->event,
		.ip = stack->chain[0],
		.pid = MADE_PID,
		.tid = stack->tid ? stack->tid : MADE_PID,
		.time = time,
		.cpu = 1,
		.period = stack->period,
		.chain = chain,
		.n_chain = 1,
	};

	while (sample.n_chain < 7 && stack->chain[sample.n_chain - 1]) {
		chain[sample.n_chain] = stack->chain[sample.n_chain - 1];
		sample.n_chain++;
	}
	make_sample(out, &sample);
}

static void write_file(
	const struct made_stack *stacks, size_t n, struct memory *memory)
{
	struct sink sink = memory_sink(memory);
	struct features host, closing = { 0 };
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct writer_section symbols = { SECTION_SYMBOLS,
		SYMBOLS_SECTION_VERSION, { 0 } };
	struct writer *writer;
	size_t i;

	make_host(&host, 2);
	make_sideband(&raw);
	make_comm(&raw, MADE_PID, MADE_PID + 1, "other", false, 1);
	for (i = 0; i < n; i++)
		put_stack(&stacks[i], MADE_TIME(i), &raw);
	put_symbols(&symbols.raw);
	assert_no_error(writer_create(&sink, &host, &writer));
	assert_no_error(writer_put(writer, raw.at, raw.n));
	assert_no_error(writer_close(writer, &closing, &symbols, 1));
	writer_destroy(writer);
	strbuf_free(&symbols.raw);
	features_deinit(&host);
}

void make_report(const struct made_stack *stacks, size_t n,
	struct scan_request request, struct made_report *ret)
{
	struct memory memory = { 0 };
	struct input *input;
	struct scan scan;

	*ret = (struct made_report){ 0 };
	write_file(stacks, n, &memory);
	input = array_push(&ret->inputs.at);
	assert_no_error(
		open_bytes(memory.file.at, memory.file.n, &input->reader));
	memory_deinit(&memory);
	assert_no_error(
		survey_run(input->reader, SURVEY_SIDEBAND, &input->survey));
	inputs_number_events(&ret->inputs);
	request.filter = &ret->filter;
	scan_run(input->reader, &input->survey, &request, &scan);
	ret->names.inputs = &ret->inputs;
	ret->names.addresses = &ret->addresses;
	ret->names.texts = &ret->texts;
	ret->names.resolver = resolver_create(RESOLVE_FUNCTIONS);
	input->files = files_create(input->reader, &input->survey, NULL);
	resolver_add(ret->names.resolver, input->reader, &input->survey,
		input->files);
	ret->scan.budget = reader_budget(input->reader);
	resolve_scan(&ret->scan, &scan, input,
		&(struct resolve_request){ .resolver = ret->names.resolver,
			.inputs = &ret->inputs,
			.texts = &ret->texts });
}

void made_report_deinit(struct made_report *report)
{
	data_addresses_deinit(&report->addresses);
	resolver_destroy(report->names.resolver);
	scan_deinit(&report->scan);
	string_table_deinit(&report->texts);
	inputs_deinit(&report->inputs);
	filter_deinit(&report->filter);
}

void list_rows(const struct made_report *report, const struct hist *hist,
	const struct hist_request *request, struct strbuf *out)
{
	array_each(&hist->rows, row) {
		size_t i;

		strbuf_printf(out, "%s%" PRIu64 " %" PRIu64 " %" PRIu64,
			row->is_hidden ? "(" : "", row->children, row->self,
			row->samples);
		for (i = 0; i < request->n_fields; i++) {
			strbuf_putc(out, i ? '|' : ' ');
			request->fields[i]->text(
				&report->names, row->key[i], out);
		}
		strbuf_puts(out, row->is_hidden ? ")\n" : "\n");
	}
}
