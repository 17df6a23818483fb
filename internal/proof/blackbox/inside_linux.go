package blackbox

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// insideVariable is set in the process that runs in the network of its own.
const insideVariable = "SELLERD_TEST_INSIDE"

// Inside runs a test again, with flags, in a process with a network and mounts of its own, and says whether this is that process. It
// takes the rights of root, or a kernel that lets every user make a user namespace.
func Inside(t *testing.T, flags ...string) bool {
	t.Helper()
	if os.Getenv(insideVariable) != "" {
		return true
	}
	program, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^" + t.Name() + "$", "-test.v", "-test.timeout=0", "-program=" + program}, flags...)...)
	again.Env = append(os.Environ(), insideVariable+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}} // PostgreSQL does not run as root
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		again.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE}
	}
	again.Stdout, again.Stderr = t.Output(), t.Output()
	if err := again.Run(); err != nil {
		t.Errorf("in a network of its own, which takes the rights of root or user namespaces: %v", err)
	}
	return false
}
