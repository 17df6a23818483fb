// Package letter writes to sellers who still call the deprecated interface: what calls it, what takes its place, and what to do. It writes letters
// and sends none.
//
//   - letter.go makes a letter out of what the service counted for a seller and of the migration guide, and a row (RFC 4180) of it.
//   - texts has the letters in six languages; words.go has the dates in them, and wraps their lines.
//   - message.go prints letters as e-mail messages (RFC 5322) and as a mailbox of them (RFC 4155).
//
// A letter shows no key but its prefix, and nothing of a buyer: what the service counts has neither.
package letter
