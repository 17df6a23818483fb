"""Typed request objects."""
import enum
import typing as t
from dataclasses import dataclass, field

import requests

HOST = "rest.delcampe.net"


class Verb(enum.Enum):
    GET = "GET"
    POST = "POST"
    PUT = "PUT"
    DELETE = "DELETE"


@dataclass(frozen=True)
class Call:
    verb: Verb
    path: str
    form: t.Mapping[str, str] = field(default_factory=dict)


def login(key: str) -> Call:
    return Call(Verb.POST, "/seller", {"apikey": key})


def item(ident: int) -> Call:
    return Call(Verb.GET, f"/item/{ident}")


def close(ident: int, reason: str) -> Call:
    return Call(verb=Verb.DELETE, path=f"/item/{ident}", form={"reason": reason})


def reasons() -> Call:
    return Call(Verb.GET, "/item/closeReasons")


class Runner:
    def __init__(self) -> None:
        self.session = requests.Session()
        self.token: t.Optional[str] = None

    def run(self, call: Call) -> bytes:
        response = self.session.request(
            call.verb.value,
            f"https://{HOST}/rest{call.path}",
            params={"token": self.token} if self.token else None,
            data=call.form,
            timeout=30,
        )
        response.raise_for_status()
        return response.content


if __name__ == "__main__":
    runner = Runner()
    print(runner.run(login("k")))
    print("read /item/12")
