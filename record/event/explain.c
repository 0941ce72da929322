/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "record/sys/sysfile.h"

/* The values of {words}: */

static void put_number(struct strbuf *out, int64_t value)
{
	strbuf_printf(out, "%" PRId64, value);
}

static void put_pid(struct strbuf *out, const struct refused *refused)
{
	put_number(out, refused->pid);
}

static void put_cpu(struct strbuf *out, const struct refused *refused)
{
	put_number(out, refused->cpu);
}

static void put_paranoid(struct strbuf *out, const struct refused *refused)
{
	put_number(out, refused->asker->paranoid);
}

static void put_wanted(struct strbuf *out, const struct refused *refused)
{
	put_number(out, refused_paranoid(refused));
}

static void put_host(struct strbuf *out, const struct refused *refused)
{
	if (refused->asker->is_contained)
		strbuf_puts(out, " on the host");
}

/* In a container the file would not start with more than it allows. */
static void put_alone(struct strbuf *out, const struct refused *refused)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0 || refused->asker->is_contained)
		return;
	path[n] = '\0';
	strbuf_puts(out, ", or for dwell alone: setcap cap_perfmon=ep ");
	escape_text(out, path);
}

static void put_limit(struct strbuf *out, int resource, uint64_t unit)
{
	struct rlimit limit = { 0 };

	getrlimit((__rlimit_resource_t)resource, &limit);
	strbuf_printf(out, "%" PRIu64, (uint64_t)limit.rlim_cur / unit);
}

static void put_memlock(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_limit(out, RLIMIT_MEMLOCK, 1024);
}

static void put_nofile(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_limit(out, RLIMIT_NOFILE, 1);
}

static void put_sysctl(struct strbuf *out, const char *path)
{
	int64_t value = 0;

	sysfile_number(path, &value);
	put_number(out, value);
}

static void put_max_rate(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_sysctl(out, PROC_MAX_RATE);
}

static void put_rate(struct strbuf *out, const struct refused *refused)
{
	put_number(out, (int64_t)refused->attr->sample_freq);
}

static void put_max_stack(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_sysctl(out, "/proc/sys/kernel/perf_event_max_stack");
}

static void put_depth(struct strbuf *out, const struct refused *refused)
{
	put_number(out, refused->attr->sample_max_stack);
}

static const struct word {
	const char *name;
	void (*put)(struct strbuf *out, const struct refused *refused);
} words[] = {
	{ "alone", put_alone },
	{ "cpu", put_cpu },
	{ "depth", put_depth },
	{ "host", put_host },
	{ "max_rate", put_max_rate },
	{ "max_stack", put_max_stack },
	{ "memlock", put_memlock },
	{ "nofile", put_nofile },
	{ "paranoid", put_paranoid },
	{ "pid", put_pid },
	{ "rate", put_rate },
	{ "wanted", put_wanted },
};

static const struct word *find_word(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == length &&
			strncmp(words[i].name, name, length) == 0)
			return &words[i];
	return NULL;
}

/* A word that isn't known stays as it is, for a test to find. */
static void put_text(
	struct strbuf *out, const char *text, const struct refused *refused)
{
	for (;;) {
		size_t plain = strcspn(text, "{"), length;
		const struct word *word;

		strbuf_put(out, text, plain);
		text += plain;
		if (!*text)
			return;
		length = strcspn(text, "}");
		word = find_word(text + 1, length - 1);
		if (!word)
			strbuf_puts(out, text);
		if (!word)
			return;
		word->put(out, refused);
		text += length + 1;
	}
}

void explain_parts(const struct refused *refused, struct strbuf *why,
	struct strbuf *remedy)
{
	const struct refusal *row = refusal_find(refused);

	put_text(why, row->why ? row->why : strerror(refused->errnum),
		refused);
	put_text(remedy, row->remedy, refused);
}

struct error *explain_to(const struct refused *refused)
{
	_cleanup_strbuf_ struct strbuf why = { 0 };
	_cleanup_strbuf_ struct strbuf remedy = { 0 };
	/* There is no event where there is no process. */
	bool is_named = refused->errnum != ESRCH;
	struct error *err;

	explain_parts(refused, &why, &remedy);
	err = error_new("%s%s%s; %s", is_named ? refused->name : "",
		is_named ? ": " : "", why.at, remedy.at);
	err->errnum = refused->errnum;
	return err;
}

static bool belongs_to_others(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d", (int)pid);
	struct stat status;

	return pid > 0 && stat(path, &status) == 0 &&
		status.st_uid != geteuid();
}

struct error *explain(const struct refused *refused)
{
	struct refused complete = *refused;
	struct asker asker;

	asker_read("", &asker);
	complete.asker = &asker;
	complete.is_of_others = belongs_to_others(refused->pid);
	return explain_to(&complete);
}
