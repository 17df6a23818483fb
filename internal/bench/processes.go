package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is what /proc says about a process.
type process struct {
	parent int
	own    time.Duration // processor time
	waited time.Duration // processor time of the children that have ended
}

// ticksPerSecond is the unit of CPU time in /proc, the same on every Linux that Go runs on.
const ticksPerSecond = 100

func readProcess(pid int) (p process, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name before it may hold spaces
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return p, errors.New("/proc/PID/stat is not as expected")
	}
	var ticks [4]time.Duration // of the process in user mode and in the kernel, and of its children
	for i := range ticks {
		n, err := strconv.Atoi(fields[11+i])
		if err != nil {
			return p, err
		}
		ticks[i] = time.Duration(n) * time.Second / ticksPerSecond
	}
	p.own, p.waited = ticks[0]+ticks[1], ticks[2]+ticks[3]
	p.parent, err = strconv.Atoi(fields[1])
	return p, err
}

func parentOf(pid int) (int, error) {
	p, err := readProcess(pid)
	return p.parent, err
}

// familyCPU is the processor time of a process and of its children.
func familyCPU(pid int) (time.Duration, error) {
	parent, err := readProcess(pid)
	if err != nil {
		return 0, err
	}
	total := parent.own + parent.waited
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, folder := range folders {
		id, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		if p, err := readProcess(id); err == nil && p.parent == pid { // others may end meanwhile
			total += p.own
		}
	}
	return total, nil
}
