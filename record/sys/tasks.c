/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/tasks.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

#include "record/sys/sysfile.h"

static uint64_t hash_task(pid_t task)
{
	return hash_words((uint64_t)task, 0);
}

static bool has_task(const struct task_list *tasks, pid_t task)
{
	uint64_t hash = hash_task(task);

	hash_each_match(&tasks->index, hash, i)
		if (tasks->list.at[i] == task)
			return true;
	return false;
}

bool task_list_add(struct task_list *tasks, pid_t task)
{
	if (has_task(tasks, task))
		return false;
	hash_insert(&tasks->index, hash_task(task), (uint32_t)tasks->list.n);
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
