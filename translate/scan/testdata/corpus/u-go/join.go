package market

import "net/url"

const Host = "https://rest.delcampe.net"

type endpoint struct{ method, path string }

var endpoints = map[string]endpoint{
	"create": {"POST", "/item"},
	"buyer":  {"GET", "/item/%d/buyer"},
}

func Close(id string) error {
	u, err := url.JoinPath(Host, "item", id)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, u, nil)
	if err != nil {
		return err
	}
	_, err = http.DefaultClient.Do(req)
	return err
}

func call(name string, args ...any) (*http.Response, error) {
	e := endpoints[name]
	req, _ := http.NewRequest(e.method, Host+fmt.Sprintf(e.path, args...), nil)
	return http.DefaultClient.Do(req)
}
