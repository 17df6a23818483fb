package pgtest

import (
	"os"
	"syscall"
)

// enoughMemory is how much room a folder in memory must have before a cluster is put there. A cluster takes about 50 MB,
// and each test's database 9 MB for as long as the test runs.
const enoughMemory = 2 << 30

// QuickFolder is where throw-away databases go: into memory, where copying a database of several hundred files takes 15 ms
// and not 300. If TMPDIR is set, or memory is short, they go where temporary files go.
func QuickFolder() string {
	const memory = "/dev/shm"
	var stat syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &stat) != nil || stat.Bavail*uint64(stat.Bsize) < enoughMemory {
		return os.TempDir()
	}
	return memory
}

// endWithUs has a process end with this one, even if this one is killed.
func endWithUs(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
