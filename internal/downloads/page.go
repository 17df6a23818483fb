package downloads

import (
	"fmt"
	"html/template"
	"strings"
	"sync"
)

// get is the command by which a seller gets the program on a system.
type get struct{ ID, System, Where, Language, Command, Run string }

// gets are the commands for the archives that the folder has: the first one of each system, which is for most of its machines.
func (f *Folder) gets(baseURL string) (commands []get) {
	last := ""
	for _, p := range f.Of(ForSellers) {
		if p.OS == last {
			continue
		}
		last = p.OS
		at := baseURL + Path + "/" + p.Name()
		unix := fmt.Sprintf("curl -fL %s | tar -xzf - %s", at, p.Executable())
		switch p.OS {
		case "windows":
			commands = append(commands, get{
				"windows", "Windows", "PowerShell", "powershell",
				fmt.Sprintf("Invoke-WebRequest %s -OutFile %s.zip; Expand-Archive %[2]s.zip -Force", at, p.Program), `seller\seller.exe`,
			})
		case "darwin":
			commands = append(commands, get{"macos", "a Mac", "the Terminal", "sh", unix, "./seller"})
		case "linux":
			commands = append(commands, get{"linux", "Linux", "a shell", "sh", unix, "./seller"})
		}
	}
	return commands
}

// Lead leads from the migration guide to the page.
const Lead = "The program `" + ForSellers + "` is one file for Windows, macOS or Linux. " +
	"[Downloads](" + Path + ") has it, and for each system the line that gets it."

// Markdown is what the pages of docs say of how to get the program. It is empty for a server without downloads.
func (f *Folder) Markdown(baseURL string) string {
	if f == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The program `%s` is one file, and one line gets it. [Downloads](%s) has it for other machines, too.\n\n",
		ForSellers, Path)
	for _, g := range f.gets(baseURL) {
		fmt.Fprintf(&b, "On %s, in %s; then write `%s` in place of `%s`:\n\n", g.System, g.Where, g.Run, ForSellers)
		fmt.Fprintf(&b, "```%s\n%s\n```\n\n", g.Language, g.Command)
	}
	return b.String()
}

// Page is the page of the folder in HTML: how to get the program, all files with their sizes and sums, and how to check them. It is empty
// for a server without downloads.
func (f *Folder) Page(baseURL string) (string, error) {
	if f == nil {
		return "", nil
	}
	var b strings.Builder
	err := pageTemplate().Execute(&b, map[string]any{
		"Version": f.Version, "Gets": f.gets(baseURL),
		"Sellers": f.Of(ForSellers), "Operators": f.Of(ForOperators), "Base": baseURL + Path, "Sums": SumsFile,
	})
	return b.String(), err
}

// Megabytes is the size for readers.
func (f *File) Megabytes() string { return fmt.Sprintf("%.1f MB", float64(f.Size)/1e6) }

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(`<h1>Downloads</h1>
<p class="lead">The program <code>` + ForSellers + `</code> {{.Version}} is for sellers. It <a href="/docs/scan">finds the old calls</a> in
your programs, <a href="/docs/import">lists a shop from a file</a> and <a href="/docs/export">writes it into one</a>, <a href="/docs/bridge">serves the old interface</a> to programs that
cannot be changed, and <a href="/docs/mcp">gives agents tools</a>. It is one file, and needs no installer and no other program.</p>
<h2 id="get">Get it</h2>
<p>One line fetches the archive and unpacks the program into the folder in which you are.</p>
{{range .Gets}}<h3 id="{{.ID}}">On {{.System}}</h3>
<p>In {{.Where}}; then begin each command with <code>{{.Run}}</code> in place of <code>` + ForSellers + `</code>:</p>
<pre><code class="language-{{.Language}}">{{.Command}}</code></pre>
{{end}}<h2 id="files">All machines</h2>
<p>Each archive has the program, the licence, and <code>NOTICE</code> with the modules that the program is built from. The list of modules
beside it is for programs that look for weak spots (CycloneDX).</p>
{{template "files" .Sellers}}<h2 id="check">Check a file</h2>
<p>The sum below each archive is SHA-256, and <a href="` + Path + `/{{.Sums}}">{{.Sums}}</a> has all of them. The lines above for a Mac and
Linux keep no archive: save it from the table, and in its folder run</p>
<pre><code class="language-sh">curl -fL {{.Base}}/{{.Sums}} | sha256sum --check --ignore-missing</code></pre>
<p>A Mac has <code>shasum -a 256</code> in place of <code>sha256sum</code>. On Windows, compare what this prints with the sum:</p>
<pre><code class="language-powershell">Get-FileHash ` + ForSellers + `.zip</code></pre>
{{with .Operators}}<h2 id="operators">The server</h2>
<p><code>` + ForOperators + `</code> is the service itself, for operators. Sellers do not need it.</p>
{{template "files" .}}{{end}}
{{define "files"}}<table>
<thead><tr><th scope="col">Machine</th><th scope="col">Archive</th></tr></thead>
<tbody>
{{range .}}<tr id="{{.Stem}}"><th scope="row">{{.Machine}}</th>
<td><a href="` + Path + `/{{.File.Name}}">{{.File.Name}}</a>, {{.File.Megabytes}}, <a href="` + Path + `/{{.Bill.Name}}">its modules</a>
<br><code>{{.File.Sum}}</code></td></tr>
{{end}}</tbody>
</table>
{{end}}`))
})
