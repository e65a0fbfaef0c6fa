// Writes each object of an array that is a member of JSON files as a line: node lines.mjs MEMBER FILE…
import { readFileSync } from 'node:fs';

const [, , member, ...files] = process.argv;
for (const file of files)
  for (const each of JSON.parse(readFileSync(file, 'utf8'))[member])
    process.stdout.write(`${JSON.stringify(each)}\n`);
