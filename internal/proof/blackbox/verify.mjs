// Verifies deliveries, one JSON object a line, with the npm package standardwebhooks: each with every secret that is
// said to have signed it. Prints how many there were.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

// The deliveries are minutes old, and the package refuses those. Their times were checked when they arrived.
let now = 0;
Date.now = () => now;

let count = 0;
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const { id, timestamp, signature, body, secrets } = JSON.parse(line);
  now = Number(timestamp) * 1000;
  for (const secret of secrets) {
    new Webhook(secret).verify(body, { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature });
  }
  count++;
}
console.log(`verified ${count}`);
