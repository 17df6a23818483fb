package operatorpages

import (
	"html/template"
	"math"
	"strconv"
	"sync"
	"time"

	"sellerd/v1"
)

// This file is the HTML of the pages. They have the stylesheet of the public pages. Names and addresses are what sellers wrote:
// html/template escapes them, and none becomes a link.

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"time": func(t v1.Time) template.HTML {
			return template.HTML(`<time datetime="` + t.String() + `">` + t.Std().Format("2 Jan 2006, 15:04:05") + `</time>`)
		},
		"duration": func(d time.Duration) string { return d.Round(time.Second).String() },
		"account":  func(id v1.ID) string { return accounts + "/" + id.String() },
		"percent":  func(share float64) string { return strconv.Itoa(int(math.Round(share*100))) + " %" },
		"states":   func() []string { return []string{"active", "silent", "done"} },
		"search":   func() accountList { return accountList{} },
		"accounts": func() string { return accounts },
		"current":  current,
		"legacy":   func() string { return legacy },
	}).Parse(`
{{define "page"}}<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} – sellerd operator</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a href="/operator/">sellerd operator</a>
<button type="button" class="quiet" popovertarget="menu">Menu</button>
</header>
<div class="frame">
<nav id="menu" aria-label="Pages" popover>
<ul>
{{range .Menu}}<li><a href="{{.Path}}"{{with current .Path $.Path}} aria-current="{{.}}"{{end}}>{{.Title}}</a></li>
{{end}}</ul>
<p>For programs</p>
<ul>
<li><a href="/operator/openapi.json">OpenAPI document</a></li>
<li><a href="/metrics">Metrics</a></li>
</ul>
</nav>
<div class="page">
<main id="content">
<h1>{{.Title}}</h1>
{{if eq .Name "home"}}{{template "home" .Data}}{{else if eq .Name "accounts"}}{{template "accounts" .Data}}{{else if eq .Name "account"}}{{template "account" .Data}}{{else if eq .Name "legacy"}}{{template "legacy" .Data}}{{else}}{{template "failure" .Data}}{{end}}</main>
</div>
</div>
</body>
</html>
{{end}}

{{define "home"}}<h2 id="waiting">What waits</h2>
{{with .Backlog}}<div class="scroll" role="group" aria-label="What waits" tabindex="0"><table>
<thead><tr><th scope="col">Work</th><th scope="col">Waiting</th><th scope="col">Oldest</th></tr></thead>
<tbody>
<tr><th scope="row">Submissions to publish or reject</th><td data-label="Waiting">{{.Submissions}}</td><td data-label="Oldest">{{if .Submissions}}accepted {{duration .OldestSubmission}} ago{{else}}–{{end}}</td></tr>
<tr><th scope="row">Deliveries of events</th><td data-label="Waiting">{{.Waiting}}</td><td data-label="Oldest">{{if .OldestDue}}due for {{duration .OldestDue}}{{else}}–{{end}}</td></tr>
<tr><th scope="row">Deliveries held for paused and disabled webhooks</th><td data-label="Waiting">{{.Held}}</td><td data-label="Oldest">–</td></tr>
</tbody>
</table></div>
{{else}}<p class="warn">The database does not answer, so only what this process knows is shown.</p>
{{end}}<h2 id="accounts" class="noprint">Accounts</h2>
{{template "search" (search)}}{{with .Legacy}}<h2 id="old">The old interface</h2>
<p>How many accounts call <code>/rest</code>, or did. <a href="{{legacy}}">The list</a> has each key.</p>
<div class="scroll" role="group" aria-label="Accounts by state" tabindex="0"><table>
<thead><tr><th scope="col">State</th><th scope="col">Accounts</th></tr></thead>
<tbody>
{{range $state, $n := .}}<tr><th scope="row"><a href="{{legacy}}?state={{$state}}">{{$state}}</a></th><td data-label="Accounts">{{$n}}</td></tr>
{{end}}</tbody>
</table></div>
{{end}}<h2 id="metrics">Metrics of this process</h2>
<p class="facts">Version {{.Version}}{{with .Commit}}, commit <code>{{.}}</code>{{end}}, {{.Go}}; running for {{duration .Uptime}}. All numbers are since the start;
<a href="/metrics">/metrics</a> has all metrics for Prometheus.</p>
<div class="scroll" role="group" aria-label="Operations" tabindex="0"><table>
<thead><tr><th scope="col">Operation</th><th scope="col">Requests</th><th scope="col">Failed (5xx)</th><th scope="col">99 % answered within</th></tr></thead>
<tbody>
<tr><th scope="row">All</th>{{template "traffic" .Traffic.All}}</tr>
{{range .Traffic.Most}}<tr><th scope="row"><code>{{.Name}}</code></th>{{template "traffic" .}}</tr>
{{end}}</tbody>
</table></div>
{{end}}

{{define "traffic"}}<td data-label="Requests">{{.Requests}}</td><td data-label="Failed (5xx)">{{.Failed}}</td><td data-label="99 % answered within">{{if .Within}}{{.Within}}{{else if .Beyond}}more than {{.Beyond}}{{else}}–{{end}}</td>{{end}}

{{define "search"}}<form class="noprint" action="{{accounts}}">
<div class="columns">
<div><label for="nickname">Nickname</label><input id="nickname" name="nickname" value="{{.Nickname}}" autocomplete="off"></div>
<div><label for="email">E-mail address</label><input id="email" name="email" value="{{.Email}}" autocomplete="off"></div>
<div><label for="status">Status</label><select id="status" name="status">
<option value="">any</option>
<option{{if eq .Status "active"}} selected{{end}}>active</option>
<option{{if eq .Status "suspended"}} selected{{end}}>suspended</option>
</select></div>
</div>
<button>Search</button>
</form>
<p class="facts noprint">Names and addresses are searched for as a whole; letters from A to Z may be large or small. Empty fields select all.</p>
{{end}}

{{define "accounts"}}{{template "search" .}}{{if .Found}}<div class="scroll" role="group" aria-label="Accounts" tabindex="0"><table>
<thead><tr><th scope="col">Id</th><th scope="col">Nickname</th><th scope="col">E-mail address</th><th scope="col">Status</th><th scope="col">Created</th></tr></thead>
<tbody>
{{range .Found}}<tr><td data-label="Id"><a href="{{account .ID}}">{{.ID}}</a></td><td class="written" data-label="Nickname">{{.Nickname}}</td><td class="written" data-label="E-mail address">{{.Email}}</td><td data-label="Status">{{.Status}}</td><td data-label="Created">{{time .CreatedAt}}</td></tr>
{{end}}</tbody>
</table></div>
{{else}}<p class="note">No account matches.</p>
{{end}}{{template "around" .}}{{end}}

{{define "around"}}{{if or .First .Next}}<nav aria-label="Pages of the list"><p>{{with .First}}<a rel="first" href="{{.}}">First page</a> {{end}}{{with .Next}}<a rel="next" href="{{.}}">Next page</a>{{end}}</p></nav>
{{end}}{{end}}

{{define "account"}}<p class="facts">Account {{.ID}}, <span class="badge">{{.Status}}</span>, created {{time .CreatedAt}}</p>
{{if eq .Status "suspended"}}<p class="warn">The account is suspended: all of its requests are rejected until you run <code>sellerd accounts resume {{.ID}}</code> on the server.</p>
{{else}}<p>To reject all of its requests, run <code>sellerd accounts suspend {{.ID}}</code> on the server.</p>
{{end}}<div class="scroll" role="group" aria-label="Facts" tabindex="0"><table>
<tbody>
<tr><th scope="row">E-mail address</th><td class="written">{{.Email}}</td></tr>
<tr><th scope="row">Type</th><td>{{.Type}}</td></tr>
<tr><th scope="row">Country, language, currency</th><td>{{.Country}}, {{.Language}}, {{.Currency}}</td></tr>
<tr><th scope="row">Time zone</th><td>{{.TimeZone}}</td></tr>
<tr><th scope="row">Store</th><td class="written">{{.Store.Name}} ({{.Store.Plan}})</td></tr>
<tr><th scope="row">Rating</th><td>{{if .Rating.Percentage.Set}}{{.Rating.Percentage.V}} % of {{.Rating.Count}}{{else}}none{{end}}</td></tr>
</tbody>
</table></div>
<h2 id="webhooks">Webhooks</h2>
{{range .Modes}}<h3>{{.Name}}</h3>
{{range .Webhooks}}<h4>{{.URL}}</h4>
<p>{{template "webhook" .}}</p>
{{if .LastFailure.Set}}{{with .LastFailure.V}}<p class="note">Last failure: {{time .At}}, attempt {{.Attempt}} to send <code>{{.EventType}}</code>:
{{if .ResponseStatus.Set}}answered {{.ResponseStatus.V}}{{else}}no answer{{end}}{{if .Error.Set}} (<code>{{.Error.V}}</code>){{end}}.
{{if .NextAttemptAt.Set}}The next attempt is at {{time .NextAttemptAt.V}}.{{end}}</p>
{{end}}{{end}}{{else}}<p>None.</p>
{{end}}{{end}}<h2 id="limits">Limits</h2>
<div class="scroll" role="group" aria-label="Limits" tabindex="0"><table>
<thead><tr><th scope="col">Limit</th><th scope="col">Set for the account</th>{{range .Modes}}<th scope="col">Used in {{.Name}} mode</th>{{end}}</tr></thead>
<tbody>
<tr><th scope="row">Requests a minute</th><td data-label="Set for the account">{{template "set" .Limits.RequestsPerMinute}}</td>{{range .Modes}}<td data-label="Used in {{.Name}} mode">–</td>{{end}}</tr>
<tr><th scope="row">Open items</th><td data-label="Set for the account">{{template "set" .Limits.OpenItems}}</td>{{range .Modes}}<td data-label="Used in {{.Name}} mode">{{.OpenItems.Used}} of {{template "most" .OpenItems.Limit}}</td>{{end}}</tr>
<tr><th scope="row">New items a day</th><td data-label="Set for the account">{{template "set" .Limits.NewItemsPerDay}}</td>{{range .Modes}}<td data-label="Used in {{.Name}} mode">{{.NewItemsPerDay.Used}} of {{template "most" .NewItemsPerDay.Limit}}</td>{{end}}</tr>
</tbody>
</table></div>
<h2 id="keys">Keys</h2>
{{if .Keys}}<div class="scroll" role="group" aria-label="Keys" tabindex="0"><table>
<thead><tr><th scope="col">Key</th><th scope="col">Name</th><th scope="col">Status</th><th scope="col">Permissions</th><th scope="col">Created</th><th scope="col">Last used</th></tr></thead>
<tbody>
{{range .Keys}}<tr><td data-label="Key"><code>{{.Prefix}}…{{.LastFour}}</code></td><td class="written" data-label="Name">{{.Name.V}}</td><td data-label="Status">{{.Status}}{{if .ExpiresAt.Set}}, until {{time .ExpiresAt.V}}{{end}}</td><td data-label="Permissions">{{if .Permissions.Set}}{{range $i, $p := .Permissions.V}}{{if $i}}, {{end}}{{$p}}{{end}}{{else}}all{{end}}</td><td data-label="Created">{{time .CreatedAt}}</td><td data-label="Last used">{{if .LastUsedAt.Set}}{{time .LastUsedAt.V}}{{else}}never{{end}}</td></tr>
{{end}}</tbody>
</table></div>
{{else}}<p>None.</p>
{{end}}<h2 id="bills">Bills</h2>
{{range .Modes}}<h3>{{.Name}}</h3>
{{if .Bills}}<ul>
{{range $status, $n := .Bills}}<li>{{$status}}: {{$n}}</li>
{{end}}</ul>
{{else}}<p>None.</p>
{{end}}{{end}}{{end}}

{{define "webhook"}}<span class="badge">{{.Status}}</span>{{if .DisabledReason.Set}} because it is {{.DisabledReason.V}}{{end}}; waiting events: {{.Waiting}};
{{if .FailingSince.Set}}failing since {{time .FailingSince.V}}; {{end}}{{if .LastSuccessAt.Set}}last success {{time .LastSuccessAt.V}}{{else}}no success yet{{end}}{{end}}

{{define "set"}}{{if not .Set}}the service's default{{else if .V}}{{.V}}{{else}}no limit{{end}}{{end}}
{{define "most"}}{{if .}}{{.}}{{else}}any number{{end}}{{end}}

{{define "legacy"}}<p>Every key that called <code>/rest</code>, in the order of accounts. A key is active if it called in the last 30 days. Else it is done if
its account uses <code>/v1</code>, and silent if not.</p>
<nav aria-label="States"><p><a href="{{legacy}}"{{if not .State}} aria-current="page"{{end}}>all</a>{{range states}} · <a href="{{legacy}}?state={{.}}"{{if eq . $.State}} aria-current="page"{{end}}>{{.}}</a>{{end}}</p></nav>
{{if .Found}}<div class="scroll" role="group" aria-label="Keys" tabindex="0"><table>
<thead><tr><th scope="col">Account</th><th scope="col">Key</th><th scope="col">State</th><th scope="col">Calls in 30 days</th><th scope="col">Share of /rest</th><th scope="col">Last call</th><th scope="col">Calls</th></tr></thead>
<tbody>
{{range .Found}}<tr><td class="written" data-label="Account"><a href="{{account .Account.ID}}">{{.Account.Nickname}}</a></td><td class="written" data-label="Key"><code>{{.Key.Prefix}}</code> {{.Key.Name.V}}</td><td data-label="State">{{.State}}</td><td data-label="Calls in 30 days">{{.Count}}</td><td data-label="Share of /rest">{{if .RestShare.Set}}{{percent .RestShare.V}}{{else}}–{{end}}</td><td data-label="Last call">{{time .LastUsedAt}}</td><td data-label="Calls">{{range $i, $c := .Calls}}{{if $i}}, {{end}}{{$c.Call}}{{end}}</td></tr>
{{end}}</tbody>
</table></div>
{{else}}<p class="note">{{if .Next}}No key on this page has the state.{{else}}No key matches.{{end}}</p>
{{end}}{{template "around" .}}{{end}}

{{define "failure"}}{{range .}}<p>{{with .Field}}<code>{{.}}</code>: {{end}}{{.Message}}</p>
{{end}}<p><a href="/operator/">Overview</a></p>
{{end}}
`))
})
