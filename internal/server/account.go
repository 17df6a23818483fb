package server

import "net/http"

// accountScripts fill the page. The first one has the key and all that the others share.
var accountScripts = []string{
	copyScript, assetPath + "account.js", assetPath + "account-items.js", assetPath + "account-webhooks.js", assetPath + "account-keys.js",
	assetPath + "account-rest.js",
}

// accountPage shows a seller's page. It is the same for everybody: its scripts ask /v1 with a key that is pasted into the page, and the key
// reaches this program in no other way. No cache keeps the page, so the browser does not bring back one that was filled.
func (s *Server) accountPage(w http.ResponseWriter, r *http.Request) {
	s.renderFilled(w, r, http.StatusOK, pageContent{
		Title: "Your account", Private: true, Scripts: accountScripts,
		Description: "See rejected items, failing webhooks, events, keys and limits of your account, and send events again, with a key and without a program.",
	}, "account", nil)
}
