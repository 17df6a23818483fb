import click
import httpx

API = "https://rest.delcampe.net/rest"

def client(token=None):
    return httpx.Client(base_url=API, params={"token": token} if token else None, timeout=20)

@click.group()
def cli():
    """Talks to Delcampe: dc close 12 sends DELETE /item/12."""

@cli.command()
@click.argument("item", type=int)
@click.option("--reason", default="NotAvailableItem")
def close(item, reason):
    with client(token()) as c:
        r = c.request("DELETE", f"/item/{item}", data={"reason": reason})
        click.echo(f"DELETE /item/{item}: {r.status_code}")

@cli.command()
@click.option("--auction/--fixed", default=False)
def opened(auction):
    kind = "auction" if auction else "fixedprice"
    with client(token()) as c:
        click.echo(c.get(f"/item/{kind}/opened", params={"numberOfItems": 1000}).text)

@cli.command()
def reasons():
    click.echo(httpx.get(f"{API}/item/closeReasons").text)

def token():
    return httpx.post(API + "/seller", data={"apikey": open(".key").read().strip()}).text

if __name__ == "__main__":
    cli()
