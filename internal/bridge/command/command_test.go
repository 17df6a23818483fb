package command

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// A name that no request can have would be accepted without an effect.
func TestNamesOfTheBridgeAreChecked(t *testing.T) {
	for name, right := range map[string]bool{
		"shop.example.com": true, "Shop": true, "shop_2.local.": true, "192.168.1.5": true, "xn--bro-hoa.example": true,
		"": false, "*": false, "*.example.com": false, "büro.example": false, "http://shop": false, "shop:8090": false,
		"shop/rest": false, "shop werk": false, "anna@shop": false, `"shop"`: false,
	} {
		c := Command{To: "https://api.example.com", Addr: "127.0.0.1:8090", Host: []string{name}}
		if err := c.Validate(); (err == nil) != right || !right && !strings.HasPrefix(err.Error(), "--host must be a name alone") {
			t.Errorf("--host %q: %v", name, err)
		}
	}
}

// The program of its own has every flag of the command of sellerd.
func TestTheProgramOfItsOwnTakesEveryFlag(t *testing.T) {
	var c Command
	flags, help := c.FlagSet("sellerd-bridge")
	if err := flags.Parse([]string{"--host", "one.example", "--host=two.example,three.example"}); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"one.example", "two.example", "three.example"}, c.Host); diff != "" {
		t.Errorf("--host (-want +got):\n%s", diff)
	}
	fields := reflect.TypeFor[Command]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if _, ok := field.Tag.Lookup("help"); !ok {
			continue
		}
		name := cmp.Or(field.Tag.Get("name"), dashed(field.Name))
		if flags.Lookup(name) == nil || !strings.Contains(help, "  --"+name) {
			t.Errorf("--%s is missing", name)
		}
	}
}
