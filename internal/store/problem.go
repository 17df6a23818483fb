package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sellerd/internal/store/connect"
	"sellerd/internal/store/migrations"
	"sellerd/internal/store/sqlite3"
)

// Problem is a reason why a database could not be opened that a person can correct.
type Problem int

// The problems of Open, to be found with errors.As as an OpenError.
const (
	// ProblemURL: the URL names no kind of database, or cannot be read.
	ProblemURL Problem = iota + 1
	// ProblemMissing: with Config.Existing, there is no file, or no tables of this program.
	ProblemMissing
	// ProblemServed: another server is running on the SQLite file.
	ProblemServed
	// ProblemLocked: another program held the lock of the SQLite file for more than 5 seconds.
	ProblemLocked
	// ProblemForeign: the file is not a database of SQLite.
	ProblemForeign
	// ProblemFiles: the operating system refuses the file or its folder.
	ProblemFiles
	// ProblemUnreachable: no PostgreSQL answers.
	ProblemUnreachable
	// ProblemLogin: PostgreSQL refuses the user or the password.
	ProblemLogin
	// ProblemNoDatabase: PostgreSQL has no database of that name.
	ProblemNoDatabase
	// ProblemPooled: the tables must be made or changed, and the pooler in between gives each transaction another session.
	ProblemPooled
	// ProblemShared: the pooler in between gives each transaction another session, and the URL does not say so.
	ProblemShared
	// ProblemParameter: PostgreSQL, or a pooler in front of it, does not accept a parameter of the URL.
	ProblemParameter
	// ProblemUnfinished: the database is an unfinished copy, and rows are missing in it.
	ProblemUnfinished
	// ProblemOlder: the schema is older than the program's, and must not be changed now.
	ProblemOlder
	// ProblemNewer: the schema is newer than the program's.
	ProblemNewer
	// ProblemFolder: the folder of the SQLite file is not there.
	ProblemFolder
	// ProblemLinked: the SQLite file has several names.
	ProblemLinked
	// ProblemBuild: the program was built without SQLite.
	ProblemBuild
	// ProblemTables: the SQLite file has tables of another program, and none of this one.
	ProblemTables
	// ProblemSetting: a parameter of the URL, or a file that it names, cannot be used. Its error says why, without the URL.
	ProblemSetting
	// ProblemRights: the user of PostgreSQL lacks a right, mostly because it is not the database's owner.
	ProblemRights
	// ProblemReadOnly: PostgreSQL takes no changes from this user.
	ProblemReadOnly
	// ProblemRefused: PostgreSQL answers and refuses the connection, for example because it has too many.
	ProblemRefused
	// ProblemEncoding: a new database of PostgreSQL would store texts in another encoding than UTF-8.
	ProblemEncoding
)

// OpenError is an error of Open with its problem. The database's own error stays inside; neither holds a password.
type OpenError struct {
	Problem Problem
	Err     error

	// Server, Name and User say which database of PostgreSQL it is about: host and port, the database, who logs in.
	Server, Name, User string
}

// Error implements error.
func (e *OpenError) Error() string { return e.Err.Error() }

// Unwrap gives the database's own error.
func (e *OpenError) Unwrap() error { return e.Err }

// found is a problem that this package has found itself.
func found(p Problem, text string) *OpenError { return &OpenError{Problem: p, Err: errors.New(text)} }

var (
	errMissing  = found(ProblemMissing, "there is no database")
	errForeign  = found(ProblemForeign, "the file is not a database of SQLite")
	errTables   = found(ProblemTables, "there are tables of another program")
	errCopying  = found(ProblemUnfinished, "the database is an unfinished copy")
	errNoFolder = found(ProblemFolder, "there is no such folder")
	errLinked   = found(ProblemLinked, "the file has several names (hard links)")
	errEncoding = found(ProblemEncoding, "the database does not store texts in UTF-8")
	errLocked   = found(ProblemServed, "locked") // by another process
)

// sqliteProblem names the problem of an error, if it has a name.
func sqliteProblem(err error) error {
	problem := Problem(0)
	code := sqlite3.CodeOf(err)
	var (
		known *OpenError
		files *fs.PathError
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlite3.ErrNoSQLite):
		problem = ProblemBuild
	case errors.As(err, &known):
		problem = known.Problem
	case code == sqlite3.Busy, code == sqlite3.Locked:
		problem = ProblemLocked
	case code == sqlite3.NotADB:
		problem = ProblemForeign
	case code == sqlite3.Readonly, code == sqlite3.CantOpen, code == sqlite3.Perm, errors.As(err, &files):
		problem = ProblemFiles
	default:
		return err
	}
	return &OpenError{Problem: problem, Err: err}
}

// readURL reads the URL of a PostgreSQL, and sets what it leaves open. Its error has no password, also where an @ in it is not encoded and
// the rest of it would be taken for the beginning of the host.
func readURL(given string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(given)
	if err == nil && strings.LastIndex(config.ConnConfig.Host, "@") <= 0 {
		config.ConnConfig.RuntimeParams["client_encoding"] = "UTF8" // the program writes and reads nothing else, whatever the URL or the role says
		config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, 5*time.Second)
		return config, nil
	}
	problem := &OpenError{Problem: ProblemURL, Err: errors.New("store: the URL of the database cannot be read")}
	if u, unread := url.Parse(given); unread == nil && err != nil {
		password, _ := u.User.Password()
		_, reason, _ := strings.Cut(err.Error(), "`: ")
		if password == "" || !strings.Contains(reason, password) {
			problem.Problem, problem.Err = ProblemSetting, errors.New(reason)
		}
	}
	return nil, problem
}

// postgresProblem is the same for PostgreSQL.
func postgresProblem(err error, settings *pgconn.Config) error {
	problem := Problem(0)
	var (
		known   *OpenError
		answer  *pgconn.PgError
		refused *pgconn.ConnectError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		problem = known.Problem
	case errors.Is(err, migrations.ErrPooled):
		problem = ProblemPooled
	case errors.Is(err, connect.ErrShared):
		problem = ProblemShared
	case errors.As(err, &answer) && (answer.Code == "28000" || answer.Code == "28P01"):
		problem = ProblemLogin
	case errors.As(err, &answer) && answer.Code == "3D000":
		problem = ProblemNoDatabase
	case errors.As(err, &answer) && errors.As(err, &refused) && aboutParameter[answer.Code]:
		problem, err = ProblemParameter, fmt.Errorf("store: %w", answer) // without what a try with TLS before it had met
	case Denied(err) != "":
		problem = ProblemRights
	case errors.As(err, &answer) && errors.As(err, &refused):
		problem, err = ProblemRefused, fmt.Errorf("store: %w", answer)
	case errors.As(err, &answer) && answer.Code == "25006":
		problem = ProblemReadOnly
	case errors.As(err, &answer):
		return err
	case errors.As(err, &refused), errors.Is(err, syscall.ECONNREFUSED):
		problem = ProblemUnreachable
	default:
		return err
	}
	return &OpenError{
		Problem: problem, Err: err, Name: settings.Database, User: settings.User,
		Server: net.JoinHostPort(settings.Host, strconv.Itoa(int(settings.Port))),
	}
}

// aboutParameter lists the codes with which a connection is refused for a parameter.
var aboutParameter = map[string]bool{
	"08P01": true, // protocol_violation: a pooler does not know it
	"55P02": true, // cant_change_runtime_param: ssl=false, for example
	"22023": true, // invalid_parameter_value
	"42704": true, // undefined_object: PostgreSQL does not know it
}

// findFile fails with errMissing unless there is a file that is not empty, so that a mistyped path makes no database.
func findFile(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return errMissing
	}
	return err
}

// checkForeign fails with errForeign if there is something that is not a database, such as a text or a device. It looks before lock files
// are made beside it. An empty file is a database, and folders and what cannot be read are reported by those who open it.
func checkForeign(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil //nolint:nilerr // who opens it reports it
	}
	if !info.Mode().IsRegular() {
		return errForeign
	}
	f, err := os.Open(path)
	if err != nil {
		return nil //nolint:nilerr // who opens it reports it
	}
	const magic = "SQLite format 3\x00"
	begin := make([]byte, len(magic))
	var foreign error
	if n, _ := io.ReadFull(f, begin); n > 0 && string(begin) != magic { // a file that cannot be read is not judged here
		foreign = errForeign
	}
	return errors.Join(foreign, f.Close())
}
