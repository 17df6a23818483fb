curl {{if and (ne .Method "GET") (not (and (eq .Method "POST") .Body))}}-X {{.Method}} {{end}}{{sh .URL}} \
  -H "X-Api-Key: ${{key}}"{{if .Keyed}} \
  -H "Idempotency-Key: $(openssl rand -hex 16)"{{end}}{{if .Body}} \
  -H 'Content-Type: {{.MediaType}}' \
  -d {{inner .Body | sh}}{{end}}
