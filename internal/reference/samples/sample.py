{{if .Body}}import json
{{end}}import os
{{if .Keyed}}import uuid
{{end}}from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    "{{.URL}}",
    method="{{.Method}}",
    headers={
        "X-Api-Key": os.environ["{{key}}"],
{{- if .Keyed}}
        "Idempotency-Key": str(uuid.uuid4()),  # the same again if you repeat the request{{end}}
{{- if .Body}}
        "Content-Type": "{{.MediaType}}",{{end}}
    },
{{- if .Body}}
    data=json.dumps({{python .Body}}).encode(),{{end}}
)
try:
    with urlopen(request) as response:
        print(response.status, response.read().decode())
except HTTPError as refusal:
    print(refusal.code, refusal.read().decode())
