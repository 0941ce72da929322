#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make.sh FOLDER: records real programs and writes the pictures of the manual to
# FOLDER: flame-graph.png and screen.txt (the interactive report in a terminal) of
# README.md, and six pages: threads.png (64 threads), deep-cpp.png (the call tree
# of a C++ program), off-cpu.png (the stack chart of a thread that waits),
# difference.png (two builds), go.png, and second.png (one second of a program).
#
# Needs dwell in PATH, clang++, g++, go, node, chromium, pngquant and tmux. The program of the
# first picture is the compiler itself: it compiles a small C++ program that uses
# regular expressions.
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:?usage: make.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
terminal=dwell-pictures-$$
trap 'tmux -L "$terminal" kill-server 2>/dev/null || :; rm -rf "$work"' EXIT
mkdir "$work/example"
cd "$work/example"

cat >words.cpp <<'END'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>

int main()
{
	std::map<std::string, int> counts;
	std::regex word("[a-z]+");
	std::string line;
	while (std::getline(std::cin, line))
		for (std::sregex_iterator i(line.begin(), line.end(), word), end;
		     i != end; ++i)
			counts[i->str()]++;
	for (const auto &[name, count] : counts)
		std::cout << count << '\t' << name << '\n';
}
END
dwell record -q -F 2000 --call-graph dwarf -- \
	clang++ -fno-integrated-cc1 -std=c++17 -O2 -c words.cpp

# shot NAME PAGE#STATE [COMMAND...]: writes NAME.png, after commands of the browser.
shot() {
	local name=$1 page=$2
	shift 2
	node "$source/tests/cli/browse.js" "$page" 'size 1280 800' "$@" \
		'over 0.5 5 #title' "shot $folder/$name.png" >/dev/null
	pngquant --force --speed 1 --output "$folder/$name.png" 256 \
		"$folder/$name.png"
}

dwell export -q --format html -o page.html
shot flame-graph 'page.html#transforms=g'
shot deep-cpp 'page.html#tab=tree&transforms=g' "ask page.callTree.unfoldAll(0)"

# --- 64 threads, two builds, and one second ------------------------------------

cat >particles.cpp <<'END'
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

struct vec { double x, y, z; };
static vec operator+(const vec &a, const vec &b)
{
	return { a.x + b.x, a.y + b.y, a.z + b.z };
}
static vec operator*(const vec &a, double f) { return { a.x * f, a.y * f, a.z * f }; }
static double norm(const vec &a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

class world {
	struct body { vec place, speed; };
	std::vector<body> bodies;
	std::vector<std::function<vec(const vec &, double)>> forces;

public:
	world()
	{
		for (int i = 0; i < 300; i++)
			bodies.push_back({ { double(i), double(i * 7 % 13), 1 }, {} });
		forces.push_back([](const vec &p, double t) {
			return p * (-std::sin(t) / std::pow(norm(p) + 1e-9, 3));
		});
		forces.push_back([](const vec &p, double t) {
			return p * (-0.01 * std::cos(3 * t));
		});
	}
	void step(double t)
	{
		for (auto &one : bodies) {
			vec sum = {};
			for (auto &force : forces)
				sum = sum + force(one.place, t);
			one.speed = one.speed + sum * 0.01;
			one.place = one.place + one.speed * 0.01;
		}
	}
	void sort()
	{
		std::sort(bodies.begin(), bodies.end(), [](auto &a, auto &b) {
			return norm(a.place) < norm(b.place);
		});
	}
};

int main(int argc, char **argv)
{
	auto end = std::chrono::steady_clock::now() +
		std::chrono::milliseconds(atoi(argv[2]));
	std::vector<std::thread> all;
	for (int i = 0; i < atoi(argv[1]); i++)
		all.emplace_back([=] {
			pthread_setname_np(pthread_self(),
				("worker-" + std::to_string(i)).c_str());
			world w;
			for (int k = 0; std::chrono::steady_clock::now() < end; k++) {
				w.step(k * .1);
				if (k % SORT_EVERY == 0)
					w.sort();
			}
		});
	for (auto &one : all)
		one.join();
}
END
g++ -std=c++17 -O2 -g -pthread -DSORT_EVERY=8 particles.cpp -o particles
dwell record -q -F 2000 --call-graph dwarf -o threads.data -- ./particles 64 4000
dwell export -q --format html -o threads.html threads.data
shot threads threads.html
dwell record -q -F 5000 --call-graph dwarf -o second.data -- ./particles 2 1000
dwell export -q --format html -o second.html second.data
shot second 'second.html#tab=chart&transforms=g' \
	'click #threads li:nth-child(1) button'
mv particles before
g++ -std=c++17 -O2 -g -pthread -DSORT_EVERY=2 particles.cpp -o particles
dwell record -q -F 2000 -g --call-graph dwarf -o after.data -- ./particles 2 2000
mv particles after && mv before particles
dwell record -q -F 2000 --call-graph dwarf -o before.data -- ./particles 2 2000
dwell diff -q --html -o difference.html before.data after.data
shot difference difference.html

# --- waiting ------------------------------------------------------------------

cat >queue.cpp <<'END'
#include <condition_variable>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <queue>
#include <thread>
#include <unistd.h>

static std::mutex big_lock;
static std::condition_variable filled;
static std::queue<int> jobs;

static __attribute__((noinline)) void work(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}
static __attribute__((noinline)) int take_job()
{
	std::unique_lock<std::mutex> lock(big_lock);
	filled.wait(lock, [] { return !jobs.empty(); });
	int job = jobs.front();
	jobs.pop();
	return job;
}
static __attribute__((noinline)) void hold_big_lock()
{
	std::lock_guard<std::mutex> lock(big_lock);
	work(400000);
}
static __attribute__((noinline)) void sync_file(int fd)
{
	if (write(fd, "line\n", 5) == 5)
		fdatasync(fd);
}

int main()
{
	std::thread consumer([] {
		pthread_setname_np(pthread_self(), "consumer");
		while (int job = take_job()) {
			work(job * 2000);
			hold_big_lock();
		}
	});
	std::thread writer([] {
		pthread_setname_np(pthread_self(), "writer");
		int fd = open("journal", O_CREAT | O_WRONLY | O_TRUNC, 0600);
		for (int i = 0; i < 60; i++) {
			sync_file(fd);
			hold_big_lock();
			usleep(20000);
		}
	});
	for (int i = 0; i < 120; i++) {
		{
			std::lock_guard<std::mutex> lock(big_lock);
			jobs.push(i < 119 ? 300 + i * 10 : 0);
		}
		filled.notify_one();
		usleep(15000);
	}
	consumer.join();
	writer.join();
}
END
g++ -std=c++17 -O1 -g -pthread queue.cpp -o queue
dwell record -q --off-cpu -F 2000 --call-graph dwarf -o queue.data -- ./queue
dwell export -q --format html -o queue.html queue.data
shot off-cpu 'queue.html#tab=chart&transforms=g' \
	"ask page.state.set({ thread: page.data.tasks.find(({ comm }) =>
		comm === 'consumer').thread })" \
	'drag 0.4 0.5 #overview' 'key z'

# --- Go -------------------------------------------------------------------------

mkdir words && cat >words/main.go <<'END'
package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
)

var word = regexp.MustCompile(`[a-z]+(-[a-z]+)*`)

func count(text string) map[string]int {
	counts := map[string]int{}
	for _, found := range word.FindAllString(strings.ToLower(text), -1) {
		counts[found]++
	}
	return counts
}

func render(counts map[string]int) string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return counts[names[i]] > counts[names[j]] })
	text, _ := json.Marshal(names)
	return string(text)
}

func main() {
	text := strings.Repeat("The quick-brown fox jumps over the lazy dog. ", 400)
	var all sync.WaitGroup
	end := time.Now().Add(3 * time.Second)
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			for time.Now().Before(end) {
				render(count(fmt.Sprintf("%s %d", text, i)))
			}
		}(i)
	}
	all.Wait()
}
END
(cd words && GO111MODULE=off go build -o words main.go)
dwell record -q -F 2000 -g -o go.data -- words/words
dwell export -q --format html -o go.html go.data
shot go 'go.html#transforms=g'

tmux -L "$terminal" -f /dev/null new-session -d -x 92 -y 16 \
	'dwell report --no-children -s dso,sym'
until tmux -L "$terminal" capture-pane -p | grep -q '\[[.k]\]'; do :; done
tmux -L "$terminal" capture-pane -p | sed 's/ *$//' >"$folder/screen.txt"
