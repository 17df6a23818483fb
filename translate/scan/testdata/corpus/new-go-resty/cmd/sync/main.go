package main

import (
	"log"
	"os"
	"strconv"

	"github.com/go-resty/resty/v2"
)

var paths = map[string]string{
	"login":  "/seller",
	"models": "/shippingModels",
}

func main() {
	base := os.Getenv("DELCAMPE_BASE")
	if base == "" {
		base = "https://rest.delcampe.net/rest"
	}
	c := resty.New().SetBaseURL(base)
	res, err := c.R().SetFormData(map[string]string{"apikey": os.Getenv("KEY")}).Post(paths["login"])
	if err != nil {
		log.Fatalf("POST /seller: %v", err)
	}
	token := tokenOf(res.String())
	if _, err := c.R().SetQueryParam("token", token).Get(paths["models"]); err != nil {
		log.Fatal(err)
	}
	for _, arg := range os.Args[1:] {
		id, _ := strconv.Atoi(arg)
		_, _ = c.R().SetPathParam("id", arg).SetFormData(map[string]string{"reason": "NotAvailableItem"}).Delete("/item/{id}")
		_, _ = c.R().Execute(resty.MethodPost, "/item/"+strconv.Itoa(id)+"/restart")
	}
}
