/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <pwd.h>
#include <regex.h>
#include <stdio.h>
#include <time.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "common/util/pattern.h"
#include "record/sys/sysfile.h"

bool task_list_add(struct task_list *tasks, pid_t task)
{
	uint64_t hash = hash_words((uint64_t)task, 0);

	hash_each_match(&tasks->index, hash, i)
		if (tasks->list.at[i] == task)
			return false;
	hash_insert(&tasks->index, hash, (uint32_t)tasks->list.n);
	*array_push(&tasks->list) = task;
	return true;
}

void task_list_free(struct task_list *tasks)
{
	array_free(&tasks->list);
	hash_free(&tasks->index);
}

size_t task_list_add_threads(struct task_list *tasks, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", (int)pid);
	struct dirent *entry;
	DIR *dir = opendir(path);
	size_t n_new = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			n_new += task_list_add(tasks, tid);
	}
	closedir(dir);
	return n_new;
}

pid_t task_owner(pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/status", (int)tid);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *line;

	if (!sysfile_slurp(AT_FDCWD, path, &text) || !text.n)
		return 0;
	line = strstr(text.at, "\nTgid:");
	return line ? (pid_t)strtol(line + 6, NULL, 10) : 0;
}

/*
 * Reads the effective user ID: the second number of "Uid:" in /proc/PID/status.
 */
bool task_user(pid_t pid, uint32_t *ret)
{
	char path[32], text[4096];
	const char *line;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[MAX(n, 0)] = '\0';
	line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %*u %" SCNu32, ret) == 1;
}

uint64_t task_cpu_time(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time) < 0)
		return 0;
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

#define PASSWD "/etc/passwd"

COMPLETER(task_users_complete)
{
	FILE *file = fopen(PASSWD, "re");
	struct passwd *user;

	while (file && (user = fgetpwent(file)))
		completion_offer(completion, user->pw_name, user->pw_gecos);
	if (file)
		fclose(file);
}

struct error *task_users_parse(
	const char *option, const char *text, uint32_t *ret)
{
	unsigned long number = 0;
	char *end = NULL;

	/*
	 * Read PASSWD directly: a static program cannot load the modules that
	 * getpwnam(3) uses.
	 */
	FILE *file = fopen(PASSWD, "re");
	struct passwd *user = NULL;

	while (file && (user = fgetpwent(file)))
		if (string_is(user->pw_name, text))
			break;
	if (user)
		*ret = user->pw_uid;
	if (file)
		fclose(file);
	if (user)
		return NULL;
	if (isdigit((unsigned char)*text))
		number = strtoul(text, &end, 10);
	if (!end || *end || number > UINT32_MAX)
		return error_usage("%s: there is no user '%s' in " PASSWD
				   "; use a name or a number",
			option, text);
	*ret = (uint32_t)number;
	return NULL;
}

/*
 * --wait: the minimum polling interval, and the ratio of the pause to the
 * duration of a search, which limits the use of a CPU to 5 %.
 */
#define LOOK_NS (10 * NSEC_PER_MSEC)
#define LOOK_COST 20

struct finder {
	const struct task_search *config;
	regex_t regex;
	uint32_t uid;
};

static bool has_process_name(pid_t pid, const regex_t *regex)
{
	_cleanup_free_ char *comm = xasprintf("/proc/%d/comm", (int)pid);
	_cleanup_free_ char *command = xasprintf("/proc/%d/cmdline", (int)pid);
	const char *slash;
	char name[4096];

	if (sysfile_line(comm, name, sizeof(name)) &&
		regexec(regex, name, 0, NULL, 0) == 0)
		return true;
	/*
	 * Arguments end in NUL, so sysfile_line() returns the first argument.
	 */
	if (!sysfile_line(command, name, sizeof(name)))
		return false;
	slash = strrchr(name, '/');
	return regexec(regex, slash ? slash + 1 : name, 0, NULL, 0) == 0;
}

static bool is_matching_process(const struct finder *finder, pid_t pid)
{
	const struct task_search *config = finder->config;
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

static const struct finder all_processes = {
	.config = &(const struct task_search){ 0 },
};

struct error *task_find_processes(
	const struct task_search *config, struct task_list *ret)
{
	struct finder finder = { .config = config };
	struct error *err = NULL;

	if (config->user)
		err = task_users_parse("-u", config->user, &finder.uid);
	if (!err && config->name)
		err = pattern_compile("--name", config->name, &finder.regex);
	if (err)
		return err;
	scan_processes(&finder, ret);
	if (!ret->list.n && config->is_waiting) {
		uint64_t start, cost, pause;

		log_note("waiting for a process%s%s%s%s",
			config->name ? " named " : "",
			config->name ? config->name : "",
			config->user ? " of user " : "",
			config->user ? config->user : "");
		while (!ret->list.n) {
			start = clock_now_ns();
			scan_processes(&finder, ret);
			cost = clock_now_ns() - start;
			pause = MIN(MAX(LOOK_NS, cost * LOOK_COST),
				NSEC_PER_SEC - 1);
			if (!ret->list.n)
				nanosleep(&(struct timespec){ 0, (long)pause },
					NULL);
		}
		log_note("recording process %d", (int)ret->list.at[0]);
	}
	if (config->name)
		regfree(&finder.regex);
	if (ret->list.n)
		return NULL;
	if (config->name)
		return error_new("--name: no process is named '%s'%s; use "
				 "--wait to wait for one",
			config->name,
			config->user ? " and runs as this user" : "");
	return error_new(
		"-u: user %s has no process; use --wait to wait for one",
		config->user);
}

/* Offers TASK, with the name of the task as description. */
static void offer_task(struct completion *completion, pid_t task)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/comm", (int)task);
	_cleanup_free_ char *number = xasprintf("%d", (int)task);
	char name[64];

	if (sysfile_line(path, name, sizeof(name)))
		completion_offer(completion, number, name);
}

COMPLETER(tasks_complete_pids)
{
	struct task_list tasks = { 0 };

	completion_skip(completion, ",");
	scan_processes(&all_processes, &tasks);
	array_each(&tasks.list, pid)
		offer_task(completion, *pid);
	task_list_free(&tasks);
}

COMPLETER(tasks_complete_tids)
{
	struct task_list tasks = { 0 }, threads = { 0 };

	completion_skip(completion, ",");
	scan_processes(&all_processes, &tasks);
	array_each(&tasks.list, pid)
		task_list_add_threads(&threads, *pid);
	array_each(&threads.list, tid)
		offer_task(completion, *tid);
	task_list_free(&tasks);
	task_list_free(&threads);
}

/*
 * Offers names without characters that are special in regular expressions, or
 * in shells: bash inserts a name without quotes.
 */
COMPLETER(tasks_complete_names)
{
	struct task_list tasks = { 0 };

	scan_processes(&all_processes, &tasks);
	array_each(&tasks.list, pid) {
		_cleanup_free_ char *path =
			xasprintf("/proc/%d/comm", (int)*pid);
		char name[64];

		if (sysfile_line(path, name, sizeof(name)) &&
			!strpbrk(name, ".[]()*+?{}|^$\\ ;&<>`'\"#~!"))
			completion_offer(completion, name, NULL);
	}
	task_list_free(&tasks);
}

bool task_mapping_parse(char *line, struct task_mapping *ret)
{
	int path_at = 0;

	if (sscanf(line,
		    "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		    " %n",
		    &ret->start, &ret->end, ret->rights, &ret->offset,
		    &ret->major, &ret->minor, &ret->inode, &path_at) < 7 ||
		!path_at)
		return false;
	ret->path = line + path_at;
	ret->path[strcspn(ret->path, "\n")] = '\0';
	/* The kernel writes a newline in a path as \012. */
	char *from = ret->path, *to = ret->path;

	while (*from) {
		if (string_starts(from, "\\012")) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return true;
}

bool task_mappings_read(pid_t pid, struct strbuf *text)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", (int)pid);

	return sysfile_slurp(AT_FDCWD, path, text) && text->n;
}

bool task_mapping_next(char **rest, struct task_mapping *ret)
{
	char *line;

	while ((line = strsep(rest, "\n")))
		if (task_mapping_parse(line, ret))
			return true;
	return false;
}
