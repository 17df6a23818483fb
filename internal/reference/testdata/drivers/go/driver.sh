# The samples are functions of one program (main.go), which is built once.
unformatted=$(gofmt -d .)
if [ -n "$unformatted" ]; then
	echo "$unformatted" >&2
	exit 1
fi
go vet . && go run .
