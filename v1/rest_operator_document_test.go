package v1_test

import (
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// useOldInterface has the operator's operations about the old interface succeed. account is the path of an account.
func useOldInterface(t *testing.T, w *servertest.World, account string, do func(o *v1.Operation, path string, body any) object) {
	t.Helper()
	do(v1.OperatorImportLegacyKey.Operation, account+"/legacy-keys", object{"key": oldKey("a")})
	do(v1.OperatorImportLegacyKey.Operation, account+"/legacy-keys", object{"key": oldKey("a")}) // answers 200
	drill := do(v1.OperatorCreateLegacyDrill.Operation, "/operator/legacy-drills", drillTimes(w, 8*24*time.Hour, time.Hour))["id"].(string)
	do(v1.OperatorBrowseLegacyDrills.Operation, "/operator/legacy-drills", nil)
	do(v1.OperatorGetLegacyDrill.Operation, "/operator/legacy-drills/"+drill, nil)
	do(v1.OperatorDeleteLegacyDrill.Operation, "/operator/legacy-drills/"+drill, nil)
	w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.LiveKey)
	if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	do(v1.OperatorLegacyUsage.Operation, "/operator/legacy-usage?state=active", nil)
}
