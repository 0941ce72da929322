/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/perf_options.h"

static const struct perf_option options_of_perf[] = {
	{ "report annotate script diff evlist buildid-list", 'f', "force",
		"dwell does not check the owner of a recording" },
	{ "report annotate diff", 'D', "dump-raw-trace",
		"dwell script -D prints every record" },
	{ "report annotate diff", 'm', "modules",
		"symbols of kernel modules are always used" },
	{ "report annotate script", 0, "itrace",
		"dwell does not decode AUX area traces; use perf" },
	{ "report annotate script", 0, "demangle-kernel",
		"--demangle also demangles symbols of the kernel" },
	{ "report annotate", 0, "ignore-vmlinux",
		"a vmlinux is only used if its build ID is that of the "
		"recorded kernel" },
	{ "report script", 0, "switch-on switch-off show-on-off-events",
		"--time START,STOP selects a part of the recording" },
	{ "report script", 0, "stitch-lbr",
		"dwell does not join LBR call chains; record with -g "
		"instead of --call-graph lbr" },
	{ "report annotate", 0, "stdio-color",
		"output to a terminal is coloured unless NO_COLOR is set" },
	{ "annotate", 0, "objdump", "dwell disassembles without objdump" },
	{ "annotate", 0, "prefix prefix-strip",
		"--source-path OLD=NEW replaces the start of the paths of "
		"source files" },
	{ "annotate", 0, "skip-missing",
		"a function without code on this machine is reported and "
		"skipped" },
	{ "annotate", 0, "group", "each event is annotated separately" },
	{ "annotate", 0, "stdio2",
		"--stdio already prints arrows, labels and names" },
	{ "diff", 0, "cycles-hist", "dwell annotate shows cycles of blocks" },
	{ "diff", 0, "stream", "dwell export --format html shows call chains" },
	{ "report", 'M', "disassembler-style",
		"dwell annotate shows code, and has this option" },
	{ "report", 0, "asm-raw source percent-type",
		"dwell annotate shows code, and has this option" },
	{ "report", 0, "objdump prefix prefix-strip",
		"dwell annotate shows code, without objdump; --source-path "
		"OLD=NEW replaces the start of source paths" },
	{ "report", 'T', "threads",
		"-s tid,sym prints a row for each thread and function" },
	{ "report", 0, "pretty",
		"-s tid,sym prints a row for each thread and function" },
	{ "report", 0, "branch-history",
		"dwell does not append branches to call chains: -b counts "
		"branches, dwell script -F brstack prints them" },
	{ "report", 0, "total-cycles",
		"dwell annotate shows cycles of blocks" },
	{ "report", 0, "disable-order", "samples are always sorted by time" },
	{ "report", 0, "group-sort-idx",
		"-e EVENT prints the table of one event, sorted by it" },
	{ "report", 0, "hierarchy",
		"-s FIELD,... prints one row per combination; dwell export "
		"--format html --group-by process draws levels" },
	{ "report", 0, "raw-trace",
		"-s trace prints the fields of tracepoints" },
	{ "report", 0, "samples",
		"dwell script -S SYMBOL prints the samples of a function" },
	{ "report", 0, "show-cpu-utilization",
		"-F +overhead_sys,overhead_us prints these columns" },
	{ "report", 0, "show-ref-call-graph",
		"call chains are recorded for each event unless -e "
		"EVENT/call-graph=no/ is used" },
	{ "report", 0, "skip-empty", "-e EVENT,... selects the events" },
	{ "report", 0, "socket-filter",
		"-C CPU,... selects the CPUs of a socket; -s socket prints "
		"their sockets" },
	{ "record", 'B', "no-buildid",
		"the kernel reports build IDs with the mappings, at no cost" },
	{ "record", 'N', "no-buildid-cache",
		"no file is copied; the symbols of sampled code are "
		"written to the recording" },
	{ "record", 'n', "no-samples",
		"to record only names and mappings, use -e dummy" },
	{ "record", 's', "stat",
		"each sample contains its thread; to count per thread, use "
		"dwell stat --per-thread -p PID" },
	{ "record", 0, "buildid-all buildid-mmap",
		"each mapping has its build ID" },
	{ "record", 0, "timestamp-boundary",
		"the times of the first and last sample are always written" },
	{ "record", 0, "kcore",
		"the symbols of sampled kernel code are written to the "
		"recording" },
	{ "record", 0, "vmlinux",
		"the kernel's symbols are read from /proc/kallsyms; dwell "
		"report -k reads a vmlinux" },
	{ "record", 0, "debuginfod",
		"debug files are downloaded by the report: dwell report "
		"--debuginfod" },
	{ "record", 0, "aio", "a separate thread writes the file" },
	{ "record", 'S', "snapshot",
		"--overwrite writes the newest samples on SIGUSR2; AUX "
		"area traces need perf record" },
	{ "record", 0, "aux-sample",
		"AUX area traces (Intel PT, Arm SPE) are not recorded; use "
		"perf record" },
	{ "record", 0, "affinity mmap-flush no-buffering threads",
		"one thread reads all ring buffers; to avoid losses, use "
		"-m, --queue-size or -r" },
	{ "record", 0, "num-thread-synthesize proc-map-timeout",
		"processes are read from /proc without these limits" },
	{ "record", 0, "synth tail-synthesize",
		"processes that exist at the start are always recorded at "
		"the start" },
	{ "record", 0, "clang-opt clang-path",
		"events are not compiled; use -e kprobe:SYMBOL, "
		"uprobe:PATH:SYMBOL or a tracepoint of dwell list" },
	{ "record", 0, "dry-run",
		"to check events and permissions: dwell record -o "
		"/dev/null true" },
	{ "record stat", 0, "group",
		"put the events in braces: -e '{cycles,instructions}'" },
	{ "record", 0, "no-bpf-event",
		"the names of BPF programs are always recorded" },
	{ "record", 0, "running-time",
		"the counts of groups (:S) always contain these times" },
	{ "record", 0, "strict-freq",
		"a message reports a frequency that the kernel limits" },
	{ "record", 0, "switch-output-event",
		"--switch-output starts a new file on SIGUSR2" },
	{ "record", 0, "transaction",
		"flags of transactions are not recorded; use perf record "
		"--transaction" },
	{ "stat", 'g', "",
		"put the events in braces: -e '{cycles,instructions}'" },
	{ "stat", 'M', "metrics",
		"dwell prints the ratios of the counted events; other "
		"metrics need perf stat" },
	{ "stat", 'T', "transaction",
		"-e counts the events of transactions of dwell list" },
	{ "stat", 0,
		"metric-only metric-no-group metric-no-merge topdown "
		"td-level smi-cost iostat",
		"dwell prints the ratios of the counted events; other "
		"metrics need perf stat" },
	{ "stat", 0, "cputype hybrid-merge no-merge",
		"name the PMU in the event: -e cpu_core/cycles/" },
	{ "stat", 0, "interval-clear",
		"to clear the screen: watch dwell stat -a --timeout 1000" },
	{ "stat", 0, "log-fd", "-o /dev/fd/N writes to descriptor N" },
	{ "stat", 0, "summary no-csv-summary",
		"-I prints only intervals; without -I, the sums are printed" },
	{ "stat", 0, "percore-show-thread",
		"--per-core prints the counts of each core, -A those of "
		"each CPU" },
	{ "stat", 0, "pre post",
		"measure a shell: dwell stat -- sh -c 'BEFORE; COMMAND; "
		"AFTER'" },
	{ "stat", 0, "scale no-scale",
		"counts are always scaled, with the share of the time that "
		"was counted" },
	{ "stat", 0, "table", "-r prints the mean and its deviation" },
	{ "script", 'a', "all-cpus",
		"the samples of all recorded CPUs are printed; -C selects "
		"CPUs" },
	{ "script", 0, "debug-mode",
		"dwell report prints the number of lost samples; samples "
		"are always sorted by time" },
	{ "script", 'g', "gen-script",
		"dwell runs no scripts: pipe its text, or use dwell export "
		"--format json" },
	{ "script", 's', "script",
		"dwell runs no scripts: pipe its text, or use dwell export "
		"--format json" },
	{ "script", 'l', "list",
		"dwell runs no scripts: pipe its text, or use dwell export "
		"--format json" },
	{ "script", 0, "dlarg dlfilter list-dlfilters",
		"dwell loads no filters; -c, -d, -S, -e and --pid select "
		"samples" },
	{ "script", 'L', "Latency",
		"-F +trace prints the fields of tracepoints" },
	{ "script", 0,
		"call-trace call-ret-trace insn-trace graph-function xed "
		"max-blocks",
		"dwell does not decode instruction traces; use perf script" },
	{ "script", 0, "dump-unsorted-raw-trace",
		"-D prints all records, in file order" },
	{ "script", 0,
		"guest-code guestkallsyms guestmodules guestmount "
		"guestvmlinux",
		"dwell has no symbols of guests; use perf script" },
	{ "script", 0, "per-event-dump",
		"-e EVENT prints the samples of one event" },
	{ "script", 0, "show-kernel-path",
		"-F +dso prints the file of each symbol" },
	{ "script", 0, "stop-bt", "--max-stack N limits call chains" },
};

static const struct {
	const char *commands, *instead;
} commands_of_perf[] = {
	{ "top kwork", "dwell record -a --duration 10, then dwell report" },
	{ "trace",
		"dwell record -a --exclude-perf -e 'syscalls:*', then dwell "
		"script" },
	{ "sched lock",
		"dwell record --off-cpu -a, then dwell report --off-cpu" },
	{ "timechart",
		"dwell record -g, then dwell export --format html: its "
		"timeline shows each thread" },
	{ "c2c mem", "dwell record -d, then dwell report --mem-mode" },
	{ "kmem",
		"dwell record -a -g --exclude-perf -e 'kmem:*', then dwell "
		"report" },
	{ "probe",
		"dwell record -e kprobe:SYMBOL or -e uprobe:PATH:SYMBOL; "
		"dwell also records the events that perf probe adds: -e "
		"probe:NAME" },
	{ "archive", "dwell pack" },
	{ "buildid-cache", "dwell pack and dwell unpack" },
	{ "inject",
		"dwell record: its recordings already contain build IDs and "
		"the symbols of JIT code" },
	{ "data", "dwell export --format json" },
	{ "daemon", "dwell record -a --switch-output=60s" },
	{ "iostat", "dwell stat -e, with events of dwell list" },
	{ "kvm", "dwell record -a -e 'kvm:*', or perf kvm" },
	{ "ftrace",
		"dwell record -a -e with tracepoints of dwell list, or "
		"perf ftrace" },
	{ "bench", "perf bench; dwell record and dwell stat measure it" },
	{ "config",
		"the options of each command; dwell has no file of "
		"settings" },
	{ "kallsyms", "grep SYMBOL /proc/kallsyms" },
	{ "test", "make check in the source tree of dwell" },
	{ "version", "dwell --version" },
};

const struct perf_option *perf_options(size_t *n_ret)
{
	*n_ret = ARRAY_SIZE(options_of_perf);
	return options_of_perf;
}

bool perf_list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; length && *list;
		list += strcspn(list, " "), list += *list == ' ')
		if (strcspn(list, " ") == length && string_starts(list, word))
			return true;
	return false;
}

const char *perf_command_instead(const char *command)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands_of_perf); i++)
		if (perf_list_has(commands_of_perf[i].commands, command))
			return commands_of_perf[i].instead;
	return NULL;
}
