package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// quotaPeriod is the time in which the kernel counts a quota, in microseconds. It is short, so that a process that has used its
// quota waits for milliseconds and not for 100.
const quotaPeriod = 10_000

// quota is a control group of Linux that gives one process at most a share of a core.
type quota struct{ folder string }

// newQuota makes a control group, of version 1 or 2 of cgroups. It needs the right to do so, which root usually has.
func newQuota(name string, share float64) (q quota, err error) {
	limit := strconv.Itoa(int(share * quotaPeriod))
	period := strconv.Itoa(quotaPeriod)
	root, files := "/sys/fs/cgroup", [][2]string{{"cpu.max", limit + " " + period}}
	if _, err := os.Stat(filepath.Join(root, "cpu", "cpu.cfs_quota_us")); err == nil {
		root, files = filepath.Join(root, "cpu"), [][2]string{{"cpu.cfs_period_us", period}, {"cpu.cfs_quota_us", limit}}
	} else if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err != nil {
		return q, errors.New("this machine has no control groups for CPU time")
	}
	q.folder = filepath.Join(root, name)
	if err := os.Mkdir(q.folder, 0o755); err != nil {
		return q, fmt.Errorf("make a control group: %w", err)
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(q.folder, file[0]), []byte(file[1]), 0o644); err != nil {
			return q, errors.Join(fmt.Errorf("set a quota: %w", err), q.remove())
		}
	}
	return q, nil
}

// limit moves a process into the group.
func (q quota) limit(pid int) error {
	return os.WriteFile(filepath.Join(q.folder, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644)
}

// remove removes the group, whose process must have ended.
func (q quota) remove() error { return os.Remove(q.folder) }
