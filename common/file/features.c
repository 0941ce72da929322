/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/features.h"

void features_deinit(struct features *f)
{
	free(f->hostname);
	free(f->osrelease);
	free(f->version);
	free(f->arch);
	free(f->cpudesc);
	free(f->cpuid);
	array_each(&f->cmdline, word)
		free(*word);
	array_free(&f->cmdline);
	array_each(&f->events, event)
		event_deinit(event);
	array_free(&f->events);
	array_each(&f->pmus, pmu)
		free(pmu->name);
	array_free(&f->pmus);
	array_each(&f->groups, group)
		free(group->name);
	array_free(&f->groups);
	array_each(&f->build_ids, entry)
		free(entry->path);
	array_free(&f->build_ids);
	topology_deinit(&f->topology);
	free(f->tracing_data);
	free(f->cpus.at);
	free(f->numa.at);
	free(f->caches.at);
	free(f->memory.at);
	free(f->cpu_caps.at);
	free(f->pmu_caps.at);
	free(f->hybrid.at);
	free(f->domains.at);
	free(f->elf_machine.at);
	free(f->cacheline.at);
	free(f->bpf_programs.at);
	free(f->bpf_types.at);
	free(f->meta_info.at);
	free(f->simpleperf_files.at);
	*f = (struct features){ 0 };
}
