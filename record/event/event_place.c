/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_place.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>

#include "common/util/alloc.h"
#include "common/util/spell_suggest.h"
#include "record/event/event_term.h"

static struct error *open_probed_elf(const char *path, struct elf_file **ret)
{
	/* Opening a FIFO must not block; elf_file_open() rejects it. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return error_errno(errno, "%s", path);
	return elf_file_open(fd, path, ret);
}

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

static struct error *find_place_symbol(
	const char *path, const char *name, struct event_place *ret)
{
	struct elf_file *file;
	struct elf_symbol symbol;
	struct error *err;

	if (!path)
		return error_usage("-e: '%s' is not a number, and no command "
				   "is given to look up a symbol in",
			name);
	err = open_probed_elf(path, &file);
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
	return err;
}

struct error *event_place_find(
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
	err = find_place_symbol(path, name, ret);
	if (err)
		return err;
	ret->address += number;
	ret->offset += ret->offset == UINT64_MAX ? 0 : number;
	return NULL;
}
