package main

import (
	"context"
	"os"
	"fmt"
	"strings"
	"sellerd/translate"
	"sellerd/translate/scan"
)

func main() {
	args := os.Args[1:]
	if args[0] == "scan" { args = args[1:] }
	format := "text"
	var hosts, paths []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--format": i++; format = args[i]
		case args[i] == "--host": i++; hosts = append(hosts, args[i])
		case strings.HasPrefix(args[i], "--"):
		default: paths = append(paths, args[i])
		}
	}
	t, err := translate.New()
	if err != nil { panic(err) }
	r, err := scan.Run(context.Background(), t, scan.Options{Paths: paths, Hosts: hosts, BaseURL: "https://api.example.com"})
	if err != nil { fmt.Println(err); os.Exit(2) }
	r.Write(os.Stdout, format)
}
