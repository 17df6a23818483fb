// Package privacy is the room of data protection. catalogue.txt says what each column of the database holds; exports, searches and erasures
// follow it.
//
//   - ForgetBuyer erases a buyer's personal data wherever they are: in the buyer's row, on sales and bills (buyer.go), and in copies, which
//     are events, the responses of receivers and stored answers (copies.go). retention.go does it for buyers who have not bought for years.
//   - ExportBuyer and ExportAccount write what is stored (export.go, export_buyer.go), and FindBuyers says where a text is (find.go).
//   - CloseAccount ends an account, which is erased years later (closing.go).
//
// It has no endpoints: operators run commands.
package privacy
