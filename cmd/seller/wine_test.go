//go:build wine

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// These tests run the program for Windows under Wine and compare it with that of this machine: `make windows`. What Wine cannot show is in
// docs/developer/engineering.md.

// machine is one with Windows, and this one.
type machine struct {
	folder string // where programs run
	native string // the program of this machine
	env    []string
}

// newMachine makes one with Windows. Wine 8 has no bcryptprimitives.dll, without which no program of Go begins: a library of that name passes its one
// function on.
func newMachine(t *testing.T) *machine {
	t.Helper()
	w := &machine{folder: filepath.Join(t.TempDir(), "Anna Müllers Laden")}
	if err := os.Mkdir(w.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	prefix := filepath.Join(t.TempDir(), "wine")
	w.env = append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "LC_ALL=C.UTF-8", "SHELL=", "SELLERD_KEY="+key, "HOME="+t.TempDir())
	w.native = build(t)
	if err := os.Rename(w.native, filepath.Join(filepath.Dir(w.native), "seller")); err != nil {
		t.Fatal(err)
	}
	w.native = filepath.Join(filepath.Dir(w.native), "seller")
	w.build(t, "seller.exe", ".")
	w.must(t, exec.Command("wineboot", "--init"))
	t.Cleanup(func() {
		ended := exec.Command("wineserver", "-k")
		ended.Env = w.env
		_ = ended.Run() // fails if nothing runs any more
	})
	library := t.TempDir()
	for name, text := range map[string]string{
		"prng.def": "LIBRARY bcryptprimitives.dll\nEXPORTS\nProcessPrng = advapi32.SystemFunction036\n",
		"prng.s":   ".globl DllMain\nDllMain: mov $1, %eax\nret\n",
	} {
		if err := os.WriteFile(filepath.Join(library, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.must(t, exec.Command("sh", "-euc", `cd "$0"
x86_64-w64-mingw32-as -o prng.o prng.s
x86_64-w64-mingw32-ld -shared -e DllMain -o "$1/drive_c/windows/system32/bcryptprimitives.dll" prng.o prng.def`, library, prefix))
	return w
}

func (w *machine) build(t *testing.T, name, source string) {
	t.Helper()
	made := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(w.folder, name), source)
	made.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64")
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

func (w *machine) must(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// said is what a program printed, and how it ended.
type said struct {
	Out, Err string
	Status   int
}

// run runs a program of Windows or of this machine in the folder.
func (w *machine) run(t *testing.T, arguments ...string) said {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.folder, w.env, &out, &complaint
	_ = cmd.Run()
	return said{out.String(), complaint.String(), cmd.ProcessState.ExitCode()}
}

// TestWine runs the commands that need no service, and the bridge.
func TestWine(t *testing.T) {
	w := newMachine(t)
	t.Run("click", w.explains)
	t.Run("scan", w.scans)
	t.Run("mistakes", w.complains)
	t.Run("translate", w.translates)
	t.Run("import", w.imports)
	t.Run("bridge", w.bridges)
}

// explains starts the program as a click does, alone in its console, and presses Enter when it has said what to do.
func (w *machine) explains(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	// SHELL is script's own. A terminal that is not raw makes a line feed of the key, which is not Enter in a console.
	cmd := exec.CommandContext(ctx, "script", "-qec", "stty raw; env SHELL= wine seller.exe", "/dev/null")
	cmd.Dir, cmd.Env = w.folder, append(w.env, "SHELL=/bin/sh")
	keyboard, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	screen, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var shown []byte
	for part := make([]byte, 4096); !bytes.Contains(shown, []byte("Press Enter")); {
		n, err := screen.Read(part)
		if shown = append(shown, part[:n]...); err != nil {
			t.Fatalf("%v: %q", err, shown)
		}
	}
	for _, want := range []string{"Anna Müllers Laden\\'", `.\seller.exe --help`} {
		if !bytes.Contains(shown, []byte(want)) {
			t.Errorf("%s is not in %q", want, shown)
		}
	}
	_, _ = io.WriteString(keyboard, "\r")
	_, _ = io.Copy(io.Discard, screen)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// scans finds in the corpus, in a folder with a blank and an umlaut, what this machine finds.
func (w *machine) scans(t *testing.T) {
	if err := os.CopyFS(filepath.Join(w.folder, "alte Läden"), os.DirFS("../../translate/scan/testdata/corpus")); err != nil {
		t.Fatal(err)
	}
	want := w.run(t, w.native, "scan", "--format", "json", "alte Läden", "alte Läden/sh/*.sh")
	if want.Status != 0 || strings.Count(want.Out, `"call"`) < 100 {
		t.Fatalf("%d %s\n%.500s", want.Status, want.Err, want.Out)
	}
	for _, paths := range [][]string{
		{`alte Läden\`, `alte Läden\sh\*.sh`}, {`.\alte Läden"`}, {"alte Läden/"},
	} {
		got := w.run(t, append([]string{"wine", "seller.exe", "scan", "--format", "json"}, paths...)...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-this machine +Windows):\n%.3000s", paths, diff)
		}
	}
}

func (w *machine) complains(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"scan", `C:\no such folder`}, "seller: C:\\no such folder: File not found.\n"}, // Windows itself says it otherwise
		{[]string{"import", `missing file.csv`}, "seller: there is no file missing file.csv: `seller import sample > listings.csv` writes one to try\n"},
		{[]string{"import", "."}, "seller: . is a folder: name a file in it\n"},
	} {
		got := w.run(t, append([]string{"wine", "seller.exe"}, test.arguments...)...)
		if diff := cmp.Diff(said{Err: test.want, Status: 2}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.arguments, diff)
		}
	}
	if got := w.run(t, "wine", "seller.exe", "import", "--help"); !strings.Contains(got.Out, "    $env:SELLERD_KEY = 'dk_test_…'; seller import listings.csv\n") {
		t.Errorf("the help is not for PowerShell:\n%s", got.Out)
	}
}

// translates has the command prompt read what is printed for it, and compares what curl gets there with what it gets here.
func (w *machine) translates(t *testing.T) {
	source := filepath.Join(t.TempDir(), "curl.go")
	const program = `package main

import (
	"encoding/json"
	"os"
)

func main() { _ = json.NewEncoder(os.Stdout).Encode(os.Args[1:]) }
`
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	w.build(t, "curl.exe", source)
	made := exec.Command("go", "build", "-o", filepath.Join(w.folder, "curl"), source)
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	request := `curl -X PUT "https://rest.delcampe.net/item/4711" -d 'title=5%25 %26 "more" 50^ (Gr%C3%BC%C3%9Fe)!' -d fixed_price=4.5 -d currency=EUR`
	var got [2][]string
	for i, shell := range []string{"cmd", "sh"} {
		printed := w.run(t, "wine", "seller.exe", "translate", "--base-url", "https://api.example.com", "--shell", shell, request)
		if printed.Status != 0 {
			t.Fatalf("%+v", printed)
		}
		var read said
		if shell == "cmd" { // Wine 8 does not put lines together that are typed
			batch := "@echo off\nset KEY=k\n" + strings.ReplaceAll(printed.Out, "^%", "%%")
			if err := os.WriteFile(filepath.Join(w.folder, "x.bat"), []byte(strings.ReplaceAll(batch, "\n", "\r\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			read = w.run(t, "wine", "cmd", "/c", "x.bat")
		} else {
			read = w.run(t, "sh", "-euc", "PATH=.:$PATH KEY=k; export KEY\n"+printed.Out)
		}
		if err := json.NewDecoder(strings.NewReader(read.Out)).Decode(&got[i]); err != nil {
			t.Fatalf("%s: %v\n%s\n%+v", shell, err, printed.Out, read)
		}
		for n, argument := range got[i] { // the same JSON
			var value any
			if json.Unmarshal([]byte(argument), &value) == nil {
				text, _ := json.Marshal(value)
				got[i][n] = string(text)
			}
		}
	}
	if diff := cmp.Diff(got[1], got[0]); diff != "" {
		t.Errorf("the arguments of curl (-sh +cmd):\n%s", diff)
	}
}

// imports reads a file that Excel has written, whose mistake is found before anything is sent.
func (w *machine) imports(t *testing.T) {
	file := "Referenz;Title;Category ID;Sale type;Price;Currency\r\n" +
		"A-1;Gr\xfc\xdfe aus K\xf6ln;1010101;fixed_price;4,50;EUR\r\nA-2;Br\xfcgge;1010101;fixed_price;-;EUR\r\n"
	folder := filepath.Join(w.folder, "alte Listen")
	err := os.Mkdir(folder, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "Meine Liste.csv"), []byte(file), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	arguments := func(separator string, program ...string) []string {
		in := "alte Listen" + separator
		return append(program, "import", "--column", "Referenz=reference", "--report", in+"report of "+filepath.Base(program[0])+".json", in+"Meine Liste.csv")
	}
	want, got := w.run(t, arguments("/", w.native)...), w.run(t, arguments(`\`, "wine", "seller.exe")...)
	want.Out, want.Err = strings.ReplaceAll(want.Out, "Listen/", `Listen\`), strings.ReplaceAll(want.Err, "Listen/", `Listen\`)
	if diff := cmp.Diff(want, got); diff != "" || want.Status != 1 {
		t.Errorf("ends with %d (-this machine +Windows):\n%s", want.Status, diff)
	}
	var reports [2]any
	for i, name := range []string{"seller", "wine"} {
		text, err := os.ReadFile(filepath.Join(folder, "report of "+name+".json"))
		if err == nil {
			err = json.Unmarshal(text, &reports[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
		t.Errorf("the report (-this machine +Windows):\n%s", diff)
	}
}

// bridges starts the bridge twice, logs in at the first, and calls the second with that session.
func (w *machine) bridges(t *testing.T) {
	api := service(t, nil)
	keys := "\xff\xfe" // as PowerShell writes it
	for _, b := range []byte(old + " " + key + "\r\n") {
		keys += string([]byte{b, 0})
	}
	if err := os.WriteFile(filepath.Join(w.folder, "my keys.txt"), []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	token := ""
	for range 2 {
		cmd := exec.Command("wine", "seller.exe", "bridge", "--to", api.URL, "--addr", "127.0.0.1:0", "--state", `my state\bridge`, "--keys", `my keys.txt`)
		cmd.Dir, cmd.Env = w.folder, w.env
		log, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var line struct{ Msg, Addr string }
		for lines := json.NewDecoder(log); line.Msg != "serving"; {
			if err := lines.Decode(&line); err != nil {
				t.Fatal(err)
			}
		}
		if token == "" {
			response, err := http.Post(line.Addr+"/rest/seller", "application/x-www-form-urlencoded", strings.NewReader("apikey="+old))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if token = between(string(body), "<token>", "</token>"); token == "" {
				t.Fatalf("no token: %s", body)
			}
		} else {
			response, err := http.Get(line.Addr + "/rest/seller?token=" + token)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if !strings.Contains(string(body), "anna") {
				t.Errorf("with the session of before: %s", body)
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
