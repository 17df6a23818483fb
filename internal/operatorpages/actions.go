package operatorpages

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sellerd/v1"
)

// This file carries out what the forms of the pages ask for. A form becomes the input of an operation of the operator API, which checks
// it, the operator's role among it, and stores the change with its row of the audit log. A refused form is shown again, with what was typed
// and the reasons at its fields.

// action is what a form does.
type action struct {
	pattern string // of its address, without a method
	form    string // its name on the page
	op      *v1.Operation
	body    func(form url.Values) any // of the operation; nil for one without a body
	back    func(r *http.Request, out any) string
	again   func(p *Pages) shower // the page that has the form
	// shown is a page that shows the result, for what cannot be shown again; nil to go back to a page.
	shown func(out any) *page
}

// The forms of an account have its id in their addresses.
const (
	accountForms = accounts + "/{id}/"
	drillForms   = legacy + "/drills"
)

var actions = []action{
	{
		pattern: accounts, form: "create", op: v1.OperatorCreateAccount.Operation, again: func(p *Pages) shower { return p.accounts },
		body: texts("nickname", "email", "country", "type"),
		back: toNewAccount,
	},
	{pattern: accountForms + "status", form: "status", op: v1.OperatorUpdateAccount.Operation, again: anAccount, back: toAccount, body: texts("status")},
	{pattern: accountForms + "limits", form: "limits", op: v1.OperatorUpdateAccount.Operation, again: anAccount, back: toAccount, body: limits},
	{pattern: accountForms + "keys", form: "key", op: v1.OperatorCreateKey.Operation, again: anAccount, body: newKey, shown: createdKey},
	{pattern: accountForms + "keys/{key}/revoke", form: "revoke", op: v1.OperatorRevokeKey.Operation, again: anAccount, back: toAccount},
	{
		pattern: accountForms + "webhooks/{webhook}/status", form: "webhook", op: v1.OperatorSetWebhookStatus.Operation, again: anAccount, back: toAccount,
		body: texts("status"),
	},
	{
		pattern: drillForms, form: "drill", op: v1.OperatorCreateLegacyDrill.Operation, again: func(p *Pages) shower { return p.legacy }, back: toLegacy,
		body: times("from", "to"),
	},
	{
		pattern: drillForms + "/{id}/call-off", form: "call-off", op: v1.OperatorDeleteLegacyDrill.Operation, again: func(p *Pages) shower { return p.legacy },
		back: toLegacy,
	},
}

// Forms are the routes that take the forms of the pages, in the syntax of http.ServeMux without a method.
func Forms() (patterns []string) {
	for _, a := range actions {
		patterns = append(patterns, a.pattern)
	}
	return patterns
}

func anAccount(p *Pages) shower { return p.account }

func toAccount(r *http.Request, _ any) string { return accounts + "/" + r.PathValue("id") }

func toNewAccount(_ *http.Request, out any) string {
	made, _ := v1.OperatorCreateAccount.Result(out, nil) // it has succeeded
	return accounts + "/" + made.ID.String()
}

func toLegacy(*http.Request, any) string { return legacy }

// texts are the fields of a form that are not empty.
func texts(names ...string) func(url.Values) any {
	return func(form url.Values) any {
		body := map[string]any{}
		for _, name := range names {
			if text := strings.TrimSpace(form.Get(name)); text != "" {
				body[name] = text
			}
		}
		return body
	}
}

// times are the fields of a form with instants in UTC, which browsers send without a zone.
func times(names ...string) func(url.Values) any {
	return func(form url.Values) any {
		body := texts(names...)(form).(map[string]any)
		for name, text := range body {
			if text := text.(string); len(text) == len("2026-01-02T15:04") {
				body[name] = text + ":00Z"
			}
		}
		return body
	}
}

// limits are the limits of an account. An empty field means the service's default.
func limits(form url.Values) any {
	body := map[string]any{}
	for _, name := range []string{"requests_per_minute", "open_items", "new_items_per_day"} {
		text := strings.TrimSpace(form.Get(name))
		n, err := strconv.Atoi(text)
		switch {
		case err == nil:
			body[name] = n
		case text == "":
			body[name] = nil
		default: // the operation says what is wrong with it
			body[name] = text
		}
	}
	return map[string]any{"limits": body}
}

// newKey is a key, which may read alone.
func newKey(form url.Values) any {
	body := texts("mode", "name")(form).(map[string]any)
	if form.Get("permissions") == "read" {
		body["permissions"] = v1.ReadPermissions.Names()
	}
	return body
}

// createdKey shows a key, which nothing shows again.
func createdKey(out any) *page {
	return &page{Title: "The new key", Name: "created", Data: out}
}

// tried is a form that was refused: what was typed, and why it was refused, by field. The nil tried is none.
type tried struct {
	form     string
	values   url.Values
	problems map[string]string
}

// Problem is why a field of a form was refused, empty if it was not; without a field, why the form was.
func (t *tried) Problem(form, field string) string {
	if t == nil || t.form != form {
		return ""
	}
	return t.problems[field]
}

// Value is what was typed into a field of a form that was refused, else what the field has.
func (t *tried) Value(form, field, has string) string {
	if t == nil || t.form != form {
		return has
	}
	return t.values.Get(field)
}

// fieldsOf are the names of the fields that each form shows.
var fieldsOf = map[string][]string{
	"create": {"nickname", "email", "country", "type"}, "limits": {"requests_per_minute", "open_items", "new_items_per_day"},
	"key": {"mode", "name", "permissions"}, "drill": {"from", "to"},
}

// refusedForm sorts errors by the fields of a form. What is about no field stands at the form.
func refusedForm(form string, values url.Values, errs v1.Errors) *tried {
	t := &tried{form: form, values: values, problems: map[string]string{}}
	for _, e := range errs {
		field := ""
		for _, name := range fieldsOf[form] {
			if e.Field == name || strings.HasSuffix(e.Field, "."+name) {
				field = name
			}
		}
		message := e.Message
		if field == "" && e.Field != "" {
			message = e.Field + " " + message
		}
		t.problems[field] = strings.TrimSpace(t.problems[field] + " " + message)
	}
	return t
}

// mostForm is the most that is read of a form, in bytes.
const mostForm = 64 << 10

// act carries out a form.
func (p *Pages) act(a action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, mostForm)
		if err := r.ParseForm(); err != nil {
			p.show(w, r, &page{Title: "The form cannot be read", Name: "failure", Status: http.StatusBadRequest})
			return
		}
		out, err := p.run(r, a)
		var refused v1.Errors
		switch {
		case err == nil && a.shown != nil:
			p.show(w, r, a.shown(out))
		case err == nil:
			http.Redirect(w, r, a.back(r, out), http.StatusSeeOther)
		case errors.As(err, &refused) && (refused.Status() == http.StatusUnprocessableEntity || refused.Status() == http.StatusConflict):
			again := a.again(p)
			values := r.PostForm
			r.URL.RawQuery = "" // it is the form's, not the list's
			p.page(func(r *http.Request) (*page, error) {
				shown, err := again(r)
				if shown != nil {
					shown.Status = refused.Status()
					shown.Data.(interface{ refuse(t *tried) }).refuse(refusedForm(a.form, values, refused))
				}
				return shown, err
			})(w, r)
		default:
			p.show(w, r, p.failure(r, err))
		}
	}
}

// run runs the operation of a form.
func (p *Pages) run(r *http.Request, a action) (any, error) {
	call := &v1.Call{Operator: true}
	id := r.PathValue("id")
	for _, name := range []string{"key", "webhook"} {
		if given := r.PathValue(name); given != "" {
			id = given
		}
	}
	var body []byte
	if a.body != nil {
		var err error
		if body, err = json.Marshal(a.body(r.PostForm)); err != nil {
			return nil, err
		}
	}
	in, err := a.op.Bind(call, map[string]string{"id": id}, "", body)
	if err != nil {
		return nil, err
	}
	v1.TraceFrom(r.Context()).Object = id // not before: a text that is no id may be a secret, which the log must not have
	return a.op.Run(r.Context(), p.config.Service, call, in)
}

// fromHere lets only forms of these pages through. A browser sends the password that it knows, or the proxy's cookie, with forms of other
// sites, too, and says in Sec-Fetch-Site or Origin where a form is from. A request that says neither is from no browser of today.
func fromHere(next http.Handler) http.Handler {
	checked := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
			http.Error(w, "The request does not say which page it is from. Programs use the operator API.", http.StatusForbidden)
			return
		}
		checked.ServeHTTP(w, r)
	})
}

// acting is what a page with forms knows: who looks at it, and which form was refused.
type acting struct {
	Tried *tried
	By    v1.OperatorRole
}

func actingIn(r *http.Request) acting { return acting{By: v1.TraceFrom(r.Context()).Operator.Role} }

func (a *acting) refuse(t *tried) { a.Tried = t }

// Supports says whether the operator may help sellers, and Administers whether the operator may do everything.
func (a acting) Supports() bool { return a.By >= v1.SupportRole }

// Administers says whether the operator may do everything.
func (a acting) Administers() bool { return a.By >= v1.AdminRole }
