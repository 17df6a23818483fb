// Command cmd runs another command with a PostgreSQL cluster made for it:
//
//	go run ./internal/proof/pgtest/cmd -- go test ./...
//
// The cluster's address is in SELLERD_TEST_POSTGRES, where the tests look for it, and the cluster is gone when the command
// has ended. The exit status is the command's. If that variable is set already, the command uses that server, after a look
// at whether tests can; if no PostgreSQL is installed, the command runs without one, and its tests print what they skip.
//
// The flags choose another engine. -newest installs a newer PostgreSQL from npm, for the cluster and for those that tests
// start. -isolation sets the default isolation level of all of them. -pooler puts PgBouncer in transaction mode between the
// tests and the cluster, with the configuration and the settings of docs/deploy and docs/operator/operating-pooler.md, which it reads from
// the folder in which it runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"syscall"

	"sellerd/internal/proof/pgtest"
)

// choice is what the flags say of the engine.
type choice struct {
	newest, pooler bool
	isolation      string
}

func main() {
	var engine choice
	flag.BoolVar(&engine.newest, "newest", false, "install a newer PostgreSQL from npm, and use it")
	flag.BoolVar(&engine.pooler, "pooler", false, "put PgBouncer in transaction mode before the cluster")
	flag.StringVar(&engine.isolation, "isolation", "", "the default isolation level, such as serializable")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: pgtest/cmd [-newest] [-pooler] [-isolation LEVEL] -- COMMAND [ARGUMENT…]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	status, err := engine.run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
	}
	os.Exit(status)
}

// run starts the cluster if one is needed, runs the command and returns its exit status.
func (c choice) run(args []string) (status int, err error) {
	if err := pgtest.CheckIsolation(c.isolation); err != nil {
		return 2, err
	}
	if address := os.Getenv(pgtest.EnvAdminURL); address != "" {
		return c.onGiven(address, args)
	}
	ctx := context.Background()
	var stops []func() error
	defer func() {
		for _, stop := range slices.Backward(stops) {
			err = errors.Join(err, stop())
		}
	}()
	// The tests start clusters of their own by the same variables.
	if c.isolation != "" {
		if err := os.Setenv(pgtest.EnvIsolation, c.isolation); err != nil {
			return 1, err
		}
	}
	if c.newest {
		bin, remove, err := pgtest.InstallNewest(ctx)
		if err != nil {
			return 1, err
		}
		stops = append(stops, remove)
		if err := os.Setenv("PATH", bin+":"+os.Getenv("PATH")); err != nil {
			return 1, err
		}
	}
	cluster, err := pgtest.Start(ctx, pgtest.Options{})
	if errors.Is(err, pgtest.ErrNotInstalled) && os.Getenv(pgtest.EnvRequire) != "1" {
		fmt.Fprintln(os.Stderr, "pgtest: going on without:", err)
		return command(args, os.Environ())
	}
	if err != nil {
		return 1, err
	}
	stops = append(stops, cluster.Stop)
	engine, err := pgtest.Engine(ctx, cluster.AdminURL())
	if err != nil {
		return 1, err
	}
	env := os.Environ()
	if c.pooler {
		address, stop, err := pool(ctx, cluster)
		if err != nil {
			return 1, err
		}
		stops = append(stops, func() error { stop(); return nil })
		env = append(env, pgtest.EnvPooler+"="+address)
		engine += ", behind PgBouncer in transaction mode"
	}
	return command(args, append(env, pgtest.EnvAdminURL+"="+cluster.AdminURL(), pgtest.EnvEngine+"="+engine))
}

// onGiven runs the command with a server that is there.
func (c choice) onGiven(address string, args []string) (status int, err error) {
	if c.newest || c.pooler {
		return 2, errors.New("-newest and -pooler are for a cluster that is made here, not for the server of " + pgtest.EnvAdminURL)
	}
	if c.isolation != "" {
		if address, err = pgtest.AtIsolation(address, c.isolation); err != nil {
			return 2, err
		}
	}
	engine, err := pgtest.Engine(context.Background(), address)
	if err != nil {
		return 2, err
	}
	return command(args, append(os.Environ(), pgtest.EnvAdminURL+"="+address, pgtest.EnvEngine+"="+engine))
}

// The pages that say how a pooler is set up.
const (
	poolerFile = "docs/deploy/pgbouncer.ini"
	manual     = "docs/operator/operating-pooler.md"
)

var roleSettings = regexp.MustCompile(`ALTER ROLE sellerd (SET [^;\n]+;)`)

// pool starts PgBouncer as the manual has it.
func pool(ctx context.Context, cluster *pgtest.Cluster) (address string, stop func(), err error) {
	configuration, err := os.ReadFile(poolerFile)
	if err != nil {
		return "", nil, err
	}
	text, err := os.ReadFile(manual)
	if err != nil {
		return "", nil, err
	}
	found := roleSettings.FindAllStringSubmatch(string(text), -1)
	if found == nil {
		return "", nil, errors.New(manual + " does not say which settings the role needs")
	}
	for _, setting := range found {
		if err := cluster.Execute(ctx, "ALTER ROLE postgres "+setting[1]); err != nil {
			return "", nil, err
		}
	}
	program := "pgbouncer"
	if _, err := exec.LookPath(program); err != nil {
		program = "/usr/sbin/pgbouncer" // Debian's place, which is not in every PATH
	}
	return cluster.Pool(ctx, program, string(configuration), os.Stderr)
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
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				return max(exit.ExitCode(), 1), nil
			}
			if err != nil {
				return 1, err
			}
			return 0, nil
		}
	}
}
