package command

import (
	"strings"
	"testing"
)

// A name that no request can have would be accepted without an effect.
func TestNamesOfTheBridgeAreChecked(t *testing.T) {
	for name, right := range map[string]bool{
		"shop.example.com": true, "Shop": true, "shop_2.local.": true, "192.168.1.5": true, "xn--bro-hoa.example": true,
		"": false, "*": false, "*.example.com": false, "büro.example": false, "http://shop": false, "shop:8090": false,
		"shop/rest": false, "shop werk": false, "anna@shop": false, `"shop"`: false,
	} {
		c := Command{To: "https://api.example.com", Addr: "127.0.0.1:8090", Host: []string{name}}
		if err := c.CheckFlags(); (err == nil) != right || !right && !strings.HasPrefix(err.Error(), "--host must be a name alone") {
			t.Errorf("--host %q: %v", name, err)
		}
	}
}
