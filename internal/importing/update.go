package importing

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sellerd/internal/apiclient"
	"sellerd/internal/sheet"
	"sellerd/v1/markup"
)

// change is what a row asks for.
type change struct {
	ItemID            string         `json:"item_id,omitempty"`
	PersonalReference string         `json:"personal_reference,omitempty"`
	Patch             map[string]any `json:"patch,omitempty"`
	Close             *struct {
		Reason string `json:"reason,omitempty"`
	} `json:"close,omitempty"`
}

// update sends the rows whose items are not yet as they say. The keys are new in each run: the same file may be applied again after
// another one.
func (im *Importer) update(ctx context.Context) error {
	todo, err := im.compare(ctx)
	if err != nil || im.File.AsHTML > 0 {
		return err
	}
	path, done, phase := "/v1/item-changes", Changed, "sending"
	if im.DryRun {
		path, done, phase = path+"?validate_only=true", Valid, "checking"
	}
	im.Progress.Begin(phase, len(todo))
	wait := im.Wait && !im.DryRun
	var failed error
	for _, rows := range split(todo) {
		answer, err := im.Client.Do(ctx, http.MethodPost, path, "update-"+rand.Text(), bodyOf("changes", rows))
		if stopped := im.reached("sent"); stopped != nil {
			return stopped
		}
		switch {
		case err == nil && answer.Status == http.StatusOK:
			err = takeResults(rows, answer, done)
		case err == nil && answer.Status == http.StatusUnprocessableEntity:
			refuseAll(rows, answer.Errors)
		default:
			if answer.Doubtful {
				for _, row := range rows {
					row.Outcome = Unknown
				}
			}
			err = errors.Join(err, answer.Failure())
			wait = wait && answer.Status != 0 && !answer.Doubtful // else the service is not well
		}
		if err != nil {
			failed = fmt.Errorf("the rows %d to %d: %w", rows[0].Row, rows[len(rows)-1].Row, err)
			break
		}
		im.Progress.Add(len(rows))
	}
	if !wait || ctx.Err() != nil {
		return failed
	}
	return errors.Join(failed, im.awaitPictures(ctx)) // also of the rows before one that failed
}

// awaitPictures waits until the pictures of the rows are fetched, and warns of those that could not be. It asks about all that wait, a
// request's worth of items at a time, and then pauses. It gives up when none is fetched any more.
func (im *Importer) awaitPictures(ctx context.Context) error {
	var todo []*Row
	for _, row := range im.File.Rows {
		if _, address, _ := row.picture("0"); address != "" && (row.Outcome == Changed || row.pending) {
			todo = append(todo, row)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	im.Progress.Begin("fetching pictures", len(todo))
	wait, waited := firstAskWait, time.Duration(0)
	for {
		var waiting []*Row
		for asked := range slices.Chunk(todo, maxEntries) {
			still, err := im.takePictures(ctx, asked)
			if err != nil {
				return fmt.Errorf("ask for the pictures of changed items: %w", err)
			}
			waiting = append(waiting, still...)
			im.Progress.Add(len(asked) - len(still))
		}
		if len(waiting) < len(todo) {
			waited = 0
		}
		switch todo = waiting; {
		case len(todo) == 0:
			return nil
		case waited >= awaitAtMost:
			return fmt.Errorf("the items are changed, and the service has not fetched the pictures of %s", Count(len(todo)))
		}
		if err := im.Client.Sleep(ctx, wait); err != nil {
			return err
		}
		waited += wait
		wait = min(2*wait, longestWait)
	}
}

// pictureErrors say why a picture could not be fetched, as the service says it of a new item.
var pictureErrors = map[string]string{
	"image_unreachable":        "The image could not be fetched.",
	"image_too_large":          "The image is larger than 10 MiB, 30,000 pixels on a side or 300 million pixels.",
	"image_format_unsupported": "The file is not a JPEG, PNG, WebP or GIF image.",
}

// takePictures warns of the pictures of items that could not be fetched, and returns the rows whose pictures still wait.
func (im *Importer) takePictures(ctx context.Context, rows []*Row) (waiting []*Row, err error) {
	byID, ids := map[string]*Row{}, make([]string, len(rows))
	for i, row := range rows {
		byID[row.ItemID], ids[i] = row, row.ItemID
	}
	err = im.walk(ctx, url.Values{"id": {strings.Join(ids, ",")}, "limit": {"200"}}, func(it item) {
		row := byID[it.ID]
		if row == nil {
			return
		}
		if it.hasPicture("pending") {
			waiting = append(waiting, row)
		}
		row.Problems = nil // those of an earlier look
		for i, picture := range it.pictures() {
			if code, _ := picture["error_code"].(string); code != "" && picture["status"] == "failed" {
				message := cmp.Or(pictureErrors[code], "The image could not be taken.")
				row.Problems = append(row.Problems, row.placed(Problem{Code: code, Field: fmt.Sprintf("images[%d]", i), Message: message}))
			}
		}
	})
	return waiting, err
}

// takeResults gives each row of a call with changes its outcome.
func takeResults(rows []*Row, answer apiclient.Answer, done string) error {
	data, err := answerAbout(rows, answer)
	if err != nil {
		return err
	}
	for i, result := range data.Results {
		rows[i].ItemID = result.ItemID
		if result.StatusCode != http.StatusOK {
			rows[i].refuse(result.Errors)
			continue
		}
		rows[i].Outcome = done
	}
	return nil
}

// compare reads the items, and returns the rows that ask for something else than what is there.
func (im *Importer) compare(ctx context.Context) ([]*Row, error) {
	changes, references, ids, err := im.asked()
	if err != nil {
		return nil, err
	}
	im.Progress.Begin("comparing", len(references)+len(ids))
	byReference, err := im.find(ctx, "personal_reference", references)
	if err != nil {
		return nil, err
	}
	byID, err := im.find(ctx, "id", ids)
	if err != nil {
		return nil, err
	}
	if err := im.findSpelled(ctx, changes, byReference); err != nil {
		return nil, err
	}
	var todo []*Row
	taken := map[string]*Row{}
	for _, row := range im.File.Rows {
		c := changes[row]
		if c == nil {
			continue
		}
		found := changeable(byReference[c.PersonalReference])
		if c.ItemID != "" {
			found = byID[c.ItemID]
		}
		if c.ItemID == "" && len(found) > 1 {
			row.several = found
		}
		if c.refuseHTML(row, found) {
			im.File.AsHTML++
			continue
		}
		if len(found) != 1 || c.differs(found[0], row, taken) { // of no item or several, the service says why
			todo = append(todo, row)
		}
	}
	return todo, nil
}

// refuseHTML refuses texts that are written as HTML, unless they are those of the item, and says whether there are any.
func (c *change) refuseHTML(row *Row, found []item) bool {
	for _, p := range row.asHTML {
		if len(found) != 1 || !equal(p.Field, c.Patch[p.Field], found[0].all[p.Field]) {
			row.wrong(p)
		}
	}
	return row.Outcome == Refused
}

// asked are the changes that rows ask for, and the references and ids by which they name items.
func (im *Importer) asked() (changes map[*Row]*change, references, ids []string, err error) {
	changes = map[*Row]*change{}
	for _, row := range im.File.Rows {
		if row.Outcome != Unsent {
			continue
		}
		c := &change{}
		if err := json.Unmarshal(row.item, c); err != nil {
			return nil, nil, nil, err
		}
		changes[row] = c
		if c.ItemID != "" && digitsOnly().MatchString(c.ItemID) {
			ids = append(ids, c.ItemID)
		} else if c.PersonalReference != "" {
			references = append(references, c.PersonalReference)
		}
	}
	return changes, references, ids, nil
}

// differs says whether a row asks for something else than what its item has. A row that contradicts itself or takes another row's item is
// wrong. The row is then sent with the item's id or its exact reference.
func (c *change) differs(it item, row *Row, taken map[string]*Row) bool {
	if c.ItemID != "" && c.PersonalReference != "" {
		if named := it.Reference; !slices.Contains(row.spellings(), named) {
			row.wrong(Problem{
				Code: "conflicting_fields", Field: "item_id",
				Message: fmt.Sprintf("Item %s has the reference %q, not that of this row. Name the item by one of the two.", c.ItemID, short(named)),
			})
			return false
		}
		c.PersonalReference = ""
	}
	if other := taken[it.ID]; other != nil {
		row.wrong(Problem{Code: "conflicting_fields", Field: "item_id", Message: fmt.Sprintf("Row %d changes the same item. Keep one of them.", other.Row)})
		return false
	}
	taken[it.ID] = row
	if sold, ok := it.all["quantity_sold"].(float64); ok {
		row.sold = int(sold)
	}
	if c.PersonalReference != "" && c.ItemID == "" && it.Reference != c.PersonalReference {
		c.ItemID, c.PersonalReference = it.ID, ""
	}
	c.switchOff(it)
	c.takeCurrency(it)
	row.item = encode(c)
	pictures := c.Patch["images"] != nil && it.onSale() // of an item that is over, none is fetched any more
	again := pictures && it.hasPicture("failed")        // which is then fetched again
	if c.matches(it) && !again {
		row.Outcome, row.ItemID, row.pending = Same, it.ID, pictures && it.hasPicture("pending")
		return false
	}
	row.Amounts = c.amounts(it)
	return true
}

// amounts says which amounts of an item become others.
func (c *change) amounts(it item) string {
	var all []string
	for _, column := range updateColumns {
		want, ok := c.Patch[column.name].(map[string]any)
		if !ok || !isMoney(column.name) || equal(column.name, want, it.all[column.name]) {
			continue
		}
		before := "none"
		if have, ok := it.all[column.name].(map[string]any); ok {
			before = fmt.Sprint(have["amount"], " ", have["currency"])
		}
		all = append(all, fmt.Sprintf("%s: %s becomes %v %v", column.name, before, want["amount"], want["currency"]))
	}
	return strings.Join(all, ", ")
}

// switchOff makes a cell with options all that the item has: those that it does not name are switched off.
func (c *change) switchOff(it item) {
	named, ok := c.Patch["options"].(map[string]any)
	have, _ := it.all["options"].(map[string]any)
	for name, on := range have {
		if ok && on == true && named[name] == nil {
			named[name] = false
		}
	}
}

// takeCurrency gives amounts without a currency that of the item, which may not have had such an amount.
func (c *change) takeCurrency(it item) {
	current, _ := it.all["current_price"].(map[string]any)
	for _, value := range c.Patch {
		if money, ok := value.(map[string]any); ok && money["amount"] != nil && money["currency"] == nil {
			money["currency"] = current["currency"]
		}
	}
}

// changeable are the items that a reference in a change may mean.
func changeable(items []item) []item {
	return slices.DeleteFunc(slices.Clone(items), func(it item) bool { return it.Status == "sold" })
}

// findSpelled looks for references that were stored with blanks around them, as earlier versions did, or with accents of their own, as some
// Macs write them, where there is none as it is written.
func (im *Importer) findSpelled(ctx context.Context, changes map[*Row]*change, byReference map[string][]item) error {
	names := map[string]string{}
	var spelled []string
	for row, c := range changes {
		if c.ItemID != "" || c.PersonalReference == "" || len(changeable(byReference[c.PersonalReference])) > 0 {
			continue
		}
		for _, name := range append(row.spellings(), " "+c.PersonalReference, c.PersonalReference+" ", " "+c.PersonalReference+" ") {
			if name != c.PersonalReference && names[name] == "" {
				names[name] = c.PersonalReference
				spelled = append(spelled, name)
			}
		}
	}
	if len(spelled) == 0 {
		return nil
	}
	im.Progress.Begin("comparing", len(spelled))
	found, err := im.find(ctx, "personal_reference", spelled)
	for name, items := range found {
		byReference[names[name]] = append(byReference[names[name]], items...)
	}
	return err
}

// matches says whether an item already is as a change asks for.
func (c *change) matches(it item) bool {
	if c.Close != nil {
		return it.Status == "closed" && (c.Close.Reason == "" || c.Close.Reason == it.CloseReason)
	}
	for name, want := range c.Patch {
		if !equal(name, want, it.all[name]) {
			return false
		}
	}
	return true
}

// equal compares a member of a change with that of an item, as a merge patch would. A cell has no blanks at its ends, so a text that has some
// beside what the cell says is no other.
func equal(name string, want, have any) bool {
	switch want := want.(type) {
	case map[string]any: // money, options
		members, ok := have.(map[string]any)
		for member, value := range want {
			ok = ok && equal(member, value, members[member])
		}
		return ok
	case []any: // pictures
		pictures, ok := have.([]any)
		if !ok || len(pictures) != len(want) {
			return false
		}
		for i := range want {
			if picture, _ := pictures[i].(map[string]any); picture["url"] != want[i] {
				return false
			}
		}
		return true
	case string:
		text, ok := have.(string)
		if strings.HasSuffix(name, "_at") {
			a, errA := time.Parse(time.RFC3339, want)
			b, errB := time.Parse(time.RFC3339, text)
			return cmp.Or(errA, errB) == nil && a.Equal(b)
		}
		return ok && (text == want || sheet.Trim(text) == want || name == "description" && text == markup.Sanitize(want))
	}
	return want == have
}
