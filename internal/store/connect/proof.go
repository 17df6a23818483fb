package connect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// proofLimit bounds the whole proof. Its second connection may have to wait for a place in the pooler.
	proofLimit = 15 * time.Second
	// ownLimit bounds a query to an idle process of PostgreSQL that belongs to one connection.
	ownLimit = 2 * time.Second
)

// ErrShared says that the URL relies on sessions, but the pooler in between keeps none.
var ErrShared = errors.New("the pooler gives each transaction another session, and the URL does not say so")

// ProveFirst has the first connection fail with ErrShared if connections should keep their sessions but a pooler in between keeps none.
// Then prepared statements would be missing or made twice, settings would reach other programs, and the lock of a migration would be
// taken in one session and released in another. So the proof comes before any setting is made, and before the migration.
//
// Without a pooler it is one query. Otherwise it needs a second connection with the given settings.
func (s *Session) ProveFirst(w *Watch, settings *pgx.ConnConfig) {
	if !s.kept {
		return
	}
	s.unproved = func(ctx context.Context, first *pgconn.PgConn) error {
		ctx, cancel := context.WithTimeout(ctx, proofLimit)
		defer cancel()
		process, err := askProcess(ctx, first, "")
		if err != nil || !anotherProcess(first, process) {
			return err
		}
		second, err := w.connectForProof(ctx, settings)
		if err != nil {
			return fmt.Errorf("have a second connection of the pooler: %w", err)
		}
		defer func() { _ = second.Close(ctx) }()
		return compareProcesses(ctx, first, second, process)
	}
}

// prove runs the proof on a new connection, unless another one has passed it.
func (s *Session) prove(ctx context.Context, conn *pgconn.PgConn) error {
	s.proving.Lock()
	defer s.proving.Unlock()
	if s.unproved == nil {
		return nil
	}
	err := s.unproved(ctx, conn)
	if err == nil {
		s.unproved = nil
	}
	return err
}

// compareProcesses asks two connections through a pooler which process of PostgreSQL each has, and fails with ErrShared
// unless each has one to itself. The first one had the given process a moment ago.
//
// What a pooler hands out next is either the process that it was given back last, or the one that has waited for longest.
// The first connection meets the latter at its second question, unless there is no other process; the second connection
// meets the former, or the only one. If another program took it in between, the first connection gets another process or
// waits for one, while the second connection holds its own.
func compareProcesses(ctx context.Context, first, second *pgconn.PgConn, process string) error {
	again, err := askProcess(ctx, first, "")
	if err != nil {
		return err
	}
	if again != process {
		return ErrShared
	}
	held, err := askProcess(ctx, second, "BEGIN;")
	if err != nil {
		return fmt.Errorf("have a second session of the pooler: %w", err)
	}
	// A pooler closes a process that is left in the middle of a transaction.
	defer func() { _ = second.Exec(ctx, "ROLLBACK").Close() }()
	if held == process {
		return ErrShared
	}
	own, cancel := context.WithTimeout(ctx, ownLimit)
	defer cancel()
	again, err = askProcess(own, first, "")
	switch {
	case pgconn.Timeout(err) && ctx.Err() == nil:
		return ErrShared
	case err != nil:
		return err
	case again != process:
		return ErrShared
	}
	return nil
}

// askProcess returns the process of PostgreSQL that answers a connection, after the given statements. It prepares no
// statement.
func askProcess(ctx context.Context, conn *pgconn.PgConn, before string) (string, error) {
	row, err := Ask(ctx, conn, before+"SELECT pg_backend_pid()")
	if err != nil {
		return "", err
	}
	if len(row) != 1 {
		return "", errors.New("the process that answers cannot be read")
	}
	return string(row[0]), nil
}

// Ask sends statements by the simple protocol, and returns the first row of the last one, nil if it has none.
func Ask(ctx context.Context, conn *pgconn.PgConn, statements string) ([][]byte, error) {
	results, err := conn.Exec(ctx, statements).ReadAll()
	if err != nil {
		return nil, err
	}
	if rows := results[len(results)-1].Rows; len(rows) > 0 {
		return rows[0], nil
	}
	return nil, nil
}

// connectForProof makes a connection without settings that cancels no statements, since poolers cannot always pass a
// cancellation on.
func (w *Watch) connectForProof(ctx context.Context, settings *pgx.ConnConfig) (*pgconn.PgConn, error) {
	c := settings.Config.Copy()
	w.Attend(c, func(context.Context, *pgconn.PgConn) (bool, error) { return true, nil })
	return pgconn.ConnectConfig(ctx, c)
}
