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

/* Polling interval of --wait, which uses at most 5 % of a CPU. */
#define LOOK_NS (10 * NSEC_PER_MSEC)
#define LOOK_COST 20

struct finder {
	const struct find_config *config;
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

static bool has_process_name(pid_t pid, const regex_t *regex)
{
	_cleanup_free_ char *comm = xasprintf("/proc/%d/comm", (int)pid);
	_cleanup_free_ char *command = xasprintf("/proc/%d/cmdline", (int)pid);
	const char *slash;
	char name[4096];

	if (sysfile_line(comm, name, sizeof(name)) &&
		regexec(regex, name, 0, NULL, 0) == 0)
		return true;
	/* Words end in NUL, so the first line is the first word. */
	if (!sysfile_line(command, name, sizeof(name)))
		return false;
	slash = strrchr(name, '/');
	return regexec(regex, slash ? slash + 1 : name, 0, NULL, 0) == 0;
}

static bool is_matching_process(const struct finder *finder, pid_t pid)
{
	const struct find_config *config = finder->config;
	uint32_t uid;

	if (pid <= 0 || pid == getpid() || pid == config->excluded_pid)
		return false;
	if (config->user && (!task_user(pid, &uid) || uid != finder->uid))
		return false;
	return !config->name || has_process_name(pid, &finder->regex);
}

static void scan_processes(const struct finder *finder, struct task_list *ret)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (is_matching_process(finder, pid))
			task_list_add(ret, pid);
	}
	if (dir)
		closedir(dir);
}

static void wait_for_process(const struct finder *finder, struct task_list *ret)
{
	const struct find_config *config = finder->config;
	uint64_t start, cost, pause;

	log_note("waiting for a process%s%s%s%s", config->name ? " named " : "",
		config->name ? config->name : "",
		config->user ? " of user " : "",
		config->user ? config->user : "");
	while (!ret->list.n) {
		start = clock_now_ns();
		scan_processes(finder, ret);
		cost = clock_now_ns() - start;
		pause = MIN(MAX(LOOK_NS, cost * LOOK_COST), NSEC_PER_SEC - 1);
		if (!ret->list.n)
			nanosleep(&(struct timespec){ 0, (long)pause }, NULL);
	}
	log_note("recording process %d", (int)ret->list.at[0]);
}

static struct error *no_process_error(const struct find_config *config)
{
	if (config->name)
		return error_new("--name: no process is named '%s'%s; use "
				 "--wait to wait for one",
			config->name,
			config->user ? " and runs as this user" : "");
	return error_new(
		"-u: user %s has no process; use --wait to wait for one",
		config->user);
}

struct error *find_processes(
	const struct find_config *config, struct task_list *ret)
{
	struct finder finder = { .config = config };
	struct error *err = NULL;

	if (config->user)
		err = users_parse("-u", config->user, &finder.uid);
	if (!err && config->name)
		err = parse_name(config->name, &finder.regex);
	if (err)
		return err;
	scan_processes(&finder, ret);
	if (!ret->list.n && config->is_waiting)
		wait_for_process(&finder, ret);
	if (config->name)
		regfree(&finder.regex);
	return ret->list.n ? NULL : no_process_error(config);
}
