"""Our own shop. It is not Delcampe."""
from flask import Flask, redirect
import requests

app = Flask(__name__)
ERP = "https://erp.example.org/rest"


@app.route("/item/<int:id>")
def item(id):
    app.logger.info("GET /item/%s", id)
    return requests.get(ERP + "/item/" + str(id)).text


@app.route("/category", methods=["GET", "POST"])
def category():
    return redirect("/item/" + "3")
