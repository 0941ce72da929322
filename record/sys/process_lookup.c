/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/process_lookup.h"

#include <dirent.h>
#include <regex.h>
#include <time.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/sys/sysfile.h"
#include "record/sys/users.h"

/* Waiting looks this often, and takes at most 5 % of a CPU for it. */
#define LOOK_NS (10 * NSEC_PER_MSEC)
#define LOOK_COST 20

struct finder {
	const struct find_wish *wish;
	regex_t regex;
	uint32_t uid;
};

static struct error *parse_name(const char *text, regex_t *ret)
{
	int code = regcomp(ret, text, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (!code)
		return NULL;
	regerror(code, ret, why, sizeof(why));
	return error_usage("--name: '%s': %s", text, why);
}

static bool has_name(pid_t pid, const regex_t *regex)
{
	_cleanup_free_ char *comm = xasprintf("/proc/%d/comm", (int)pid);
	_cleanup_free_ char *command = xasprintf("/proc/%d/cmdline", (int)pid);
	const char *slash;
	char name[4096];

	if (sysfile_line(comm, name, sizeof(name)) &&
		regexec(regex, name, 0, NULL, 0) == 0)
		return true;
	/* Words end in NUL, so this is the first one. */
	if (!sysfile_line(command, name, sizeof(name)))
		return false;
	slash = strrchr(name, '/');
	return regexec(regex, slash ? slash + 1 : name, 0, NULL, 0) == 0;
}

static bool is_wanted(const struct finder *finder, pid_t pid)
{
	const struct find_wish *wish = finder->wish;
	uint32_t uid;

	if (pid <= 0 || pid == getpid() || pid == wish->but)
		return false;
	if (wish->user && (!task_user(pid, &uid) || uid != finder->uid))
		return false;
	return !wish->name || has_name(pid, &finder->regex);
}

static void look(const struct finder *finder, struct task_list *ret)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (is_wanted(finder, pid))
			task_list_add(ret, pid);
	}
	if (dir)
		closedir(dir);
}

static void look_until_found(const struct finder *finder, struct task_list *ret)
{
	const struct find_wish *wish = finder->wish;
	uint64_t start, cost, pause;

	log_note("waiting for a process%s%s%s%s", wish->name ? " named " : "",
		wish->name ? wish->name : "", wish->user ? " of user " : "",
		wish->user ? wish->user : "");
	while (!ret->list.n) {
		start = clock_now_ns();
		look(finder, ret);
		cost = clock_now_ns() - start;
		pause = MIN(MAX(LOOK_NS, cost * LOOK_COST), NSEC_PER_SEC - 1);
		if (!ret->list.n)
			nanosleep(&(struct timespec){ 0, (long)pause }, NULL);
	}
	log_note("found process %d", (int)ret->list.at[0]);
}

static struct error *found_none(const struct find_wish *wish)
{
	if (wish->name)
		return error_new("--name: no process is named '%s'%s; "
				 "--wait waits for one",
			wish->name, wish->user ? " and of that user" : "");
	return error_new(
		"-u: user %s has no process; --wait waits for one", wish->user);
}

struct error *find_processes(
	const struct find_wish *wish, struct task_list *ret)
{
	struct finder finder = { .wish = wish };
	struct error *err = NULL;

	if (wish->user)
		err = users_parse("-u", wish->user, &finder.uid);
	if (!err && wish->name)
		err = parse_name(wish->name, &finder.regex);
	if (err)
		return err;
	look(&finder, ret);
	if (!ret->list.n && wish->is_waiting)
		look_until_found(&finder, ret);
	if (wish->name)
		regfree(&finder.regex);
	return ret->list.n ? NULL : found_none(wish);
}
