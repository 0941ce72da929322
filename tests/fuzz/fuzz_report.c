/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A byte that says which question is asked, then any bytes as a recording: all
 * of `dwell report` and its kin, from options to text, as main() runs them. A
 * recording is compared with itself, or parts of it with each other.
 */
#include "config.h"

#include "common/alloc.h"
#include "report/cmd.h"
#include "tests/fuzz/store.h"

#define INPUT_MAX MIB(1)
#define WORDS_MAX 10u

static const struct question {
	struct error *(*run)(int argc, char **argv);
	const char *words[WORDS_MAX];
} questions[] = {
	{ cmd_report, { "report", "--stdio" } },
	{ cmd_report, { "report", "-g", "caller,0", "--no-children", "-n" } },
	{ cmd_report, { "report", "-g", "fractal,address", "--max-stack=3" } },
	{ cmd_report, { "report", "-g", "folded,count", "-p", "main", "-x" } },
	{ cmd_report, { "report", "--json", "--group" } },
	{ cmd_report, { "report", "--csv", "-s", "pid,tid,cpu,time,parent" } },
	{ cmd_report, { "report", "-F", "overhead_us,addr,symbol_size,event" } },
	{ cmd_report, { "report", "-b", "-s", "dso_from,addr_to,cycles" } },
	{ cmd_report, { "report", "--mem-mode", "--percentage=relative" } },
	{ cmd_report, { "report", "-s", "symbol_daddr,dcacheline,phys_daddr" } },
	{ cmd_report, { "report", "-s", "cgroup,transaction,weight,host" } },
	{ cmd_report, { "report", "--header", "-I", "--time=10%/2", "-U" } },
	{ cmd_report, { "report", "--ignore-callees=.", "-G", "-t;" } },
	{ cmd_report, { "report", "--tasks" } },
	{ cmd_report, { "report", "--mmaps" } },
	{ cmd_report, { "report", "--stats" } },
	{ cmd_script, { "script" } },
	{ cmd_script, { "script", "-D" } },
	{ cmd_evlist, { "evlist", "-v", "-g" } },
	{ cmd_buildid_list, { "buildid-list", "-H" } },
	{ cmd_report, { "report", "--json", "--header", "-I", "-gcaller,0" } },
	{ cmd_report, { "report", "--csv", "--tasks" } },
	{ cmd_report, { "report", "--json", "--mmaps" } },
	{ cmd_report, { "report", "-s", "dso_size,cgroup_id,dcacheline" } },
	{ cmd_evlist, { "evlist", "--csv" } },
	{ cmd_buildid_list, { "buildid-list", "--json" } },
	{ cmd_pack, { "pack", "-o", "/dev/null" } },
	{ cmd_report, { "report", "-s", "srcline,sym", "-gaddress" } },
	{ cmd_pack, { "pack", "--strip", "-o", "/dev/null" } },
	{ cmd_pack, { "pack", "--redact", "-o", "/dev/null" } },
	{ cmd_pack, { "pack", "--source", "-o", "/dev/null" } },
	{ cmd_annotate, { "annotate", "-l", "-n", "--asm-raw" } },
	{ cmd_annotate, { "annotate", "--json", "--limit=0" } },
	{ cmd_export, { "export", "--format=html", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=svg", "-o", "/dev/null" } },
	{ cmd_report, { "report", "--off-cpu", "-s", "state,tid,sym" } },
	{ cmd_report, { "report", "--wall", "--json", "-gcaller,0" } },
	{ cmd_export, { "export", "--format=folded", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=pprof", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=speedscope", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=firefox", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=callgrind", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=chrome", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=perf-script", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=json", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=csv", "-o", "/dev/null" } },
	{ cmd_export, { "export", "--format=perf-data", "-o", "/dev/null" } },
	{ cmd_diff, { "diff", "--json", "-s+comm,pid", "-c", "wdiff:2,3" } },
	{ cmd_diff, { "diff", "-F", "-p", "-n", "--time=0%-50%:20%-100%" } },
	{ cmd_diff, { "diff", "--csv", "-c", "ratio", "--normalize=time" } },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 4];
	const struct question *question;
	int argc = 0;

	if (!size || size > INPUT_MAX)
		return 0;
	question = &questions[data[0] % ARRAY_SIZE(questions)];
	while (question->words[argc]) {
		argv[argc] = (char *)question->words[argc];
		argc++;
	}
	argv[argc++] = (char *)"-q";
	if (question->run != cmd_diff)
		argv[argc++] = (char *)"-i";
	argv[argc] = (char *)store_input(data + 1, size - 1);
	if (question->run == cmd_diff) {
		argv[argc + 1] = argv[argc];
		argc++;
	}
	argc++;
	argv[argc] = NULL;
	error_free(question->run(argc, argv));
	return 0;
}
