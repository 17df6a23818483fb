API="${DELCAMPE_API:-https://rest.delcampe.net}"
api_get() { curl -fsS "$API/$1?token=$TOKEN"; }
api_put() {
    curl -fsS -X PUT "$API/$1" --data "token=$TOKEN&$2"
}
