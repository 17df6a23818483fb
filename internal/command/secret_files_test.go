package command

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// keyed is a program with a command that takes a key.
func keyed(key *string) *Program {
	return &Program{Name: "program", Commands: func() any {
		return &struct {
			Show shown `cmd:"" help:"Show it."`
		}{shown{key: key}}
	}}
}

type shown struct {
	Key string `required:"" env:"SELLERD_KEY" secret:"" help:"The key."`
	key *string
}

// Run keeps the key.
func (s *shown) Run() error { *s.key = s.Key; return nil }

func TestSecretsComeFromFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name, line, value, file, want, wrong string
	}{
		{name: "a line", file: write("line", "hunter2\n"), want: "hunter2"},
		{name: "no end of the line", file: write("open", "hunter2"), want: "hunter2"},
		{name: "a file of Windows", file: write("windows", "\ufeffhunter2\r\n"), want: "hunter2"},
		{name: "the flag has precedence", line: "--key=flag", file: write("other", "hunter2"), want: "flag"},
		{name: "the flag stands before a wrong file", line: "--key flag", file: filepath.Join(folder, "none"), want: "flag"},
		{name: "both variables", value: "hunter1", file: write("both", "hunter2"), wrong: "SELLERD_KEY and SELLERD_KEY_FILE are both set: leave one of them out"},
		{name: "no file", file: filepath.Join(folder, "none"), wrong: "SELLERD_KEY_FILE names FOLDER/none, which does not exist"},
		{name: "a folder", file: folder, wrong: "SELLERD_KEY_FILE names FOLDER, which is a folder"},
		{name: "nothing", file: write("empty", " \n"), wrong: "SELLERD_KEY_FILE names FOLDER/empty, which is empty: it must hold one line, the value"},
		{name: "too much", file: write("large", strings.Repeat("x", 5000)), wrong: "SELLERD_KEY_FILE names FOLDER/large, which has more than 4096 bytes: it must hold " +
			"one line, the value"},
		{name: "two lines", file: write("two", "hunter2\nhunter3\n"), wrong: "SELLERD_KEY_FILE names FOLDER/two, which has other bytes than one line of text: write the " +
			"value into it, bytes in base64"},
		{name: "bytes", file: write("bytes", "\xff\xfe\x01"), wrong: "SELLERD_KEY_FILE names FOLDER/bytes, which has other bytes than one line of text: write the value " +
			"into it, bytes in base64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("SELLERD_KEY", test.value)
			t.Setenv("SELLERD_KEY_FILE", test.file)
			var got string
			program := keyed(&got)
			parser, err := program.Parser(io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			parsed, _, err := parse(parser, append([]string{"show"}, strings.Fields(test.line)...))
			if err == nil {
				err = program.run(parsed, nil)
			}
			wrong := ""
			if err != nil {
				wrong = strings.ReplaceAll(err.Error(), folder, "FOLDER")
			}
			if diff := cmp.Diff([]string{test.want, test.wrong}, []string{got, wrong}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestASecretIsSaidToComeFromItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SELLERD_KEY", "hunter1")
	t.Setenv("SELLERD_KEY_FILE", path)
	var got []string
	for _, value := range []string{"hunter1", "hunter2", "hunter3"} {
		got = append(got, GivenBy("--key", "SELLERD_KEY", value))
	}
	if diff := cmp.Diff([]string{"SELLERD_KEY", "SELLERD_KEY_FILE", "--key"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
