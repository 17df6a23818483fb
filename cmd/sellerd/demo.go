package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sellerd/internal/demo"
	"sellerd/v1"
)

// demoSeller is the seller that `serve --demo` shows the service with. It is made once; its keys are kept in a file of
// the operator's beside the database, because the database does not know them.
type demoSeller struct {
	service *v1.Service
	baseURL string
	keyFile string
	images  bool // whether the service may fetch its own demo images
	out     io.Writer
}

type demoKeys struct {
	Account string `json:"account"`
	Live    string `json:"live"`
	Test    string `json:"test"`
}

// ready makes the seller unless it is there, and prints how to begin.
func (d demoSeller) ready(ctx context.Context) error {
	keys, err := d.load()
	if errors.Is(err, fs.ErrNotExist) {
		keys, err = d.seed(ctx)
	}
	if err != nil {
		return err
	}
	images := ""
	if d.images {
		images = fmt.Sprintf(`,"images":[%q]`, d.baseURL+"/demo/images/"+demo.ImageNames()[0])
	}
	fmt.Fprintf(d.out, `
  The seller API is at %[1]s

  live key   %[2]s
  test key   %[3]s

  List an item; it is published within a second:

    curl -s %[1]s/v1/items -H 'X-Api-Key: %[3]s' -H 'Content-Type: application/json' \
      -d '{"title":"France 1849, 20c black Ceres","category_id":"%[4]s","sale_type":"fixed_price","price":{"amount":"45.00","currency":"EUR"},"personal_reference":"CERES-20C"%[5]s}'

  See it:

    curl -s '%[1]s/v1/items?personal_reference=CERES-20C' -H 'X-Api-Key: %[3]s'

`, d.baseURL, keys.Live, keys.Test, demoCategory, images)
	return nil
}

// demoCategory is a selectable category for the first curl line.
const demoCategory = "1010101"

func (d demoSeller) load() (demoKeys, error) {
	var keys demoKeys
	text, err := os.ReadFile(d.keyFile)
	if err != nil {
		return keys, err
	}
	if err := json.Unmarshal(text, &keys); err != nil {
		return keys, fmt.Errorf("%s: %w", d.keyFile, err)
	}
	if _, err := d.service.Authenticate(context.Background(), keys.Test); err != nil {
		return keys, fmt.Errorf("the keys in %s do not belong to this database: delete the file or the database", d.keyFile)
	}
	return keys, nil
}

func (d demoSeller) seed(ctx context.Context) (demoKeys, error) {
	if err := os.MkdirAll(filepath.Dir(d.keyFile), 0o700); err != nil {
		return demoKeys{}, err
	}
	account, err := d.service.CreateAccount(ctx, v1.NewAccount{Nickname: "demo-seller", Email: "demo@example.com", Country: "BE", StoreName: "Demo stamps"})
	if errors.Is(err, v1.ErrNicknameTaken) { // an earlier start made it and was stopped before it wrote the keys down
		account, err = d.service.FindAccount(ctx, "demo-seller")
	}
	if err != nil {
		return demoKeys{}, err
	}
	keys := demoKeys{Account: account.ID.String()}
	for mode, key := range map[string]*string{"live": &keys.Live, "test": &keys.Test} {
		if *key, _, err = d.service.CreateKey(ctx, v1.NewKey{Account: int64(account.ID), Mode: mode, Name: "demo"}); err != nil {
			return demoKeys{}, err
		}
		if err := d.list(ctx, *key); err != nil {
			return demoKeys{}, err
		}
	}
	text, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return demoKeys{}, err
	}
	return keys, os.WriteFile(d.keyFile, append(text, '\n'), 0o600)
}

// demoItems are what the seller lists at first: the way in is the API's own.
var demoItems = []struct {
	title, category, kind, price string
}{
	{"France 1849, 20c black Ceres, imperforate, cancelled", demoCategory, v1.SaleTypeFixedPrice, "45.00"},
	{"France 1853, 25c blue Napoleon III, used", demoCategory, v1.SaleTypeFixedPrice, "38.50"},
	{"Lot of 50 cancels on 1900s French covers", demoCategory, v1.SaleTypeAuction, "9.99"},
	{"France 1900, 5 Fr Merson, mint never hinged", demoCategory, v1.SaleTypeAuction, "120.00"},
	{"Small album of classics, mixed quality", demoCategory, v1.SaleTypeFixedPrice, "15.00"},
}

func (d demoSeller) list(ctx context.Context, key string) error {
	caller, err := d.service.Authenticate(ctx, key)
	if err != nil {
		return err
	}
	batch := &v1.SubmitBatchInput{}
	for i, item := range demoItems {
		input := v1.ItemInput{
			Title: v1.Some(item.title), SaleType: v1.Some(item.kind), PersonalReference: v1.Some(fmt.Sprintf("DEMO-%d", i+1)),
		}
		if d.images {
			input.Images = []v1.ImageInput{{URL: d.baseURL + "/demo/images/" + demo.ImageNames()[i]}}
		}
		var category v1.ID
		var amount v1.Amount
		if err := errors.Join(category.UnmarshalText([]byte(item.category)), amount.UnmarshalText([]byte(item.price))); err != nil {
			return err
		}
		input.CategoryID = v1.Some(category)
		price := v1.Some(v1.Money{Amount: amount, Currency: "EUR"})
		if item.kind == v1.SaleTypeAuction {
			input.StartingPrice = price
		} else {
			input.Price = price
		}
		batch.Batch.Items = append(batch.Batch.Items, input)
	}
	call := &v1.Call{Caller: caller, Idempotency: &v1.IdempotencyKeyUse{Key: "demo-items", Fingerprint: sha256.Sum256([]byte("demo-items"))}}
	_, err = v1.SubmitBatch.Run(ctx, d.service, call, batch)
	return err
}
