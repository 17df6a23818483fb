package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVariablesThatAreNoSettings(t *testing.T) {
	t.Setenv("SELLERD_DB", "sqlite:shop.db")
	t.Setenv("SELLERD_ADDR", ":80")
	for name, test := range map[string]struct {
		environment []string
		want        string
	}{
		"settings":             {[]string{"SELLERD_DB=sqlite:shop.db", "SELLERD_ADDR=:80"}, ""},
		"other programs":       {[]string{"HOME=/root", "DATABASE_URL=postgres://", "SELLER_DB=x", "MY_SELLERD_DB=x"}, ""},
		"misspelt":             {[]string{"SELLERD_RATELIMIT=10", "SELLERD_DATABASE=x"}, "SELLERD_DATABASE SELLERD_RATELIMIT"},
		"no value":             {[]string{"SELLERD_RATELIMIT="}, ""},
		"another case":         {[]string{"sellerd_db=sqlite:other.db"}, "sellerd_db"},
		"Windows, which folds": {[]string{"Sellerd_Db=sqlite:shop.db"}, ""},
		"a port of a platform": {[]string{"SELLERD_PORT=8080"}, "SELLERD_PORT"},
		"tests":                {[]string{"SELLERD_REQUIRE_POSTGRES=1", "SELLERD_TEST_POSTGRES=none", "SELLERD_GENERATE=1"}, ""},
		"services of Kubernetes": {[]string{
			"SELLERD_SERVICE_HOST=10.0.0.7", "SELLERD_SERVICE_PORT=8080", "SELLERD_SERVICE_PORT_HTTP=8080", "SELLERD_PORT=tcp://10.0.0.7:8080",
			"SELLERD_PORT_8080_TCP=tcp://10.0.0.7:8080", "SELLERD_PORT_8080_TCP_PROTO=tcp", "SELLERD_PORT_8080_TCP_PORT=8080",
			"SELLERD_PORT_8080_TCP_ADDR=10.0.0.7", "SELLERD_OPERATOR_SERVICE_HOST=10.0.0.8", "SELLERD_OPERATOR_PORT=tcp://10.0.0.8:8081",
		}, ""},
	} {
		if diff := cmp.Diff(test.want, strings.Join(unknownVariables(test.environment, []string{"SELLERD_DB", "SELLERD_ADDR"}), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
