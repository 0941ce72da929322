// SPDX-License-Identifier: GPL-2.0-or-later
// deep.c in Go: `deep DEPTH SECONDS`, in the main goroutine and in another one.
package main

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

var sink int
var until time.Duration

// The CPU time of the process.
func used() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

//go:noinline
func spin(n int) {
	for used() < until {
		for i := 0; i < 1000000; i++ {
			sink += i & n
		}
	}
}

//go:noinline
func recurse(n int) int {
	var room [96]byte
	room[n%96] = byte(n)
	if n > 1 {
		recurse(n - 1)
	} else {
		spin(int(room[5]) | 1)
	}
	return int(room[n%96])
}

func main() {
	depth, _ := strconv.Atoi(os.Args[1])
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	until = time.Duration(2 * seconds * 1e9)
	done := make(chan int)
	go func() { done <- recurse(depth) }()
	recurse(depth)
	<-done
}
