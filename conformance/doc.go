// Package conformance has the promises of each release as transcripts: requests that can be pasted into a shell, with the expected answers.
// The suite replays them against the current program, or against any address.
//
// A transcript shows one operation in sections: the given situation, a curl command, and the status, headers and body of the answer. The
// parts of an answer that must be equal are literal; parts that change from one replay to the next are written as $NAME (see pattern.go). A
// transcript that begins with For: holds for every operation that it names. Each is replayed with its usual request, the first of its own
// transcript, changed as the transcript says. The commands after Afterwards: remove the objects of a section when the transcript is over;
// Finally: names a stage that does so. Transcripts in folders named rest are about the calls of /rest: there an answer must be exactly as
// expected, and $call is the call's name.
//
// released/1.0.0 and its successors are sealed: they never change, and the current program must keep all their promises (see seal.go). They
// are in released.zip; the newest is a folder too (see archive.go). next has the promises of the next release. The stages in both create
// situations, with requests that a test key may make; they are not promises. A stage after Finally: is played at the end, and may fail.
package conformance
