import { openSync, writeSync } from 'node:fs';
import { type Entry, NotStored, type Refusal, Uploader } from './client.ts';

const [url, spool, progress, from, to, characters, ...others] = process.argv.slice(2) as string[];
const [heldBytes, batchLines, closeSeconds, isPoisoned, key, domain] = others;
const sent = progress === '-' ? undefined : openSync(String(progress), 'a');
const text = 'x'.repeat(Number(characters));
const mebibyte = 1024 ** 2;

const circle: { more?: unknown } = {};
circle.more = circle;
const poison: unknown[] = [
  { n: -1, text },
  { n: -2, text: 'x'.repeat(2 * mebibyte) },
  { n: -3, text: 'x'.repeat(17 * mebibyte) },
  undefined,
  () => {},
  { toJSON() {} },
  1n,
  { n: 1, text, more: circle },
  { n: 1, text, more: [Number.NaN] },
  { n: -10, text: '\ud800' },
  [],
  text,
  null,
  { n: 1, text, more: new Date('no') },
];

function tell(refusal: Refusal): void {
  const { entry, name } = refusal;
  console.log(isPoisoned === 'yes' ? `${entry.n} ${name}` : JSON.stringify(refusal));
  if (isPoisoned === 'yes' && entry.n === -1) void uploader.send({ n: -100, text: 'x'.repeat(9 * mebibyte) });
  if (isPoisoned === 'yes') throw new Error('a callback that fails');
}

async function sendPoison(at: number): Promise<void> {
  try {
    await uploader.send(poison[at] as Entry);
  } catch (error) {
    if (error instanceof NotStored) throw error;
    console.log(`${-1 - at} send`);
  }
}

const uploader = new Uploader({
  baseUrl: String(url),
  domain: String(domain),
  ...(spool !== '-' && { spool: String(spool) }),
  ...(key !== '-' && { key: String(key) }),
  heldBytes: Number(heldBytes),
  batchLines: Number(batchLines),
  closeSeconds: Number(closeSeconds),
  onRefused: tell,
});
for (let n = Number(from), at = 0; n <= Number(to); n++, at++) {
  await uploader.send({ n, text });
  if (sent !== undefined) writeSync(sent, `${n}\n`);
  if (isPoisoned === 'yes' && at < poison.length) await sendPoison(at);
}
if (key !== '-') {
  await uploader.flush();
  console.log(`missing ${await uploader.verify()}`);
}
await uploader.close();
if (isPoisoned === 'yes') await sendPoison(2);
