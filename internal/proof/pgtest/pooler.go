package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Pool runs PgBouncer in transaction mode before all databases of the cluster, and returns its address. configuration is a
// pgbouncer.ini, of which all but its databases and its port is used. program is PgBouncer. stop ends it.
//
// The roles must have the settings that sessions have otherwise.
func (c *Cluster) Pool(ctx context.Context, program, configuration string, output io.Writer) (address string, stop func(), err error) {
	if program, err = exec.LookPath(program); err != nil {
		return "", nil, err
	}
	_, settings, found := strings.Cut(configuration, "[pgbouncer]\n")
	if !found {
		return "", nil, errors.New("the configuration has no part [pgbouncer]")
	}
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	// What comes last counts. Tests have more connections than the servers of one service, and each has a database of its own.
	text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d pool_mode=transaction pool_size=16\n\n[pgbouncer]\n%s\n"+
		"listen_port = %d\nauth_file = userlist.txt\nmax_client_conn = 2000\nserver_idle_timeout = 10\n", c.port, settings, port)
	files := map[string]string{"pgbouncer.ini": text, "userlist.txt": `"postgres" "` + c.password + `"` + "\n"}
	stop, err = runBeside(output, files, func(string) (string, []string) { return program, []string{"-q", "pgbouncer.ini"} })
	if err != nil {
		return "", nil, fmt.Errorf("start PgBouncer: %w", err)
	}
	if err := awaitPort(ctx, port); err != nil {
		stop()
		return "", nil, fmt.Errorf("start PgBouncer: %w", err)
	}
	through, err := url.Parse(c.Through(port, "postgres"))
	if err != nil {
		stop()
		return "", nil, err
	}
	through.RawQuery += "&default_query_exec_mode=exec"
	return through.String(), stop, nil
}

// awaitPort returns when a program listens on a port of this machine.
func awaitPort(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for ; ; time.Sleep(lookAgain) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return conn.Close()
		}
		if ctx.Err() != nil {
			return fmt.Errorf("it does not listen: %w", err)
		}
	}
}
