"""Prints, as JSON, what Python's own readers make of a message, a mailbox or a table: python3 read.py eml|mbox|csv FILE"""
import csv, email, email.policy, json, mailbox, sys

def told(message):
    return {
        "from": str(message["From"]), "to": [[a.display_name, a.addr_spec] for a in message["To"].addresses], "subject": str(message["Subject"]),
        "date": message["Date"].datetime.isoformat(), "id": str(message["Message-ID"]).strip(), "language": str(message["Content-Language"]),
        "type": message.get_content_type(), "defects": [str(d) for d in message.defects] + [str(d) for h in message.values() for d in h.defects],
        "body": message.get_content().replace("\r\n", "\n"),
    }

kind, path = sys.argv[1:]
policy = email.policy.default.clone(utf8=True)
if kind == "eml":
    with open(path, "rb") as file:
        out = [told(email.message_from_binary_file(file, policy=policy))]
elif kind == "mbox":
    read = mailbox.mbox(path, factory=lambda file: email.message_from_binary_file(file, policy=policy), create=False)
    out = [told(message) for message in read]
else:
    with open(path, newline="", encoding="utf-8") as file:
        out = list(csv.reader(file, strict=True))
json.dump(out, sys.stdout)
