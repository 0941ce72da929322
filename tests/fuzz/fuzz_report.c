/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A byte that selects a command, then any bytes as a recording: all of `dwell
 * report` and the other commands that read recordings, from options to text, as
 * main() runs them. `dwell diff` compares the recording with itself. Bit 6 of
 * the byte adds --kallsyms, bit 7 --vmlinux. Files are those of root.h.
 */
#include "config.h"

#include "common/util/alloc.h"
#include "report/cmd.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/root.h"
#include "tests/fuzz/store.h"

#define INPUT_MAX MIB(1)
#define WORDS_MAX 10u
#define QUESTION_MASK 0x3f
#define WITH_KALLSYMS 0x40
#define WITH_VMLINUX 0x80

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
	{ cmd_report,
		{ "report", "-F", "overhead_us,addr,symbol_size,event" } },
	{ cmd_report, { "report", "-b", "-s", "dso_from,addr_to,cycles" } },
	{ cmd_report, { "report", "--mem-mode", "--percentage=relative" } },
	{ cmd_report,
		{ "report", "-s", "symbol_daddr,dcacheline,phys_daddr" } },
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
	{ cmd_report,
		{ "report", "--inline-self", "--collapse-dso=[unknown]",
			"--merge-fn=main", "--hide-glue", "--drop=work",
			"-gaddress" } },
	{ cmd_export,
		{ "export", "--format=speedscope", "--merge-fn=main",
			"--collapse-dso=[kernel.kallsyms]",
			"--collapse-recursion=work", "-S[kernel.kallsyms]",
			"-o", "/dev/null" } },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns true if a command has the options --symfs, --kallsyms, --vmlinux. */
static bool reads_files(const struct question *question)
{
	return question->run != cmd_evlist && question->run != cmd_buildid_list;
}

/* Appends the options by which files are found; returns their number. */
static int add_places(uint8_t choice, char **argv)
{
	static char *symfs, *kallsyms, *vmlinux;
	int n = 0;

	if (!symfs) {
		symfs = xasprintf("--symfs=%s", root_path(""));
		kallsyms = xasprintf("--kallsyms=%s", root_path(ROOT_KALLSYMS));
		vmlinux = xasprintf("--vmlinux=%s", root_path(ROOT_VMLINUX));
	}
	argv[n++] = symfs;
	if (choice & WITH_KALLSYMS)
		argv[n++] = kallsyms;
	if (choice & WITH_VMLINUX)
		argv[n++] = vmlinux;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 8];
	const struct question *question;
	int argc = 0;

	if (!size || size > INPUT_MAX)
		return 0;
	question =
		&questions[(data[0] & QUESTION_MASK) % ARRAY_SIZE(questions)];
	while (question->words[argc]) {
		argv[argc] = (char *)question->words[argc];
		argc++;
	}
	argv[argc++] = (char *)"-q";
	if (reads_files(question))
		argc += add_places(data[0], argv + argc);
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

size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t max, unsigned seed)
{
	if (size < 2 || max < 2)
		return LLVMFuzzerMutate(data, size, max);
	if (seed % 8 == 0)
		data[0] = (uint8_t)(seed / 8);
	return 1 + mutate_recording(data + 1, size - 1, max - 1, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
	const uint8_t *data2, size_t size2, uint8_t *out, size_t max,
	unsigned seed)
{
	size_t size;

	if (!size1 || !size2 || !max)
		return 0;
	out[0] = data1[0];
	size = mutate_cross(data1 + 1, size1 - 1, data2 + 1, size2 - 1, out + 1,
		max - 1, seed);
	return size ? size + 1 : 0;
}
