// Package crash names the points in the program at which a crash would do the most harm, so that a test can crash it
// exactly there.
//
// The program passes a point by At, which is an empty function that the compiler removes. Built with -tags crashpoints, it
// dies at the point that the file named by SELLERD_CRASH_AT asks for, as "name:count": at the count-th passage since the
// file says so. It dies as by kill -9, so none of its code can clean up.
//
//	go build -tags crashpoints -o sellerd ./cmd/sellerd
//	echo after-send:1 > /tmp/crash
//	SELLERD_CRASH_AT=/tmp/crash ./sellerd serve
//
// It is a file and not a value, so that a test can first bring the running program into the wanted state.
// internal/proof/crashtest crashes the program at each of the points and checks the result.
//
// The same build has a clock that a test can set while the program runs (Clock). Its file has a duration, such as "-24h".
package crash

// Variable is the environment variable with the file that names the point.
const Variable = "SELLERD_CRASH_AT"

// ClockVariable is the environment variable with the file that says how far the clock is moved.
const ClockVariable = "SELLERD_CLOCK_MOVED"

// Point is a place where the program can be made to die.
type Point string

// What a request passes.
const (
	AfterKey     Point = "after-key"     // the answer is stored under its Idempotency-Key, in an open transaction
	MidChanges   Point = "mid-changes"   // the items of a call with many changes are stored, their words and events are not, in an open transaction
	AfterEvents  Point = "after-events"  // the whole change is written, its events and their dispatches too, in an open transaction
	BeforeCommit Point = "before-commit" // the commit of any transaction is about to begin
	AfterCommit  Point = "after-commit"  // the database has committed, and the program has not used that yet
	AfterChange  Point = "after-change"  // an owner's change is committed, and no worker has been woken for it
	BeforeAnswer Point = "before-answer" // all is done, and the answer is not written
)

// What the publisher and the closer pass.
const (
	AfterSubmissionClaim Point = "after-submission-claim" // submissions are leased, on SQLite in an open transaction, and no work on them has begun
	AfterImages          Point = "after-images"           // a submission's images are fetched, and nothing is stored
	MidPublish           Point = "mid-publish"            // items are created, their submissions finished, no word indexed, in an open transaction
	BeforeClose          Point = "before-close"           // due items are found, and none is moved
	MidClose             Point = "mid-close"              // one more of the due items is moved, in an open transaction
)

// What the deliverer passes.
const (
	AfterDeliveryClaim Point = "after-delivery-claim" // attempts are on record as sending, and nothing is sent
	AfterSend          Point = "after-send"           // the receiver has answered, and nothing is stored
	MidSettle          Point = "mid-settle"           // one more outcome of a group is stored, in an open transaction
	AfterSettle        Point = "after-settle"         // outcomes are committed, and their slots not free
)

// What `sellerd copy` passes.
const (
	AfterCopyMark   Point = "after-copy-mark"   // the target is marked as an unfinished copy, and has no tables
	AfterCopySchema Point = "after-copy-schema" // it has the tables, and the copy has not begun

	MidCopy       Point = "mid-copy"        // a step of rows is written with its mark, in an open transaction
	AfterCopyStep Point = "after-copy-step" // a step is committed
)

// What upkeep passes.
const (
	MidSweep        Point = "mid-sweep"         // expired keys are deleted and rate windows are not, in an open transaction
	MidPurge        Point = "mid-purge"         // one more of dispatches, deliveries and events is purged, in an open transaction
	AfterPurge      Point = "after-purge"       // a purge is committed, and old responses are still there
	AfterErase      Point = "after-erase"       // a buyer's own row is empty, and the addresses are still there
	MidForgetBuyer  Point = "mid-forget-buyer"  // one more chunk of a seller's bills has forgotten the buyer
	MidReset        Point = "mid-reset"         // one more chunk of an account's test data is deleted, in an open transaction
	BeforeResetEnds Point = "before-reset-ends" // an account's test data is deleted, and the account is still being reset
)

// CopyPoints are those of `sellerd copy`, which no server passes.
var CopyPoints = []Point{AfterCopyMark, AfterCopySchema, MidCopy, AfterCopyStep}

// Points are all others. The test dies at each.
var Points = []Point{
	AfterKey, MidChanges, AfterEvents, BeforeCommit, AfterCommit, AfterChange, BeforeAnswer,
	AfterSubmissionClaim, AfterImages, MidPublish, BeforeClose, MidClose,
	AfterDeliveryClaim, AfterSend, MidSettle, AfterSettle,
	MidSweep, MidPurge, AfterPurge, AfterErase, MidForgetBuyer, MidReset, BeforeResetEnds,
}
