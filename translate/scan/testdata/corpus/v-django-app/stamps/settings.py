DELCAMPE_URL = "https://rest.delcampe.net/rest/"
DELCAMPE_KEY = ""
ROOT_URLCONF = "stamps.urls"
