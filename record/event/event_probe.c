/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_probe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>

#include "common/elf/elf.h"
#include "common/util/alloc.h"
#include "common/util/spell_suggest.h"
#include "record/event/event_term.h"

struct event_place {
	uint64_t address; /* linked address of the symbol, or number of -e */
	uint64_t offset;  /* offset of the symbol in the file, or the number in
			     -e */
	uint64_t size;	  /* bytes of the symbol; 0: unknown */
	bool is_number;
	bool is_relocated; /* the file is position-independent */
	uint64_t entry; /* linked address of the entry point, if is_relocated */
};

static struct error *unknown_symbol(
	struct elf_file *file, const char *path, const char *name)
{
	struct error *err =
		error_usage("-e: %s has no symbol '%s'", path, name);
	struct symtab table = { 0 };
	struct spell_suggest nearest;

	spell_suggest_init(&nearest, name);
	elf_file_own_symbols(file, &table);
	array_each(&table.symbols, symbol)
		spell_suggest_offer(&nearest, symtab_name(&table, symbol));
	symtab_deinit(&table);
	return spell_suggest_hint(&nearest, err);
}

/*
 * Looks up TEXT, which is SYMBOL, SYMBOL+OFFSET or 0xNUMBER, in the file PATH
 * (NULL: no file).
 */
static struct error *event_place_find(
	const char *path, const char *text, struct event_place *ret)
{
	_cleanup_free_ char *name = xstrdup(text);
	char *plus = strrchr(name, '+');
	uint64_t number = 0;
	struct error *err;

	*ret = (struct event_place){ 0 };
	if (isdigit((unsigned char)*name)) {
		if (!event_number(name, &number))
			return error_usage("-e: '%s' is not a number", name);
		ret->address = ret->offset = number;
		ret->is_number = true;
		return NULL;
	}
	if (plus) {
		*plus++ = '\0';
		if (!event_number(plus, &number))
			return error_usage("-e: '%s' is not a number", plus);
	}
	struct elf_file *file;
	struct elf_symbol symbol;

	if (!path)
		return error_usage("-e: '%s' is not a number, and no command "
				   "is given to look up a symbol in",
			name);
	/* Opening a FIFO must not block; elf_file_open() rejects it. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	err = fd < 0 ? error_errno(errno, "%s", path)
		     : elf_file_open(fd, path, &file);
	if (err)
		return error_wrap(err, "-e");
	if (elf_file_find(file, name, &symbol)) {
		ret->address = symbol.address;
		ret->offset = symbol.offset;
		ret->size = symbol.size;
		ret->is_relocated = elf_file_is_relocated(file, &ret->entry);
	} else {
		err = unknown_symbol(file, path, name);
	}
	elf_file_close(file);
	if (err)
		return err;
	ret->address += number;
	ret->offset += ret->offset == UINT64_MAX ? 0 : number;
	return NULL;
}

/*
 * Default lengths of breakpoints: perf's default for data; breakpoints on code
 * need the size of a long on x86.
 */
#define DATA_LENGTH HW_BREAKPOINT_LEN_4
#define CODE_LENGTH sizeof(long)

static struct error *read_break_access(
	const char *source, struct event_span span, uint32_t *ret)
{
	size_t at;

	*ret = 0;
	for (at = span.at; at < span.at + span.n; at++) {
		uint32_t bit = source[at] == 'r' ? HW_BREAKPOINT_R
			: source[at] == 'w'	 ? HW_BREAKPOINT_W
						 : HW_BREAKPOINT_X;

		if (*ret & bit)
			return error_point(
				error_usage("-e: a breakpoint has each access "
					    "letter (r, w, x) once"),
				source, at, 1);
		*ret |= bit;
	}
	if (!*ret)
		*ret = HW_BREAKPOINT_RW;
	return NULL;
}

struct error *event_break_apply(const char *source,
	const struct event_text *text, const char *program,
	struct selection_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	_cleanup_free_ char *address = event_span_copy(source, text->words[0]);
	_cleanup_free_ char *size = event_span_copy(source, text->words[1]);
	struct event_place place;
	uint64_t length = 0;
	struct error *err =
		read_break_access(source, text->words[2], &attr->bp_type);

	if (err)
		return err;
	err = event_place_find(program, address, &place);
	if (err)
		return event_span_point(err, source, text->words[0]);
	if (*size &&
		(!event_number(size, &length) || length < 1 || length > 8 ||
			length & (length - 1)))
		return event_span_point(
			error_usage("-e: the length of a breakpoint is 1, 2, 4 "
				    "or 8 bytes"),
			source, text->words[1]);
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_addr = place.address;
	/* Cover a whole variable if its size and alignment allow it. */
	if (length)
		attr->bp_len = length;
	else if (attr->bp_type == HW_BREAKPOINT_X)
		attr->bp_len = CODE_LENGTH;
	else if (place.size && place.size <= 8 &&
		!(place.size & (place.size - 1)) &&
		place.address % place.size == 0)
		attr->bp_len = place.size;
	else
		attr->bp_len = DATA_LENGTH;
	event->is_relocated = place.is_relocated;
	event->entry = place.entry;
	event->takes_each = true;
	return event_terms_apply(source, text, event);
}

/*
 * Removes "%return" from SYMBOL and sets the bit for return probes in EVENT;
 * sysfs defines the position of the bit.
 */
static struct error *take_return_probe(const struct pmus *pmus,
	const struct pmu *pmu, char *symbol, struct selection_event *event)
{
	char *percent = strchr(symbol, '%');
	struct pmu_format format;

	if (!percent)
		return NULL;
	if (!string_is(percent, "%return"))
		return error_usage("-e: '%s' is unknown; only %%return can "
				   "follow the symbol",
			percent);
	*percent = '\0';
	if (pmu_format(pmus, pmu, "retprobe", &format) || format.config)
		return error_new("-e: the %s PMU of this kernel does not "
				 "support %%return",
			pmu->name);
	event->attr.config |= pmu_format_place(&format, 1);
	return NULL;
}

static struct error *set_uprobe(
	const char *path, const char *symbol, struct selection_event *event)
{
	struct event_place place;
	struct error *err = event_place_find(path, symbol, &place);

	if (err)
		return err;
	if (place.offset == UINT64_MAX)
		return error_usage(
			"-e: the code of '%s' is not in the file", symbol);
	event->probed = xstrdup(path);
	event->attr.config2 = place.offset;
	return NULL;
}

static struct error *set_kprobe(char *symbol, struct selection_event *event)
{
	char *plus = strrchr(symbol, '+');
	uint64_t number = 0;

	if (event_number(symbol, &number)) {
		event->attr.config2 = number;
		return NULL;
	}
	if (plus) {
		*plus++ = '\0';
		if (!event_number(plus, &number))
			return error_usage("-e: '%s' is not a number", plus);
	}
	event->probed = xstrdup(symbol);
	event->attr.config2 = number;
	return NULL;
}

struct error *event_probe_apply(const char *source,
	const struct event_text *text, const struct pmus *pmus,
	struct selection_event *event)
{
	bool is_user = text->kind == EVENT_UPROBE;
	struct event_span at = text->words[is_user ? 1 : 0];
	_cleanup_free_ char *path = event_span_copy(source, text->words[0]);
	_cleanup_free_ char *symbol = event_span_copy(source, at);
	const char *name = is_user ? "uprobe" : "kprobe";
	const struct pmu *pmu = pmus_find(pmus, name);
	struct error *err;

	if (!pmu)
		return error_point(
			error_new("-e: this kernel has no %s PMU; it needs "
				  "a kernel with CONFIG_%s_EVENTS=y",
				name, is_user ? "UPROBE" : "KPROBE"),
			source, text->whole.at, strlen(name));
	err = take_return_probe(pmus, pmu, symbol, event);
	if (!err)
		err = is_user ? set_uprobe(path, symbol, event)
			      : set_kprobe(symbol, event);
	/*
	 * If the error is of usage, the symbol of the uprobe is wrong, else the
	 * file.
	 */
	if (err)
		return is_user
			? event_span_point(err, source,
				  text->words[err->kind == ERROR_USAGE ? 1 : 0])
			: event_span_point(err, source, at);
	event->attr.type = pmu->type;
	event->attr.config1 = (uintptr_t)event->probed;
	event->takes_each = true;
	return event_terms_apply(source, text, event);
}
