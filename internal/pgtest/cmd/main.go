// Command cmd runs another command with a PostgreSQL cluster made for it:
//
//	go run ./internal/pgtest/cmd -- go test ./...
//
// The cluster's address is in SELLERD_TEST_POSTGRES, where the tests look for it, and the cluster is gone when the command
// has ended. The exit status is the command's. If that variable is set already, the command uses it; if no PostgreSQL is
// installed, the command runs without one, and its tests print what they skip.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"sellerd/internal/pgtest"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: pgtest/cmd -- COMMAND [ARGUMENT…]")
		os.Exit(2)
	}
	status, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
	}
	os.Exit(status)
}

// run starts the cluster if one is needed, runs the command and returns its exit status.
func run(args []string) (status int, err error) {
	if os.Getenv(pgtest.EnvAdminURL) != "" {
		return command(args, os.Environ())
	}
	cluster, err := pgtest.Start(context.Background(), pgtest.Options{})
	if errors.Is(err, pgtest.ErrNotInstalled) && os.Getenv(pgtest.EnvRequire) != "1" {
		fmt.Fprintln(os.Stderr, "pgtest: going on without:", err)
		return command(args, os.Environ())
	}
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopErr := cluster.Stop(); stopErr != nil {
			err = errors.Join(err, stopErr)
		}
	}()
	return command(args, append(os.Environ(), pgtest.EnvAdminURL+"="+cluster.AdminURL()))
}

// command runs the command to its end. Signals go to it, so that the cluster outlives it: from the keyboard they reach
// it anyway, as a member of our process group, and SIGTERM is passed on.
func command(args, env []string) (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)

	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGTERM {
				_ = cmd.Process.Signal(s)
			}
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return max(exit.ExitCode(), 1), nil
			}
			if err != nil {
				return 1, err
			}
			return 0, nil
		}
	}
}
