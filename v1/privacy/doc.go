// Package privacy is the room that forgets buyers. ForgetBuyer erases a buyer's personal data wherever they are: in the buyer's row, on
// sales and bills (buyer.go), and in copies, which are events, the responses of receivers and stored answers (copies.go). It has no
// endpoint: operators run it as a command.
package privacy
