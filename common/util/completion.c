/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/completion.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"

static bool is_requested;

bool completion_begin(int *argc, char ***argv)
{
	if (*argc < 2 || !string_is((*argv)[1], "--complete"))
		return false;
	(*argv)[1] = (*argv)[0];
	++*argv;
	--*argc;
	is_requested = true;
	return true;
}

bool completion_is_requested(void)
{
	return is_requested;
}

void completion_offer(
	struct completion *completion, const char *name, const char *help)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };

	if (!string_starts(name, completion->word))
		return;
	escape_text(&line, name);
	/* A name with control characters cannot be typed. */
	if (!string_is(line.at, name))
		return;
	if (help && *help) {
		strbuf_putc(&line, '\t');
		escape_text(&line, help);
	}
	puts(line.at);
	completion->has_offered = true;
}

void completion_offer_strings(struct completion *completion,
	const char *const *first, size_t stride, size_t n)
{
	for (; n--; first = (const void *)((const char *)first + stride))
		completion_offer(completion, *first, NULL);
}

void completion_skip(struct completion *completion, const char *separators)
{
	const char *end = completion->word + strlen(completion->word);

	while (end > completion->word && !strchr(separators, end[-1]))
		end--;
	completion->word = end;
	completion->kind = "part";
}

void completion_offer_paths(struct completion *completion, const char *root,
	bool (*is_offered)(const char *path))
{
	const char *slash = strrchr(completion->word, '/');
	const char *start = slash ? slash + 1 : completion->word;
	_cleanup_free_ char *folder =
		xstrndup(completion->word, (size_t)(start - completion->word));
	bool is_home = !*root && string_starts(folder, "~/");
	_cleanup_free_ char *opened =
		xasprintf("%s%s%s", is_home ? getenv("HOME") ?: "" : root,
			folder + is_home, slash || *root ? "" : "./");
	DIR *dir = opendir(opened);
	struct dirent *entry;

	completion->kind = "paths";
	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		_cleanup_free_ char *path = xasprintf("%s%s", opened, name);
		_cleanup_free_ char *offered = NULL;
		struct stat status;
		bool has_slash;

		if (!string_starts(name, start) || string_is(name, ".") ||
			string_is(name, "..") ||
			(*name == '.' && *start != '.'))
			continue;
		has_slash = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
		offered =
			xasprintf("%s%s%s", folder, name, has_slash ? "/" : "");
		if (has_slash || !is_offered || is_offered(path))
			completion_offer(completion, offered, NULL);
	}
	if (dir)
		closedir(dir);
	if (!completion->has_offered)
		completion->kind = "files";
}

COMPLETER(completion_offer_cpus)
{
	long i, n = sysconf(_SC_NPROCESSORS_CONF);
	char number[24];

	completion_skip(completion, ",-");
	for (i = 0; i < n; i++) {
		snprintf(number, sizeof(number), "%ld", i);
		completion_offer(completion, number, NULL);
	}
}

void completion_end(const struct completion *completion)
{
	printf("%s %zu\n", completion->kind,
		(size_t)(completion->word - completion->whole));
}

/*
 * Returns the option with LETTER or, if LETTER is 0, with the name of LENGTH
 * bytes at NAME or an abbreviation; or NULL.
 */
static const struct cli_option *find_cli_option(
	const struct cli *cli, char letter, const char *name, size_t length)
{
	const struct cli_option *option, *found = NULL;
	size_t i;

	for (i = 0; i < cli->n_options; i++) {
		option = &cli->options[i];
		if (letter ? option->letter == letter
			   : option->name &&
					!strncmp(option->name, name, length)) {
			if (letter || !option->name[length])
				return option;
			found = found ?: option;
		}
	}
	return found;
}

/*
 * Returns the option in WORD that takes a value, or NULL. Sets VALUE_RET to the
 * value in WORD; NULL: there is none.
 */
static const struct cli_option *find_valued_option(
	const struct cli *cli, const char *word, const char **value_ret)
{
	const struct cli_option *option;
	size_t length;

	*value_ret = NULL;
	if (string_starts(word, "--")) {
		length = strcspn(word, "=");
		option = find_cli_option(cli, 0, word + 2, length - 2);
		if (option && word[length])
			*value_ret = word + length + 1;
		return option && option->value != CLI_NONE ? option : NULL;
	}
	if (*word != '-')
		return NULL;
	while (*++word) {
		option = find_cli_option(cli, *word, NULL, 0);
		if (!option || option->value == CLI_NONE)
			continue;
		if (word[1])
			*value_ret = word + 1;
		return option;
	}
	return NULL;
}

static void offer_letter_and_name(struct completion *completion, char letter,
	const char *name, const char *help)
{
	_cleanup_free_ char *word = xasprintf("--%s", name ?: "");

	if (name)
		completion_offer(completion, word, help);
	if (letter)
		completion_offer(
			completion, (const char[]){ '-', letter, 0 }, help);
}

/* Offers options; those with "no-" only for a word that begins so. */
static void offer_options(struct completion *completion, const struct cli *cli)
{
	bool has_negatives = string_starts(completion->word, "--no");
	size_t i;

	for (i = 0; i < cli->n_options; i++) {
		const struct cli_option *option = &cli->options[i];

		offer_letter_and_name(
			completion, option->letter, option->name, option->help);
		if (has_negatives && option->name &&
			option->value != CLI_VALUE) {
			_cleanup_free_ char *name =
				xasprintf("no-%s", option->name);

			offer_letter_and_name(completion, 0, name, NULL);
		}
	}
	offer_letter_and_name(completion, 'V', "version", "print the version");
	offer_letter_and_name(completion, 'h', "help", "print this help");
}

/*
 * Returns the option of which the last word of ARGV is the value, or NULL. Sets
 * FIRST_RET to the index of the first word that cannot be an option; 0: the
 * last word can be one.
 */
static const struct cli_option *skip_options(
	const struct cli *cli, int argc, char **argv, int *first_ret)
{
	const struct cli_option *option;
	const char *value;
	int i;

	*first_ret = 0;
	for (i = 1; i < argc - 1; i++) {
		option = find_valued_option(cli, argv[i], &value);
		if (string_is(argv[i], "--")) {
			*first_ret = i + 1;
			return NULL;
		}
		if (*argv[i] != '-' && cli->stops_at_word) {
			*first_ret = i;
			return NULL;
		}
		if (!option || value || option->value == CLI_OPTIONAL ||
			(option->value == CLI_LAST && *argv[i + 1] == '-'))
			continue;
		if (++i == argc - 1)
			return option;
	}
	return NULL;
}

void completion_run(const struct cli *cli, int argc, char **argv)
{
	const char *last = argc > 1 ? argv[argc - 1] : "", *value = NULL;
	struct completion completion = { last, last, "words", false };
	int first;
	const struct cli_option *option = skip_options(cli, argc, argv, &first);
	bool is_option = !option && !first && *last == '-';

	if (is_option)
		option = find_valued_option(cli, last, &value);
	if (value)
		completion.word = value;
	if (is_option && !value) {
		offer_options(&completion, cli);
	} else if (option) {
		const char *const *word;

		if (string_is(option->value_name, "FILE"))
			completion.kind = "files";
		else if (string_is(option->value_name, "DIR"))
			completion.kind = "folders";
		for (word = option->words; word && *word; word++)
			completion_offer(&completion, *word, NULL);
		if (option->complete)
			option->complete(&completion, option);
	} else if (cli->stops_at_word) {
		printf("command %d\n", first ? argc - first : 1);
		return;
	} else if (cli->complete) {
		cli->complete(&completion, NULL);
	}
	completion_end(&completion);
}
