// Package crash names the places in the program where dying would hurt most, so that a test can make it die exactly there.
//
// The program passes a point by At, which is an empty function that the compiler removes. Built with -tags crashpoints, it
// dies at the point that the file named by SELLERD_CRASH_AT asks for, as "name:count": at the count-th passage since the
// file says so. It dies as by kill -9, so no line of it can tidy up.
//
//	go build -tags crashpoints -o sellerd ./cmd/sellerd
//	echo after-send:1 > /tmp/crash
//	SELLERD_CRASH_AT=/tmp/crash ./sellerd serve
//
// It is a file and not a value, so that a test can bring the running program to where it wants it and ask then.
// internal/crashtest dies at each of the points and looks at what is left.
package crash

// Variable is the environment's name for the file that says where to die.
const Variable = "SELLERD_CRASH_AT"

// Point is a place where the program can be made to die.
type Point string

// What a request passes.
const (
	AfterKey     Point = "after-key"     // the answer is stored under its Idempotency-Key, in an open transaction
	AfterEvents  Point = "after-events"  // the whole change is written, its events and their dispatches too, in an open transaction
	BeforeCommit Point = "before-commit" // the database is about to be told to commit, whatever it is that is committed
	AfterCommit  Point = "after-commit"  // the database has committed, and nobody knows
	AfterChange  Point = "after-change"  // an owner's change is committed, and no worker has been woken for it
	BeforeAnswer Point = "before-answer" // all is done, and the caller has not been told
)

// What the publisher and the closer pass.
const (
	AfterSubmissionClaim Point = "after-submission-claim" // submissions are leased, and nothing is done about them
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

// What upkeep passes.
const (
	MidSweep       Point = "mid-sweep"        // expired keys are deleted and rate windows are not, in an open transaction
	MidPurge       Point = "mid-purge"        // one more of dispatches, deliveries and events is purged, in an open transaction
	AfterPurge     Point = "after-purge"      // a purge is committed, and old responses are still there
	AfterErase     Point = "after-erase"      // a buyer's own row is empty, and the addresses are still there
	MidForgetBuyer Point = "mid-forget-buyer" // one more chunk of a seller's bills has forgotten the buyer
)

// Points are all of them. The test dies at each.
var Points = []Point{
	AfterKey, AfterEvents, BeforeCommit, AfterCommit, AfterChange, BeforeAnswer,
	AfterSubmissionClaim, AfterImages, MidPublish, BeforeClose, MidClose,
	AfterDeliveryClaim, AfterSend, MidSettle, AfterSettle,
	MidSweep, MidPurge, AfterPurge, AfterErase, MidForgetBuyer,
}
