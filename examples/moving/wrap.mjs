// Makes an entry of each line of NDJSON, with the time at a JSON Pointer such as /meta/time: node wrap.mjs POINTER < FILE
import { createInterface } from 'node:readline';

const keys = process.argv[2].split('/').slice(1);
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const createdAt = keys.reduce((value, key) => value?.[key], JSON.parse(line));
  // The line stays as it is, with all digits of its numbers.
  process.stdout.write(`{"createdAt":${JSON.stringify(createdAt)},"payload":${line}}\n`);
}
