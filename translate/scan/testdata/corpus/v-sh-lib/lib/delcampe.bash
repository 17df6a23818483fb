#!/usr/bin/env bash
# shellcheck shell=bash
: "${DELCAMPE_API:=https://rest.delcampe.net/rest}"

dc::_req() {
  local verb="$1" path="$2"; shift 2
  curl --silent --show-error --fail --request "$verb" "${DELCAMPE_API%/}/${path#/}?token=${DC_TOKEN:-}" "$@"
}
dc::login()   { DC_TOKEN=$(dc::_req POST seller --data-urlencode "apikey=$1" | xmllint --xpath 'string(//token)' -); export DC_TOKEN; }
dc::item()    { dc::_req GET "item/$1"; }
dc::close()   { dc::_req DELETE "item/$1" -d "reason=${2:-TestItem}"; }
dc::ref()     { dc::_req GET "item/reference/$1"; }
dc::hooks() {
  dc::_req GET notification/settings
}
dc::hook_test() {
  dc::_req POST /notification/test -d "notificationType=$1"
}
