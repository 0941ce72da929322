/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/target.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>

#include "record/sysfile.h"

bool task_list_has(const struct task_list *tasks, pid_t task)
{
	array_each(&tasks->list, each)
		if (*each == task)
			return true;
	return false;
}

size_t target_threads(pid_t pid, struct task_list *list)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", (int)pid);
	size_t before = list->list.n;
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && !task_list_has(list, tid))
			*array_push(&list->list) = tid;
	}
	closedir(dir);
	return list->list.n - before;
}

pid_t target_owner(pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/status", (int)tid);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *line;

	if (!sysfile_slurp(AT_FDCWD, path, &text) || !text.n)
		return 0;
	line = strstr(text.at, "\nTgid:");
	return line ? (pid_t)strtol(line + 6, NULL, 10) : 0;
}

static struct error *parse_tasks(
	const char *text, const char *option, struct task_list *ret)
{
	const char *at = text;

	for (;;) {
		unsigned long task = 0;
		char *end = NULL;

		if (isdigit((unsigned char)*at))
			task = strtoul(at, &end, 10);
		if (!end || task == 0 || task > INT32_MAX)
			return error_usage(
				"%s: '%s' is no list of ids such as 12,345",
				option, text);
		if (!task_list_has(ret, (pid_t)task))
			*array_push(&ret->list) = (pid_t)task;
		if (!*end)
			return NULL;
		at = *end == ',' ? end + 1 : "";
	}
}

static struct error *resolve_processes(const char *text, struct target *ret)
{
	struct error *err = parse_tasks(text, "-p", &ret->pids);

	if (err)
		return err;
	array_each(&ret->pids.list, pid) {
		pid_t owner = target_owner(*pid);

		if (!owner)
			return error_new("-p %d: no such process", (int)*pid);
		*pid = owner;
	}
	return NULL;
}

static struct error *resolve_threads(const char *text, struct target *ret)
{
	struct error *err = parse_tasks(text, "-t", &ret->tids);

	if (err)
		return err;
	array_each(&ret->tids.list, tid) {
		pid_t owner = target_owner(*tid);

		if (!owner)
			return error_new("-t %d: no such thread", (int)*tid);
		if (!task_list_has(&ret->pids, owner))
			*array_push(&ret->pids.list) = owner;
	}
	return NULL;
}

static struct error *resolve_cpus(const char *text, struct target *ret)
{
	cpus_deinit(&ret->sampled);
	if (!cpus_parse(text, &ret->sampled))
		return error_usage(
			"-C: '%s' is no list of CPUs such as 0-3,7", text);
	array_each(&ret->sampled.list, cpu)
		if (!cpus_has(&ret->online, *cpu))
			return error_new("-C: CPU %u is not online", *cpu);
	return NULL;
}

struct error *target_resolve(
	const struct target_wish *wish, struct target *ret)
{
	memset(ret, 0, sizeof(*ret));
	cpus_online(&ret->online);
	array_each(&ret->online.list, cpu)
		*array_push(&ret->sampled.list) = *cpu;
	if (wish->pids) {
		ret->kind = TARGET_PROCESSES;
		return resolve_processes(wish->pids, ret);
	}
	if (wish->tids) {
		ret->kind = TARGET_THREADS;
		return resolve_threads(wish->tids, ret);
	}
	if (wish->is_system_wide || wish->cpus || !wish->command) {
		ret->kind = TARGET_SYSTEM;
		return wish->cpus ? resolve_cpus(wish->cpus, ret) : NULL;
	}
	ret->kind = TARGET_COMMAND;
	*array_push(&ret->pids.list) = wish->command;
	return NULL;
}

void target_deinit(struct target *target)
{
	array_free(&target->pids.list);
	array_free(&target->tids.list);
	cpus_deinit(&target->sampled);
	cpus_deinit(&target->online);
}
