/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A byte that says which question is asked, then any bytes as a recording: all
 * of `dwell report` and its kin, from options to text, as main() runs them.
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
	argv[argc++] = (char *)"-i";
	argv[argc++] = (char *)store_input(data + 1, size - 1);
	argv[argc] = NULL;
	error_free(question->run(argc, argv));
	return 0;
}
