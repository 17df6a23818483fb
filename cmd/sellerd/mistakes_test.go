package main_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
)

// mistake runs a command that must fail, and returns its status and what it says.
func mistake(t *testing.T, folder string, args ...string) (int, string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = folder
	var said strings.Builder
	cmd.Stderr = &said
	var ended *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &ended) {
		t.Fatalf("sellerd %s must fail, and ended with %v", strings.Join(args, " "), err)
	}
	return ended.ExitCode(), said.String()
}

func TestMistakesOnTheCommandLineSayWhatToDo(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"a mistyped command", "srve", "unexpected argument srve, did you mean \"serve\"?\nRun `sellerd --help` for its commands and flags."},
		{"a command without its own", "keys", "expected one of \"create\", \"list\", \"revoke\", \"rotate\"\nRun `sellerd keys --help` for its commands and flags."},
		{"a mistyped flag", "migrate --bd x", "unknown flag --bd, did you mean \"--db\"?\nRun `sellerd migrate --help` for its commands and flags."},
		{"a value outside of the list", "keys create --account 1 --mode prod", "--mode must be one of \"live\",\"test\" but got \"prod\"\nRun `sellerd keys " +
			"create --help` for its commands and flags."},
		{"no number", "serve --rate-limit many", "--rate-limit: expected a valid 64 bit int but got \"many\"\nRun `sellerd serve --help` for its commands and flags."},
		{"a limit below 0", "serve --open-items=-1", "serve: --open-items must be 0 or more, not -1\nRun `sellerd serve --help` for its commands and flags."},
		{"a standby of SQLite", "serve --db sqlite:shop.db --db-read postgres://db-2.example.com/sellerd", "--db-read names a standby, which only PostgreSQL has, but --db names " +
			"the SQLite file shop.db: leave --db-read out"},
		{"a standby without its scheme", "serve --db postgres://127.0.0.1:1/x --db-read sellerd:hunter2@db-2.example.com/sellerd", "--db-read must be " +
			"postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded"},
		{"an address without its scheme", "translate --base-url foo GET", "translate: --base-url must be like https://api.example.com, not \"foo\"\nRun " +
			"`sellerd translate --help` for its commands and flags."},
		{"a flag that is missing", "listen --forward-to http://localhost:3000", "missing flags: --key=KEY (or the variable SELLERD_KEY)\nRun `sellerd listen " +
			"--help` for its commands and flags."},
		{"a key that is missing", "export items", "it needs an API key: set the variable SELLERD_KEY, or give --key"},
		{"a flag without its value", "accounts export anna --to=", "--to must not be empty\nRun `sellerd accounts export --help` for its commands and flags."},
		{"a flag of other programs", "version -v", "unknown flag -v\nRun `sellerd version --help` for its commands and flags."},
		{"an argument that is missing", "keys revoke", "missing argument: <id>\nRun `sellerd keys revoke --help` for its commands and flags."},
		{"help for a command that is not there", "help srve", "unexpected argument srve, did you mean \"serve\"?\nRun `sellerd --help` for its commands and flags."},
		{"a file that is missing", "shipping-models set 5001", "missing argument: <file>\nRun `sellerd shipping-models set --help` for its commands and flags."},
		{"a shell without a script", "completion tcsh", "<shell> must be one of \"bash\",\"zsh\",\"fish\" but got \"tcsh\"\nRun `sellerd completion --help` " +
			"for its commands and flags."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			status, said := mistake(t, t.TempDir(), strings.Fields(test.line)...)
			if diff := cmp.Diff("sellerd: "+test.want+"\n", said); diff != "" || status != 2 {
				t.Errorf("status %d, (-want +got):\n%s", status, diff)
			}
		})
	}
}

// TestQuotationMarksAroundAVariableAreNamed has the variables as docker run --env-file passes them on, and a flag that wins.
func TestQuotationMarksAroundAVariableAreNamed(t *testing.T) {
	for _, test := range []struct{ variable, value, line string }{
		{"SELLERD_DB", `"sqlite:shop.db"`, "migrate"},
		{"SELLERD_DB", `'sqlite:shop.db'`, "serve"},
		{"SELLERD_ADDR", `"127.0.0.1:0"`, "serve"},
		{"SELLERD_OPERATOR_TOKEN", `"0123456789abcdef"`, "serve --db sqlite:typo/shop.db"}, // never serves
		{"SELLERD_KEY", `"dk_test_1"`, "import listings.csv"},
	} {
		t.Run(test.variable, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			status, said := mistake(t, t.TempDir(), strings.Fields(test.line)...)
			want := "sellerd: the quotation marks around the value of " + test.variable + " are part of it: leave them out, for not every program that reads a " +
				"file of variables takes them away\n"
			if diff := cmp.Diff(want, said); diff != "" || status != 2 {
				t.Errorf("status %d, (-want +got):\n%s", status, diff)
			}
		})
	}
	t.Setenv("SELLERD_DB", `"sqlite:shop.db"`)
	must(t, t.TempDir(), "migrate", "--db", "sqlite:other.db")
}

// TestBlanksAroundAVariableAreNoPartOfIt has variables as a file with line ends of Windows leaves them.
func TestBlanksAroundAVariableAreNoPartOfIt(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("SELLERD_DB", " sqlite:shop.db\r")
	t.Setenv("SELLERD_LOG_LEVEL", "\r")
	must(t, folder, "migrate")
	if _, err := os.Stat(filepath.Join(folder, "shop.db")); err != nil {
		t.Error(err)
	}
}

// TestCarriageReturnsOfScriptsAreDropped runs the line of a script that was saved on Windows. With the carriage
// return in its name, nobody would find the database again.
func TestCarriageReturnsOfScriptsAreDropped(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate", "--db", "sqlite:shop.db\r")
	if _, err := os.Stat(filepath.Join(folder, "shop.db")); err != nil {
		t.Error(err)
	}
}

func TestMistakesBesideADatabaseSayWhatToDo(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	for _, file := range [][2]string{
		{"listings.csv", "title,category_id,sale_type,price\nPenny Red,1,fixed_price,2\n"},
		{"empty.csv", ""},
		{"comma.csv", "title,category_id,sale_type,price\nPenny Red, plate 148,1,fixed_price,2\n"},
		{"text.json", "letters"},
		{"object.json", "{}"},
		{"wrong.json", `[{"id":"99","name":"","type":"fixed","zones":[],"prices":1},{"name":"Letter","type":"free","zones":[{"name":"World","rates":[{"delivery_service_id":"901","price":{"amount":"1.00","currency":"EUR"}}]}]}]`},
	} {
		if err := os.WriteFile(filepath.Join(folder, file[0]), []byte(file[1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type mistaken struct{ name, line, want string }
	try := func(wantStatus int, tests []mistaken) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				status, said := mistake(t, folder, strings.Fields(test.line)...)
				if diff := cmp.Diff("sellerd: "+test.want+"\n", said); diff != "" || status != wantStatus {
					t.Errorf("status %d, (-want +got):\n%s", status, diff)
				}
			})
		}
	}
	try(1, []mistaken{
		{"a nickname that another has", "accounts create --nickname anna --email anna@example.com", "the nickname is taken: choose another with --nickname"},
		{"an account that is not there", "keys list --account 99", "there is no account \"99\": `sellerd accounts list` shows the ids"},
		{"a key that is not there", "keys revoke k123", "there is no such key: `sellerd keys list` shows the ids of an account's keys; the whole key will do as well"},
		{"a buyer who is not there", "accounts forget-buyer --buyer 70001", "there is no such buyer: every sale shows the id of its buyer, and `sellerd buyers find` finds it"},
		{"shipping models of no account", "shipping-models list 99", "there is no account \"99\": `sellerd accounts list` shows the ids"},
		{"an account that cannot be shown", "accounts show 99", "there is no account \"99\": `sellerd accounts list` shows the ids"},
		{"an account that cannot be suspended", "accounts suspend 99", "there is no account \"99\": `sellerd accounts list` shows the ids"},
		{"shipping models from a text", "shipping-models set 5001 text.json", "text.json is refused, and nothing has changed:\nThe body is not valid JSON at byte 0: there is text without quotes, " +
			"and JSON wants texts and names in double quotes (\")."},
		{"shipping models in no list", "shipping-models set 5001 object.json", "object.json is refused, and nothing has changed:\nmust be an array"},
		{"shipping models that are wrong", "shipping-models set 5001 wrong.json", "wrong.json is refused, and nothing has changed:\n[0].prices is not a " +
			"member of this object\n[0].id is not a model of the account in this mode; leave it out to create one\n[0].name must not be " +
			"empty\n[0].zones must have at least 1 entry\n[1].zones[0].rates[0].price.amount must be 0.00, since shipping is free"},
		{"another machine's address", "serve --addr 127.0.0.1:0 --operator-addr 192.0.2.1:0", "--operator-addr 192.0.2.1:0 is not an address of this machine"},
		{"an empty file", "import empty.csv --key dk_test_1", "empty.csv: the file is empty: its first row must name the columns, as `sellerd import sample 1` shows"},
		{"a comma too many", "import comma.csv --key dk_test_1", "comma.csv: 1 row has mistakes, and nothing was sent: correct the file, and run the command again"},
		{"a server that does not run", "health --addr 127.0.0.1:1", "no answer from http://127.0.0.1:1/readyz: nothing listens there"},
		{
			"a service that does not run", "conformance --key dk_test_1 --base-url http://127.0.0.1:1",
			"no answer from http://127.0.0.1:1: is the service running, and is --base-url right? (Get \"http://127.0.0.1:1/v1/account\": dial tcp 127.0.0.1:1: " +
				"connect: connection refused)",
		},
		{
			"an import to no service", "import listings.csv --key dk_test_1 --patience 1ms --base-url http://127.0.0.1:1",
			"no answer from http://127.0.0.1:1: is the service running, and is --base-url right? (dial tcp 127.0.0.1:1: connect: connection refused)",
		},
	})
	try(2, []mistaken{
		{
			"shipping models from no file", "shipping-models set 5001 nothing.json --mode test",
			"there is no file nothing.json: `sellerd shipping-models list 5001 --mode test` prints one to begin with",
		},
		{"shipping models from a folder", "shipping-models set 5001 .", ". is a folder: name a JSON file"},
		{
			"a name for listing, without it", "import listings.csv --key dk_test_1 --update --run again",
			"--run, --allow-duplicates and --other-pieces are for listing: with --update nothing is listed",
		},
		{
			"a column of two names", "import listings.csv --key dk_test_1 --column a=title --column A=price",
			`--column names "A" twice, as title and as price: name it once`,
		},
		{
			"a column named alike twice", "import nothing.csv --key dk_test_1 --column a=price --column A=Price",
			"there is no file nothing.csv: `sellerd import sample > listings.csv` writes one to try",
		},
		{"a header before the first row", "import listings.csv --key dk_test_1 --header-row=-1", "--header-row must be 1 or more, not -1"},
		{"a file that is not there", "import nothing.csv --key dk_test_1", "there is no file nothing.csv: `sellerd import sample > listings.csv` writes one to try"},
		{"a folder in place of a file", "import . --key dk_test_1", ". is a folder: name a file in it"},
		{"a token that is too short", "serve --operator-token short", "--operator-token must have at least 16 characters, all of them visible ASCII"},
		{"a buyer by name", "accounts forget-buyer --buyer carl", "--buyer must be an id, a number such as 70001, not \"carl\": `sellerd buyers find` shows it"},
		{"no duration", "keys rotate k123 --overlap soon", `--overlap must be a duration such as 7d or 12h, not "soon"`},
		{"no instant", "keys create --account 1 --mode test --expires soon", `--expires must be an RFC 3339 instant such as 2027-01-31T12:00:00Z, or a duration such as 90d, not "soon"`},
		{
			"no permission", "keys create --account 1 --mode test --permissions items:read,orders:read",
			`--permissions: there is no permission "orders:read": there are items:read, items:write, sales:read, sales:write, bills:read, bills:write, ` +
				`webhooks:read, webhooks:write, account:read, account:write, buyers:read`,
		},
		{"a permission twice", "keys create --account 1 --mode test --permissions items:read --permissions items:read", "--permissions: the permission items:read is there twice"},
		{
			"permissions of a key that only reads", "keys create --account 1 --mode test --read-only --permissions items:write",
			"--read-only and --permissions exclude each other: --read-only is items:read,sales:read,bills:read,webhooks:read,account:read",
		},
		{"a secret that is too short", "serve --secret c2hvcnQ=", "--secret must be 32 bytes in base64: make one with `openssl rand -base64 32`"},
		{"no kind of database", "migrate --db data/sellerd.db", "--db must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, and special characters of " +
			"the password percent-encoded"},
		{
			"a URL that cannot be read", "migrate --db postgres://anna:hunter2@127.0.0.1:port/x",
			"--db must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded",
		},
		{"an address without a port", "serve --addr 8080", `--addr must be HOST:PORT or :PORT, not "8080"`},
		{"an address of nothing", "serve --addr=", `--addr must be HOST:PORT or :PORT, not ""`},
		{
			"an operator's address without its port", "serve --addr 127.0.0.1:0 --operator-addr localhost:",
			`--operator-addr must be HOST:PORT or :PORT, not "localhost:"`,
		},
		{"a health check of nothing", "health --url localhost", `--url must be like http://localhost:8080/readyz, not "localhost"`},
		{"a health check of a port without its colon", "health --addr 8080", `--addr must be HOST:PORT or :PORT, not "8080"`},
		{"a health check of a port that is none", "health --addr :80x", `--addr must be HOST:PORT or :PORT, not ":80x"`},
		{"an address without http", "serve --base-url localhost:8080", `--base-url must be like https://api.example.com, not "localhost:8080"`},
		{
			"an address with a password", "serve --base-url https://anna:hunter2@api.example.com",
			`--base-url must be an address like https://api.example.com, without a user, a ? or a #`,
		},
		{
			"an address with a query", "import listings.csv --key dk_test_1 --base-url https://api.example.com?x=1",
			`--base-url must be an address like https://api.example.com, without a user, a ? or a #`,
		},
		{
			"an address of the interface", "serve --base-url https://api.example.com/v1",
			"--base-url ends in /v1, which the service adds itself: give https://api.example.com",
		},
		{
			"an address of the interface before, below another path", "serve --base-url http://localhost:8080/sellers/rest/",
			"--base-url ends in /rest, which the service adds itself: give http://localhost:8080/sellers",
		},
		{
			"a service by its interface", "import listings.csv --key dk_test_1 --base-url https://api.example.com/v1/",
			"--base-url ends in /v1, which the service adds itself: give https://api.example.com",
		},
		{
			"a certificate that is not there", "migrate --db postgres://anna:hunter2@127.0.0.1:1/shop?sslmode=verify-full&sslrootcert=/none.pem",
			"--db cannot be used: failed to configure TLS (unable to read CA file: open /none.pem: no such file or directory)",
		},
		{
			"a password with an @", "migrate --db postgres://anna:hun@ter2@127.0.0.1:1/shop",
			"--db must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded",
		},
		{
			"a home folder that no shell replaces", "serve --db sqlite:~/sellerd.db",
			"nothing replaces the ~ in --db sqlite:~/sellerd.db: write the path of your home folder out",
		},
		{
			"an address without a host", "serve --base-url https://:443",
			`--base-url must be like https://api.example.com, not "https://:443": one host, a port up to 65535 if it needs one, and blanks percent-encoded`,
		},
		{
			"an address with a port that is none", "translate GET --base-url https://api.example.com:99999",
			"translate: --base-url must be like https://api.example.com, not \"https://api.example.com:99999\": one host, a port up to 65535 if it needs one, and " +
				"blanks percent-encoded\nRun `sellerd translate --help` for its commands and flags.",
		},
		{
			"two addresses", "serve --base-url https://api.example.com,https://b.example.com",
			`--base-url must be like https://api.example.com, not "https://api.example.com,https://b.example.com": one host, a port up to 65535 if it needs one, ` +
				"and blanks percent-encoded",
		},
		{
			"a path with what pages would read", "serve --base-url https://api.example.com/\"><b>",
			`--base-url must be like https://api.example.com, not "https://api.example.com/\"><b>": one host, a port up to 65535 if it needs one, and blanks ` +
				"percent-encoded",
		},
		{
			"a site with a fragment", "serve --site-url https://www.example.com#items",
			`--site-url must be an address like https://api.example.com, without a user, a ? or a #`,
		},
		{
			"a contact that no one can write to", "serve --security-contact security@example.com",
			`--security-contact must be like mailto:security@example.com or https://example.com/security, not "security@example.com"`,
		},
		{
			"a contact over http", "serve --security-contact http://example.com/security",
			`--security-contact must be like mailto:security@example.com or https://example.com/security, not "http://example.com/security"`,
		},
		{
			"a contact without an address", "serve --security-contact mailto:",
			`--security-contact must be like mailto:security@example.com or https://example.com/security, not "mailto:"`,
		},
		{
			"two contacts", "serve --security-contact mailto:a@example.com,b@example.com",
			`--security-contact must be like mailto:security@example.com or https://example.com/security, not "mailto:a@example.com,b@example.com"`,
		},
		{
			"a proxy by its name", "serve --trusted-proxies 10.0.0.5,proxy.example.com",
			`--trusted-proxies: "proxy.example.com" is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24`,
		},
		{"a network that is an address", "serve --trusted-proxies 10.0.0.5/24", `--trusted-proxies: "10.0.0.5/24" is an address within a network: write 10.0.0.5 or 10.0.0.0/24`},
		{"the whole world as a proxy", "serve --trusted-proxies ::/0", `--trusted-proxies: "::/0" would trust every caller, and so let each of them claim any address`},
		{"a service without http", "import listings.csv --key dk_test_1 --base-url localhost:8080", `--base-url must be like https://api.example.com, not "localhost:8080"`},
		{"a replay without http", "conformance --key dk_test_1 --base-url localhost:8080", `--base-url must be like https://api.example.com, not "localhost:8080"`},
		{"a receiver without http", "listen --key dk_test_1 --forward-to localhost:3000", `--forward-to must be like http://localhost:3000/hook, not "localhost:3000"`},
		{"a service with a port beyond all", "import listings.csv --key dk_test_1 --base-url http://localhost:80800", `--base-url must be like https://api.example.com, not "http://localhost:80800": one host, a port up to 65535 if it needs one, and blanks percent-encoded`},
		{"a receiver with a port beyond all", "listen --key dk_test_1 --forward-to http://localhost:80800", `--forward-to must be like http://localhost:3000/hook, not "http://localhost:80800"`},
		{"no event", "listen --key dk_test_1 --forward-to http://localhost:1 --events=,", "--events must name an event such as item.sold, item.* or *"},
		{
			"a report in a folder that is not there", "import listings.csv --key dk_test_1 --report nowhere/report.csv",
			"--report nowhere/report.csv cannot be written: nowhere: no such file or directory",
		},
		{"a notation that is none", "import listings.csv --key dk_test_1 --decimal dot", `--decimal must be comma or point, not "dot"`},
		{"a report that is a folder", "import listings.csv --key dk_test_1 --report .", "--report names the folder .: name a file in it"},
		{"a folder in place of a database", "migrate --db sqlite:.", "--db names the folder .: name a file in it, such as sqlite:sellerd.db"},
		{"an operator's name that is none", "operators create --role read --name anna:admin", "--name: an operator's name has 1 to 100 letters, digits and . _ - + @, and is " +
			"neither token nor system"},
		{"no rows", "import sample 0", "the number of rows must be at least 1, not 0"},
		{"a nickname and an address that are none", "accounts create --nickname a --email x", "--nickname must have at least 3 characters\n--email must be an email address"},
	})
}

// TestTheSameKindOfMistakeHasTheSameStatus makes each kind of mistake with every command that can make it, on the same database.
func TestTheSameKindOfMistakeHasTheSameStatus(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	const (
		account  = "--account 99"
		nowhere  = "--base-url http://127.0.0.1:1"
		key      = "--key dk_test_1"
		postgres = "--db postgres://anna:hunter2@127.0.0.1:1/shop"
		secret   = "--secret AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	)
	if err := os.WriteFile(filepath.Join(folder, "one.csv"), []byte("title,category_id,sale_type,price\nPenny Red,1,fixed_price,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "models.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		name   string
		status int
		lines  []string
	}{
		{"an unknown flag", 2, []string{
			"serve --x", "migrate --x", "copy --x", "secret replace --x", "health --x", "accounts list --x", "keys list --x", "shipping-models list 1 --x", "legacy report --x",
			"legacy letters --x", "import one.csv --x", "export items --x", "listen --x", "bridge --x", "scan --x", "translate --x", "conformance --x", "completion bash --x", "version --x",
		}},
		{"a flag or an argument that is missing", 2, []string{
			"accounts create", "accounts show", "accounts suspend", "accounts resume", "accounts forget-buyer", "keys create", "keys list", "keys revoke", "keys rotate",
			"shipping-models list", "shipping-models set 1", "import", "export", "export bills", "listen", "bridge", "scan", "completion", "copy", "conformance",
		}},
		{"an empty value", 2, []string{ // '' stands for it
			"backup ''", "accounts show ''", "accounts close ''", "accounts export 1 --to ''", "accounts create --nickname '' --email a@example.com", "operators create --name '' --role read",
			"operators revoke ''", "keys create --account '' --mode test", "keys revoke ''", "buyers find ''", "shipping-models set 1 ''", "import '' " + key, "copy --from '' --to sqlite:y.db",
		}},
		{"a value of another form", 2, []string{
			"serve --addr x", "serve --base-url x", "serve --secret x", "serve --operator-token x", "serve --trusted-proxies x", "serve --log-level x", "serve --open-items=-1",
			"health --url x", "accounts list --status x", "accounts forget-buyer --buyer x",
			"keys rotate k --overlap x", "legacy report --state x", "legacy letters --state x", "legacy letters --format x",
			"legacy letters --since x", "legacy letters --since 2999-01-01", "legacy letters --from x", "legacy letters --base-url x", "import one.csv " + key + " --base-url x", "listen " + key + " --forward-to x",
			"bridge --to x", "translate --base-url x GET", "conformance " + key + " --base-url x", "completion x", "mcp --key x",
			"export sales " + key + " --from x", "export sales " + key + " --format x", "export items " + key + " --status x",
			"import one.csv " + key + " --separator ;;", "import one.csv " + key + " --encoding x", "import one.csv " + key + " --column x",
			"import one.csv " + key + " --decimal x",
			"import one.csv --key a-key", "listen --key a-key --forward-to http://127.0.0.1:1", "conformance --key x", "keys rotate k --overlap 100d",
		}},
		{"a URL of no kind of database", 2, []string{
			"serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0 --db x", "migrate --db x", "copy --from x --to sqlite:y.db", "secret replace --db x", "accounts list --db x", "keys list --account 1 --db x",
			"shipping-models list 1 --db x", "legacy report --db x", "legacy letters --db x", "serve --db postgres://127.0.0.1:1/x --db-read x " + secret,
		}},
		{"a file that is not there", 2, []string{
			"import nothing.csv " + key, "shipping-models set 1 nothing.json", "scan nothing", "import one.csv " + key + " --report nothing/report.csv",
			"bridge --to http://127.0.0.1:1 --keys nothing", "legacy letters --out nothing/letters", "legacy letters --written nothing/letters.json",
		}},
		{"a folder in place of a file", 2, []string{
			"legacy letters --written .", "import . " + key, "shipping-models set 1 .", "import one.csv " + key + " --report .", "migrate --db sqlite:.", "accounts list --db sqlite:.", "serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0 --db sqlite:.",
		}},
		{"a database that is not there", 1, []string{
			"accounts list --db sqlite:no.db", "accounts show 1 --db sqlite:no.db", "keys list --account 1 --db sqlite:no.db", "shipping-models list 1 --db sqlite:no.db",
			"legacy report --db sqlite:no.db", "legacy letters --db sqlite:no.db", "secret replace --db sqlite:no.db", "copy --from sqlite:no.db --to sqlite:y.db",
		}},
		{"a database that does not answer", 1, []string{
			"serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0 " + secret + " " + postgres, "migrate " + postgres, "accounts list " + postgres,
			"keys list --account 1 " + postgres, "shipping-models list 1 " + postgres, "legacy report " + postgres, "legacy letters " + postgres, "secret replace " + secret + " " + postgres,
			"copy --from sqlite:data/sellerd.db --to postgres://anna:hunter2@127.0.0.1:1/shop",
		}},
		{"an object that is not there", 1, []string{
			"accounts show 99", "accounts suspend 99", "accounts resume 99", "accounts forget-buyer --buyer 99", "keys create --mode test " + account, "keys list " + account,
			"keys revoke abcdefghijkl", "keys rotate abcdefghijkl", "shipping-models list 99", "shipping-models set 99 models.json",
		}},
		{"a service that does not answer", 1, []string{
			"health --addr 127.0.0.1:1", "import one.csv --patience 1ms " + key + " " + nowhere, "listen --forward-to http://127.0.0.1:1 " + key + " " + nowhere,
			"conformance " + key + " " + nowhere,
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			for _, line := range kind.lines {
				args := strings.Fields(line)
				for i := range args {
					args[i] = strings.Trim(args[i], "'")
				}
				if status, said := mistake(t, folder, args...); status != kind.status || strings.TrimSpace(said) == "" {
					t.Errorf("sellerd %s ends with %d and not %d, and says %q", line, status, kind.status, said)
				}
			}
		})
	}
}

func TestADatabaseThatCannotBeOpenedSaysWhatToDo(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("notes.txt", strings.Repeat("This is no database. ", 100))
	write("empty.db", "")
	foreign, err := sql.Open("sqlite3", "file:"+filepath.Join(folder, "cookies.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.ExecContext(t.Context(), "CREATE TABLE cookies (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := foreign.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, folder, "migrate", "--db", "sqlite:one.db")
	whole, err := os.ReadFile(filepath.Join(folder, "one.db"))
	if err != nil {
		t.Fatal(err)
	}
	write("cut.db", string(whole[:2*4096]))
	const (
		damaged    = "cut.db is damaged: stop the server, and restore a backup as docs/operator/backup.md says (database disk image is malformed)"
		orMistyped = ": start the server once or run `sellerd migrate`, or is --db mistyped?"
		noFolder   = ": make it first, or is --db mistyped?"
	)
	for _, test := range []struct{ name, line, want string }{
		{"nothing there", "keys list --account 1", "there is no database at ./data/sellerd.db" + orMistyped},
		{"a mistyped path", "accounts create --nickname anna --email a@example.com --db sqlite:typo/sellerd.db", "there is no database at typo/sellerd.db" + orMistyped},
		{"an empty file", "keys list --account 1 --db sqlite:empty.db", "there is no database at empty.db" + orMistyped},
		{"a file of something else", "migrate --db sqlite:notes.txt", "notes.txt is no SQLite database: is --db mistyped?"},
		{"another program's database", "serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0 --db sqlite:cookies.db", "cookies.db is the database of another program: name a file of its " +
			"own with --db (there are tables of another program, such as cookies)"},
		{"another program's database for a command", "accounts list --db sqlite:cookies.db", "cookies.db is the database of another program: " +
			"name a file of its own with --db (there are tables of another program, such as cookies)"},
		{"a file in place of a folder", "migrate --db sqlite:notes.txt/sellerd.db", "there is no folder notes.txt" + noFolder},
		{"a server's mistyped path", "serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0 --db sqlite:typo/x/sellerd.db", "there is no folder typo/x" + noFolder},
		{"a copy's mistyped path", "copy --from sqlite:one.db --to sqlite:typo/sellerd.db", "there is no folder typo: make it first, or is --to mistyped?"},
		{"a damaged file", "serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0 --db sqlite:cut.db", damaged},
		{"a damaged file for a command", "accounts list --db sqlite:cut.db", damaged},
		{"a damaged file for a backup", "backup --db sqlite:cut.db copy", damaged},
		{"a file with two names", "migrate --db sqlite:one.db", "one.db has another name, too (a hard link): two programs that use different names of a SQLite file " +
			"destroy it. Remove the other names, which `find / -samefile one.db` shows, or name a copy of the file with --db"},
		{"no PostgreSQL", "migrate --db postgres://anna:hunter2@127.0.0.1:1/shop", "no PostgreSQL answers at 127.0.0.1:1: does it run, and is --db right? " +
			"(connection refused)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.Contains(test.name, "two names") {
				if err := os.Link(filepath.Join(folder, "one.db"), filepath.Join(folder, "two.db")); err != nil {
					t.Fatal(err)
				}
			}
			status, said := mistake(t, folder, strings.Fields(test.line)...)
			if diff := cmp.Diff("sellerd: "+test.want+"\n", said); diff != "" || status != 1 {
				t.Errorf("status %d, (-want +got):\n%s", status, diff)
			}
		})
	}
	for _, name := range []string{"data", "typo"} { // nor a secret, nor an operator's token
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("a command that found no database left the folder %s", name)
		}
	}
}

func TestASecondServerSaysWhatIsInItsWay(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	t.Run("the same file", func(t *testing.T) {
		_, said := mistake(t, folder, "serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0")
		want := fmt.Sprintf("sellerd: another server is running on ./data/sellerd.db: stop it first, or name another file with --db; several servers share "+
			"a PostgreSQL (sellerd.db.server is locked by process %d)\n", server.cmd.Process.Pid)
		if diff := cmp.Diff(want, said); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("the same port", func(t *testing.T) {
		taken := strings.TrimPrefix(server.url, "http://")
		_, said := mistake(t, t.TempDir(), "serve", "--addr", taken, "--operator-addr", "127.0.0.1:0")
		if diff := cmp.Diff("sellerd: --addr "+taken+" is taken by another program: end that one, or choose another address with --addr\n", said); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("one port for both addresses", func(t *testing.T) {
		port := strconv.Itoa(pgtest.FreePort(t))
		address := "127.0.0.1:" + port
		for _, operator := range []string{address, ":" + port, "0.0.0.0:" + port, "localhost:" + port} {
			_, said := mistake(t, t.TempDir(), "serve", "--addr", address, "--operator-addr", operator)
			if diff := cmp.Diff("sellerd: --operator-addr "+operator+" is taken by --addr: give each its own port\n", said); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
	server.end(t)
}

func TestAPostgreSQLThatRefusesSaysWhatToDo(t *testing.T) {
	url := pgtest.URL(t, nil)
	folder := t.TempDir()
	at := strings.SplitN(strings.SplitN(url, "@", 2)[1], "/", 2)
	login := strings.TrimPrefix(strings.SplitN(url, "@", 2)[0], "postgres://")
	user, password, _ := strings.Cut(login, ":")
	server, name := at[0], strings.SplitN(at[1], "?", 2)[0]
	if _, _, err := net.SplitHostPort(server); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, url, want string }{
		{"no tables", url, "the database " + name + " at " + server + " has no tables of sellerd: start the server once or run `sellerd migrate`, or is --db mistyped?"},
		{"no such database", strings.Replace(url, "/"+name, "/typo", 1), "PostgreSQL at " + server +
			" has no database typo: make it with `createdb typo`, or is --db mistyped?"},
		{"a wrong password", strings.Replace(url, login, user+":hunter2", 1), "PostgreSQL at " + server + " refuses the user " + user +
			": check the name and the password in --db"},
		{"a parameter of another program, after a try with TLS", strings.ReplaceAll(url, "sslmode=disable", "schema=public"), "PostgreSQL at " + server +
			", or the pooler before it, does not take a parameter in --db: leave it out, or let the pooler ignore it (FATAL: unrecognized configuration " +
			"parameter \"schema\" (SQLSTATE 42704))"},
		{"no TLS", strings.ReplaceAll(url, "sslmode=disable", "sslmode=require"), "PostgreSQL at " + server +
			" has no TLS, which sslmode in --db asks for: let it have a certificate, or change sslmode"},
		{"a machine that accepts no changes, after a try with TLS", strings.ReplaceAll(url, "sslmode=disable",
			"default_transaction_read_only=on&target_session_attrs=read-write"), "PostgreSQL at " + server +
			" accepts no changes: is a standby about to be promoted, or does --db name the wrong machine?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, said := mistake(t, folder, "keys", "list", "--account", "1", "--db", test.url)
			if diff := cmp.Diff("sellerd: "+test.want+"\n", said); diff != "" || status != 1 {
				t.Errorf("status %d, (-want +got):\n%s", status, diff)
			}
			if strings.Contains(said, "hunter2") || password != "" && strings.Contains(said, password) {
				t.Error("it shows the password")
			}
		})
	}
}
