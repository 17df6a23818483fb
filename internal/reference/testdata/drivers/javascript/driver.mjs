// Runs the samples one after the other. The character U+001E ends what each prints.
import { readdirSync } from 'node:fs';

for (const sample of readdirSync('.').filter((name) => /^[0-9]/.test(name)).sort()) {
  await import(`./${sample}`);
  process.stdout.write('\x1e');
}
