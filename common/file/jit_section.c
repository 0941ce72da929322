/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/jit_section.h"

#define PROCESS_FIXED 16u
#define SYMBOL_SIZE 40u

void jit_process_deinit(struct jit_process *process)
{
	array_free(&process->symbols);
	strbuf_free(&process->names);
}

void jit_section_deinit(struct jit_section *jit)
{
	array_each(&jit->processes, process)
		jit_process_deinit(process);
	array_free(&jit->processes);
}

void jit_process_add(struct jit_process *process, const struct jit_symbol *new,
	const char *name)
{
	struct jit_symbol *symbol;

	if (process->names.n + strlen(name) + 1 > UINT32_MAX)
		return;
	symbol = array_push(&process->symbols);
	*symbol = *new;
	symbol->name = (uint32_t)process->names.n;
	strbuf_put(&process->names, name, strlen(name) + 1);
}

const char *jit_symbol_name(
	const struct jit_process *process, const struct jit_symbol *symbol)
{
	return process->names.at + symbol->name;
}

struct jit_process *jit_section_find(
	const struct jit_section *jit, uint32_t pid)
{
	array_each(&jit->processes, process)
		if (process->pid == pid)
			return process;
	return NULL;
}

void jit_section_write(const struct jit_section *jit, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)jit->processes.n);
	strbuf_put_u32(out, SYMBOL_SIZE);
	array_each(&jit->processes, process) {
		strbuf_put_u32(out, process->pid);
		strbuf_put_u32(out, (uint32_t)process->symbols.n);
		strbuf_put_u32(out, (uint32_t)process->names.n);
		strbuf_put_u32(out, 0);
		array_each(&process->symbols, symbol) {
			strbuf_put_u64(out, symbol->start);
			strbuf_put_u64(out, symbol->size);
			strbuf_put_u64(out, symbol->since);
			strbuf_put_u64(out, symbol->place);
			strbuf_put_u32(out, symbol->name);
			strbuf_put_u32(out, symbol->source);
		}
		strbuf_put(out, process->names.at, process->names.n);
	}
}

static bool read_jit_process(
	struct bytes *b, uint32_t symbol_size, struct jit_process *process)
{
	uint32_t n, names_size, i;
	const char *names;
	uint64_t end;

	process->pid = bytes_u32(b);
	n = bytes_u32(b);
	names_size = bytes_u32(b);
	bytes_u32(b);
	if (!b->ok || n > bytes_left(b) / symbol_size)
		return false;
	for (i = 0; i < n; i++) {
		struct jit_symbol *symbol = array_push(&process->symbols);
		struct bytes s = bytes_of(
			bytes_take(b, symbol_size), symbol_size, b->swap);

		symbol->start = bytes_u64(&s);
		symbol->size = bytes_u64(&s);
		symbol->since = bytes_u64(&s);
		symbol->place = bytes_u64(&s);
		symbol->name = bytes_u32(&s);
		symbol->source = bytes_u32(&s);
		if (!s.ok || symbol->name >= names_size ||
			__builtin_add_overflow(
				symbol->start, symbol->size, &end) ||
			__builtin_add_overflow(
				symbol->place, symbol->size, &end))
			return false;
	}
	names = bytes_take(b, names_size);
	if (!b->ok || (names_size && names[names_size - 1]))
		return false;
	strbuf_put(&process->names, names, names_size);
	return true;
}

bool jit_section_read(struct bytes b, struct jit_section *ret)
{
	uint32_t n = bytes_u32(&b), symbol_size = bytes_u32(&b), i;

	memset(ret, 0, sizeof(*ret));
	if (!b.ok || symbol_size < SYMBOL_SIZE ||
		n > bytes_left(&b) / PROCESS_FIXED)
		return false;
	for (i = 0; i < n; i++) {
		if (read_jit_process(
			    &b, symbol_size, array_push(&ret->processes)))
			continue;
		jit_section_deinit(ret);
		return false;
	}
	return true;
}
