package delcampe

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"path"
)

type API struct {
	Base   *url.URL
	Client *http.Client
}

var endpoint = struct{ Login, Item, Hooks string }{"seller", "item", "notification/settings"}

const soldPath = "item/%s/sold"

func Default() *API {
	u, _ := url.Parse("https://rest.delcampe.net/rest")
	return &API{Base: u, Client: &http.Client{}}
}

func (a *API) request(method string, form url.Values, elem ...string) (*http.Response, error) {
	u := *a.Base
	u.Path = path.Join(append([]string{u.Path}, elem...)...)
	req, err := http.NewRequest(method, u.String(), bytes.NewBufferString(form.Encode()))
	if err != nil {
		return nil, err
	}
	return a.Client.Do(req)
}

func (a *API) Item(id string) (*http.Response, error) {
	return a.request(http.MethodGet, nil, "item", id)
}

func (a *API) Restart(id string) (*http.Response, error) {
	return a.request(http.MethodPost, nil, "item", id, "restart")
}

func (a *API) Models() ([]byte, error) {
	res, err := http.Get(a.Base.String() + "/shippingModels")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

func (a *API) Delete(id string) error {
	req, err := http.NewRequest("DELETE", a.Base.JoinPath("item", id).String(), nil)
	if err != nil {
		return err
	}
	_, err = a.Client.Do(req)
	return err
}
