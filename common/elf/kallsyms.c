/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/kallsyms.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>

#include "common/util/alloc.h"

/* Size of the text buffer; a read of a seq_file(5) returns one page at most. */
#define TEXT_ROOM KIB(16)
/* Text behind this limit is ignored. Usual are 20 MB of text. */
#define TEXT_MAX MIB(128)

static struct symtab *module_table(struct kallsyms *kallsyms, const char *name)
{
	uint64_t hash = hash_string(name);
	struct kallsyms_module *module;

	hash_each_match(&kallsyms->by_name, hash, i) {
		module = &kallsyms->modules.at[i];
		if (string_is(module->name, name))
			return &module->symbols;
	}
	hash_insert(&kallsyms->by_name, hash, (uint32_t)kallsyms->modules.n);
	module = array_push(&kallsyms->modules);
	module->name = xstrdup(name);
	return &module->symbols;
}

/* Parses LINE, one line of /proc/kallsyms that ends with a NUL byte. */
static void take_line(struct kallsyms *kallsyms, char *line)
{
	struct symtab *table = &kallsyms->kernel;
	char *at = line, *name, *module, type;
	uint64_t address = 0;

	/* Faster than strtoull(3). */
	for (; isxdigit((unsigned char)*at); at++) {
		uint64_t digit = (uint64_t)*at;

		address = address << 4 | ((digit & 0xf) + (digit >> 6) * 9);
	}

	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return;
	type = at[1];
	name = at + 3;
	module = strchr(name, '\t');
	if (module)
		*module++ = '\0';
	if (*name == '_') {
		if (string_is(name, "_text") ||
			(string_is(name, "_stext") && !kallsyms->text_start))
			kallsyms->text_start = address;
		if (string_is(name, "_etext"))
			kallsyms->text_end = address;
	}
	/*
	 * Mapping symbols such as "$x" and "$d" mark the start of code or data
	 * (see elf_symbols.c). No other kernel symbols start with "$".
	 */
	if (!strchr("tTwW", type) ||
		(name[0] == '$' && name[1] && strchr("adtx", name[1])))
		return;
	if (module)
		table = module_table(kallsyms, module);
	symtab_add(table, address, address,
		type == 'W'			       ? STB_WEAK
			: islower((unsigned char)type) ? STB_LOCAL
						       : STB_GLOBAL,
		name);
}

bool kallsyms_read(const char *path, struct kallsyms *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return kallsyms_read_fd(fd, ret);
	memset(ret, 0, sizeof(*ret));
	return false;
}

bool kallsyms_read_fd(int fd, struct kallsyms *ret)
{
	_cleanup_free_ char *text = xmalloc(TEXT_ROOM + 1);
	size_t left = 0, total = 0;
	ssize_t n;

	memset(ret, 0, sizeof(*ret));

	while (total < TEXT_MAX &&
		((n = read(fd, text + left, TEXT_ROOM - left)) > 0 ||
			(n < 0 && errno == EINTR))) {
		size_t size = left + (size_t)MAX(n, (ssize_t)0);

		total += size - left;
		char *line = text, *end = text + size, *newline;

		while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
			*newline = '\0';
			take_line(ret, line);
			line = newline + 1;
		}
		left = (size_t)(end - line);
		memmove(text, text + size - left, left);
		/* The first TEXT_ROOM bytes of a longer line are skipped. */
		if (left == TEXT_ROOM)
			left = 0;
	}
	text[left] = '\0';
	take_line(ret, text);
	if (!ret->text_start) {
		kallsyms_deinit(ret);
		return false;
	}
	symtab_finish(&ret->kernel);
	array_each(&ret->modules, module)
		symtab_finish(&module->symbols);
	return true;
}

void kallsyms_deinit(struct kallsyms *kallsyms)
{
	symtab_deinit(&kallsyms->kernel);
	array_each(&kallsyms->modules, module) {
		free(module->name);
		symtab_deinit(&module->symbols);
	}
	array_free(&kallsyms->modules);
	hash_free(&kallsyms->by_name);
	memset(kallsyms, 0, sizeof(*kallsyms));
}
