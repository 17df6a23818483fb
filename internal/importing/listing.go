package importing

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sellerd/internal/apiclient"
)

// keyLife is how long a batch without an answer may be sent again: the service keeps its key for 30 days.
const keyLife = 29 * 24 * time.Hour

// How often to ask for outcomes, and for how long: the API promises them within 15 minutes.
const (
	firstAskWait = time.Second
	longestWait  = 10 * time.Second
	awaitAtMost  = 16 * time.Minute
)

// lister lists rows.
type lister struct {
	*Importer
	state *state
	test  bool            // the key is for the sandbox
	rows  map[string]*Row // by identity
}

// list lists the rows that were not listed before.
func (im *Importer) list(ctx context.Context) (err error) {
	l := &lister{Importer: im, rows: map[string]*Row{}}
	for _, row := range im.File.Rows {
		l.rows[row.id] = row
	}
	if l.state, err = openState(im.State, im.DryRun); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.state.close()) }()
	to, err := l.whose(ctx)
	if err == nil {
		err = l.state.read(to)
	}
	if err != nil {
		return err
	}
	if err := l.refresh(ctx); err != nil {
		return err
	}
	if err := l.finish(ctx); err != nil {
		return err
	}
	todo, err := l.choose(ctx)
	if err != nil {
		return err
	}
	if im.DryRun {
		return l.validate(ctx, todo)
	}
	err = l.submit(ctx, todo)
	limit, full := errors.AsType[Full](err)
	if full {
		for _, row := range todo {
			if row.Outcome == Unsent {
				row.Problems = []Problem{limit.why}
			}
		}
	}
	if err != nil && !full || !im.Wait {
		return err
	}
	if full && slices.ContainsFunc(l.state.batches, func(b *batch) bool { return b.waiting() > 0 }) {
		im.note("the store takes no more rows now: waiting for those that it has accepted")
	}
	return errors.Join(l.await(ctx), err)
}

// Full is an error that says that the account may list no more now, and what to do. The rows before have their outcomes.
type Full struct {
	error
	why Problem // of each row that was not sent
}

// whenFull is what to do about the limits of a store.
var whenFull = map[string]string{
	"daily_item_limit_reached": "Wait until midnight UTC",
	"store_limit_reached":      "Close items, or ask for a higher limit",
}

// whose names the server, the account and the mode, to which the memory of listed rows belongs. A key without the permission to read the
// account stands for itself.
func (l *lister) whose(ctx context.Context) (string, error) {
	var account struct{ ID, Mode, Currency string }
	status, err := l.Client.Get(ctx, "/v1/account", &account)
	if status == http.StatusForbidden && strings.Contains(err.Error(), "permission_denied") {
		account.ID, account.Mode, err = "key "+l.Client.KeyID(), l.Client.Mode(), nil
	}
	if err != nil {
		return "", err
	}
	l.test = account.Mode == "test"
	if l.File.NoCurrency && account.Currency != "" {
		l.priceIn(account.Currency)
	}
	return strings.TrimSpace(strings.Join([]string{l.Client.Base, account.ID, account.Mode, l.File.Options.Run}, " ")), nil
}

// priceIn gives the amounts of a file without a column currency that of the account.
func (l *lister) priceIn(currency string) {
	n := 0
	for _, row := range l.File.Rows {
		members := map[string]any{}
		_ = json.Unmarshal(row.item, &members) // the program wrote it
		open := false
		for _, member := range members {
			if money, ok := member.(map[string]any); ok && money["amount"] != nil && money["currency"] == nil {
				money["currency"], open = currency, true
			}
		}
		if open {
			row.item = encode(members)
			n++
		}
	}
	if n > 0 {
		l.note(fmt.Sprintf("the file names no currency for %s: they are in %s, the account's", Count(n), currency))
	}
}

// refresh asks what became of the batches of earlier runs that were not final.
func (l *lister) refresh(ctx context.Context) error {
	accepted := slices.DeleteFunc(slices.Clone(l.state.batches), func(b *batch) bool { return b.id == "" })
	for i, b := range accepted {
		last := i == len(accepted)-1
		if b.waiting() == 0 && !last {
			continue
		}
		status, err := l.ask(ctx, b)
		switch {
		case status == http.StatusNotFound && l.test && last: // a reset of the sandbox has removed everything
			return l.remember(stateLine{Reset: true})
		case status == http.StatusNotFound && l.test:
			continue
		}
		if err != nil {
			return fmt.Errorf("ask for the outcome of batch %s: %w", b.id, err)
		}
	}
	return nil
}

// remember writes a line down, but for a run that changes nothing.
func (l *lister) remember(line stateLine) error {
	if l.DryRun {
		l.state.apply(line)
		return nil
	}
	return l.state.write(line)
}

// finish sends the batches of an interrupted run once more, exactly as they were.
func (l *lister) finish(ctx context.Context) error {
	if l.DryRun {
		return nil
	}
	for _, b := range l.state.batches {
		if b.settled {
			continue
		}
		if l.Client.Now().Sub(b.at) > keyLife {
			return fmt.Errorf("an import was interrupted on %s while rows %d to %d were sent, and it is too late to find out whether they were listed. Look for their items; "+
				"then remove %s: rows whose reference the service knows are not listed again", b.at.Format(time.DateOnly), b.rows[0].Row, b.rows[len(b.rows)-1].Row, l.State)
		}
		rows := make([]*Row, len(b.rows))
		gone := 0
		for i, sent := range b.rows {
			if rows[i] = l.rows[sent.ID]; rows[i] == nil {
				rows[i] = &Row{Row: sent.Row, Reference: sent.Reference, id: sent.ID}
				gone++
			}
		}
		if _, err := l.send(ctx, b, rows, false); err != nil {
			return fmt.Errorf("finish the batch of an interrupted import: %w", err)
		}
		if gone > 0 {
			l.note(Count(gone) + " of an interrupted import, not in this file: sent again under the same keys")
		}
	}
	return nil
}

// submit sends rows in batches. Its error says why it stopped early.
func (l *lister) submit(ctx context.Context, rows []*Row) error {
	l.Progress.Begin("sending", len(rows))
	_, rejected := l.state.listed()
	todo := split(rows)
	for len(todo) > 0 {
		rows := todo[0]
		todo = todo[1:]
		body := bodyOf("items", rows)
		b, err := l.state.plan(l.key(rows, rejected, body), l.Client.Now(), l.origin(), l.Ending, rows, body)
		if err == nil {
			err = l.reached("planned")
		}
		if err != nil {
			return err
		}
		rest, err := l.send(ctx, b, rows, true)
		if err != nil {
			return fmt.Errorf("the rows %d to %d: %w", rows[0].Row, rows[len(rows)-1].Row, err)
		}
		l.Progress.Add(len(rows) - len(rest))
		if len(rest) > 0 {
			todo = append([][]*Row{rest}, todo...)
		}
	}
	return nil
}

// key is a batch's Idempotency-Key. It depends on the rows alone, so that the same file does not list its rows twice even if the memory of
// the first run is lost. A row that publication rejected has another key the next time.
func (l *lister) key(rows []*Row, rejected map[string][]*sentRow, body []byte) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00", l.File.Options.Run)
	for _, row := range rows {
		fmt.Fprintf(sum, "%s %d\x00", row.id, len(rejected[row.id]))
	}
	sum.Write(body)
	return fmt.Sprintf("import-%x", sum.Sum(nil)[:16])
}

// send submits one batch that is written down. The rows it returns are those that the store's limits left out of an accepted batch. A batch
// that is not fresh may have been done already, whatever refuses the request now.
func (l *lister) send(ctx context.Context, b *batch, rows []*Row, fresh bool) (rest []*Row, err error) {
	answer, err := l.Client.Do(ctx, http.MethodPost, "/v1/item-batches", b.key, b.body)
	if stopped := l.reached("sent"); stopped != nil {
		return nil, stopped
	}
	switch {
	case err == nil && answer.Status == http.StatusAccepted:
		rest, err = l.takeAccepted(b, rows, answer)
	case err == nil && answer.Status == http.StatusUnprocessableEntity && answer.Code() != "idempotency_key_reused":
		refuseAll(rows, answer.Errors)
		err = l.state.settle(b, "", nil)
	default: // would be the same for the next batch
		sure := fresh && !answer.Doubtful && answer.Code() != "idempotency_key_in_progress"
		if sure {
			answer.Errors = refuseOwn(rows, answer.Errors)
		}
		err = errors.Join(err, answer.Failure())
		if advice := whenFull[answer.Code()]; advice != "" && err != nil {
			err = Full{
				fmt.Errorf("%w\n%s, and run the same command again: nothing is listed twice", err, advice),
				Problem{Code: answer.Code(), Message: "The store takes no more rows now. " + advice + ", and run the same command again."},
			}
		}
		if sure {
			return nil, errors.Join(err, l.state.settle(b, "", nil))
		}
		for _, row := range rows {
			row.Outcome = Unknown
		}
		return nil, err
	}
	if err == nil {
		err = l.reached("settled")
	}
	return rest, err
}

func (l *lister) takeAccepted(b *batch, rows []*Row, answer apiclient.Answer) (rest []*Row, err error) {
	data, err := answerAbout(rows, answer)
	if err != nil {
		return nil, err
	}
	submissions := make([]string, len(rows))
	for i, result := range data.Results {
		switch {
		case result.StatusCode == http.StatusAccepted:
			rows[i].Outcome, rows[i].Replayed, submissions[i] = Accepted, answer.Replayed, result.SubmissionID
		case overLimit(result.Errors):
			rest = append(rest, rows[i])
		default:
			rows[i].refuse(result.Errors)
		}
	}
	return rest, l.state.settle(b, data.ID, submissions)
}

// overLimit says whether a row was right and only came too late for the store's limits.
func overLimit(errs []apiclient.Error) bool {
	return len(errs) == 1 && whenFull[errs[0].Code] != ""
}

func (b *batch) waiting() (n int) {
	for _, row := range b.rows {
		if row.submission != "" && !row.final {
			n++
		}
	}
	return n
}

// await reads the outcomes of the accepted batches, oldest first, until all are final. After a finished batch it reads the next one at
// once; otherwise it waits, longer each time. It gives up when none becomes final any more.
func (l *lister) await(ctx context.Context) error {
	var todo []*batch
	waiting := 0
	for _, b := range l.state.batches {
		if n := b.waiting(); n > 0 {
			todo, waiting = append(todo, b), waiting+n
		}
	}
	if waiting == 0 {
		return nil
	}
	l.Progress.Begin("publishing", waiting)
	wait, waited := firstAskWait, time.Duration(0)
	for len(todo) > 0 {
		b := todo[0]
		todo = todo[1:]
		before := b.waiting()
		if _, err := l.ask(ctx, b); err != nil {
			return fmt.Errorf("ask for the outcome of batch %s: %w", b.id, err)
		}
		left := b.waiting()
		l.Progress.Add(before - left)
		if left < before {
			waited = 0
		}
		if left == 0 {
			wait = firstAskWait
			continue
		}
		if waited >= awaitAtMost {
			return errors.New("rows are sent and not published, and the service has published none of them for 16 minutes. " +
				"Run the same command again later: nothing is listed twice")
		}
		todo = append(todo, b)
		if err := l.Client.Sleep(ctx, wait); err != nil {
			return err
		}
		waited += wait
		wait = min(2*wait, longestWait)
	}
	return nil
}

// ask reads what became of a batch's rows, and writes down what is final.
func (l *lister) ask(ctx context.Context, b *batch) (status int, err error) {
	var data struct {
		Submissions []struct {
			ID       string            `json:"id"`
			Index    int               `json:"index"`
			Status   string            `json:"status"`
			ItemID   string            `json:"item_id"`
			Errors   []apiclient.Error `json:"errors"`
			Warnings []apiclient.Error `json:"warnings"`
		} `json:"submissions"`
	}
	if status, err = l.Client.Get(ctx, "/v1/item-batches/"+b.id, &data); err != nil {
		return status, err
	}
	final := map[int]finalRow{}
	for _, s := range data.Submissions {
		if s.Index < 0 || s.Index >= len(b.rows) || b.rows[s.Index].submission != s.ID {
			return status, errSpeaksOfOthers
		}
		if b.rows[s.Index].final || s.Status != "published" && s.Status != "rejected" {
			continue
		}
		row := finalRow{Item: s.ItemID}
		for _, e := range append(s.Errors, s.Warnings...) {
			row.Problems = append(row.Problems, Problem{Code: e.Code, Message: e.Message, Field: e.Field})
		}
		final[s.Index] = row
	}
	if len(final) == 0 {
		return status, nil
	}
	if err := l.remember(stateLine{Key: b.key, Final: final}); err != nil {
		return status, err
	}
	for i := range final {
		if row := l.rows[b.rows[i].ID]; row != nil && row.Outcome == Accepted {
			row.take(&b.rows[i])
		}
	}
	return status, l.reached("final")
}

// validate asks in batches what listing the rows would be answered.
func (l *lister) validate(ctx context.Context, rows []*Row) error {
	l.Progress.Begin("checking", len(rows))
	valid, room := 0, http.Header{}
	for _, rows := range split(rows) {
		answer, err := l.Client.Do(ctx, http.MethodPost, "/v1/item-batches?validate_only=true", "", bodyOf("items", rows))
		switch {
		case err != nil:
			return err
		case answer.Code() == "unknown_parameter":
			return errors.New("the service is older than release 1.7.0, and does not check rows in batches")
		case answer.Status == http.StatusUnprocessableEntity:
			refuseAll(rows, answer.Errors)
		case answer.Status != http.StatusOK:
			return fmt.Errorf("the rows %d to %d: %w", rows[0].Row, rows[len(rows)-1].Row, answer.Failure())
		default:
			data, err := answerAbout(rows, answer)
			if err != nil {
				return err
			}
			for i, result := range data.Results {
				if result.StatusCode == http.StatusOK {
					rows[i].Outcome, room = Valid, answer.Header
					valid++
				} else {
					rows[i].refuse(result.Errors)
				}
			}
		}
		l.Progress.Add(len(rows))
	}
	for _, limit := range [][2]string{{"X-StoreLimit-Remaining", ""}, {"X-StoreLimit-Daily-Remaining", " until midnight UTC"}} {
		if n, err := strconv.Atoi(room.Get(limit[0])); err == nil && n < valid {
			l.note(fmt.Sprintf("the store's limit has room for %s%s, and %d would be listed", Count(n), limit[1], valid))
		}
	}
	return nil
}
