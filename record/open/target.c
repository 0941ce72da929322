/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/target.h"

#include <ctype.h>

#include "record/sys/sysfile.h"
#include "record/sys/tasks.h"

bool target_config_is_wide(const struct target_config *config)
{
	return config->is_system_wide || config->cpus || config->has_cgroups;
}

bool target_config_finds(const struct target_config *config)
{
	return config->name || config->user;
}

bool target_config_is_ambiguous(const struct target_config *config)
{
	return !!config->pids + !!config->tids + target_config_is_wide(config) +
		target_config_finds(config) >
		1;
}

void target_config_default(struct target_config *config, bool has_command)
{
	if (!has_command && !config->pids && !config->tids && !config->cpus &&
		!target_config_finds(config))
		config->is_system_wide = true;
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
				"%s: '%s' is not a list of IDs such as 12,345",
				option, text);
		task_list_add(ret, (pid_t)task);
		if (!*end)
			return NULL;
		at = *end == ',' ? end + 1 : "";
	}
}

struct error *target_resolve(
	const struct target_config *config, struct target *ret)
{
	struct task_list named = { 0 };
	struct error *err;

	memset(ret, 0, sizeof(*ret));
	sysfile_cpus_online(&ret->online);
	array_each(&ret->online.list, cpu)
		*array_push(&ret->sampled.list) = *cpu;
	if (config->pids) {
		ret->kind = TARGET_PROCESSES;
		err = parse_tasks(config->pids, "-p", &named);
		array_each(&named.list, pid) {
			pid_t owner = err ? 0 : task_owner(*pid);

			if (owner)
				task_list_add(&ret->pids, owner);
			else if (!err)
				err = error_new(
					"-p %d: no such process", (int)*pid);
		}
		task_list_free(&named);
		return err;
	}
	if (config->tids) {
		ret->kind = TARGET_THREADS;
		err = parse_tasks(config->tids, "-t", &ret->tids);
		if (err)
			return err;
		array_each(&ret->tids.list, tid) {
			pid_t owner = task_owner(*tid);

			if (!owner)
				return error_new(
					"-t %d: no such thread", (int)*tid);
			task_list_add(&ret->pids, owner);
		}
		return NULL;
	}
	if (target_config_finds(config)) {
		struct task_search find = { config->name, config->user,
			config->is_waiting, config->command };

		ret->kind = TARGET_PROCESSES;
		return task_find_processes(&find, &ret->pids);
	}
	if (target_config_is_wide(config) || !config->command) {
		ret->kind = TARGET_SYSTEM;
		if (!config->cpus)
			return NULL;
		cpus_deinit(&ret->sampled);
		if (!cpus_parse(config->cpus, &ret->sampled))
			return error_usage(
				"-C: '%s' is not a list of CPUs such "
				"as 0-3,7",
				config->cpus);
		array_each(&ret->sampled.list, cpu)
			if (!cpus_has(&ret->online, *cpu))
				return error_new(
					"-C: CPU %u is not online", *cpu);
		return NULL;
	}
	ret->kind = TARGET_COMMAND;
	task_list_add(&ret->pids, config->command);
	return NULL;
}

void target_deinit(struct target *target)
{
	task_list_free(&target->pids);
	task_list_free(&target->tids);
	cpus_deinit(&target->sampled);
	cpus_deinit(&target->online);
}
