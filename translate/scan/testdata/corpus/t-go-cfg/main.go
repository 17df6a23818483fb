package main

import (
	"flag"
	"log"
	"net/http"
	"os"
)

var host = flag.String("host", "https://rest.delcampe.net", "the market")

func get(path string) (*http.Response, error) { return http.Get(*host + path) }

func main() {
	token := os.Getenv("TOKEN")
	if _, err := get("/item/fixedprice/opened?token=" + token); err != nil {
		log.Fatalf("GET /item/fixedprice/opened: %v", err)
	}
	req, _ := http.NewRequest("DELETE", *host+"/notification/"+os.Args[1], nil)
	http.DefaultClient.Do(req)
	client := resty.New().SetBaseURL(*host)
	client.R().SetFormData(map[string]string{"feedback": "100"}).Post("/item/12/feedback")
	http.HandleFunc("/item/", handler)
}
