const response = await fetch("{{.URL}}", {
  method: "{{.Method}}",
  headers: {
    "X-Api-Key": process.env.{{key}},
{{- if .Keyed}}
    "Idempotency-Key": crypto.randomUUID(), // the same again if you repeat the request{{end}}
{{- if .Body}}
    "Content-Type": "{{.MediaType}}",{{end}}
  },
{{- if .Body}}
  body: JSON.stringify({{inner .Body}}),{{end}}
});
console.log(response.status, await response.text());
