/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/kallsyms.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>

#include "common/alloc.h"

static struct symtab *module_table(
	struct kallsyms *kallsyms, const char *name, size_t length)
{
	array_each(&kallsyms->modules, module)
		if (strlen(module->name) == length &&
			!memcmp(module->name, name, length))
			return &module->symbols;
	array_push(&kallsyms->modules)->name = xstrndup(name, length);
	return &kallsyms->modules.at[kallsyms->modules.n - 1].symbols;
}

static uint8_t binding_of(char type)
{
	if (type == 'W')
		return STB_WEAK;
	return islower((unsigned char)type) ? STB_LOCAL : STB_GLOBAL;
}

static void take_line(struct kallsyms *kallsyms, char *line)
{
	struct symtab *table = &kallsyms->kernel;
	char *at, *name, *module, type;
	uint64_t address;

	address = strtoull(line, &at, 16);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return;
	type = at[1];
	name = at + 3;
	module = strchr(name, '\t');
	name[strcspn(name, "\t\n")] = '\0';
	if (string_is(name, "_text") ||
		(string_is(name, "_stext") && !kallsyms->text_start))
		kallsyms->text_start = address;
	if (string_is(name, "_etext"))
		kallsyms->text_end = address;
	if (toupper((unsigned char)type) != 'T' &&
		toupper((unsigned char)type) != 'W')
		return;
	if (module)
		table = module_table(
			kallsyms, module + 1, strcspn(module + 1, "\n"));
	symtab_add(table, address, address, binding_of(type), name);
}

bool kallsyms_read(const char *path, struct kallsyms *ret)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	FILE *file;

	memset(ret, 0, sizeof(*ret));
	file = fopen(path, "re");
	if (!file)
		return false;
	while (getline(&line, &room, file) > 0)
		take_line(ret, line);
	fclose(file);
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
	memset(kallsyms, 0, sizeof(*kallsyms));
}
