//go:build ignore

// The page Start in Go, http://localhost:8080/docs/start. Copy the client of http://localhost:8080/docs/clients into a folder client of your
// module, which is called shop here, then:
//
//	SELLERD_KEY=dk_test_… go run start.go

// 1. Your key
package main

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"shop/client"
)

type object = map[string]any

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	seller, err := client.New(client.Config{}) // with the key in SELLERD_KEY
	check(err)
	var account struct{ Nickname string }
	check(seller.Get(ctx, "/v1/account", nil, &account))
	fmt.Println(account.Nickname)

	// 2. List an item
	var submission struct{ ID string }
	check(seller.Post(ctx, "/v1/items", object{
		"title":              "Belgium 1849, 10c brown Epaulette",
		"category_id":        "1010101",
		"sale_type":          "fixed_price",
		"price":              object{"amount": "45.00", "currency": "EUR"},
		"personal_reference": "START-1",
		"images":             []string{"https://outcome.test/ready.jpg"},
	}, &submission))

	// 3. Wait for its publication
	published, err := seller.WaitForSubmission(ctx, submission.ID)
	check(err)
	var item struct{ ID, Status string }
	check(seller.Get(ctx, "/v1/items/"+published.ItemID, nil, &item))
	fmt.Println(item.Status)

	// 4. Sell it
	var bought struct {
		Bill string `json:"bill_id"`
	}
	var bill struct {
		Status string
		Total  struct{ Amount string }
	}
	check(seller.Post(ctx, "/v1/test/items/"+item.ID+"/purchase", nil, &bought))
	check(seller.Post(ctx, "/v1/test/bills/"+bought.Bill+"/invoice", nil, &bill))
	fmt.Println(bill.Status)
	check(seller.Post(ctx, "/v1/test/bills/"+bought.Bill+"/pay", nil, &bill))
	fmt.Println(bill.Status)

	// 5. Read the sale
	var sales struct {
		Results []struct{ Buyer struct{ Nickname string } }
	}
	check(seller.Get(ctx, "/v1/sales", url.Values{"item_id": {item.ID}}, &sales))
	check(seller.Get(ctx, "/v1/bills/"+bought.Bill, nil, &bill))
	fmt.Println(sales.Results[0].Buyer.Nickname, bill.Total.Amount)

	// 6. Ship it
	var parcel struct{ Number string }
	tracking := object{"delivery_service_id": "142", "number": "RR123456785BE"}
	check(seller.Post(ctx, "/v1/bills/"+bought.Bill+"/trackings", tracking, &parcel))
	fmt.Println(parcel.Number)
	check(seller.Post(ctx, "/v1/bills/"+bought.Bill+"/mark-sent", nil, &bill))
	fmt.Println(bill.Status)
}
