import os
class Settings:
    DELCAMPE_BASE = os.getenv("DELCAMPE_BASE", "https://rest.delcampe.net/rest/")
    EBAY_BASE = "https://api.ebay.com/sell/inventory/v1/"
settings = Settings()
