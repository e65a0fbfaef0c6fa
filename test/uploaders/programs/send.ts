import { openSync, writeSync } from 'node:fs';
import { Uploader } from './client.ts';

const [url, spool, progress, from, to, characters, heldBytes, batchLines, closeSeconds] = process.argv.slice(
  2,
) as string[];
const sent = progress === '-' ? undefined : openSync(String(progress), 'a');
const text = 'x'.repeat(Number(characters));
const uploader = new Uploader({
  baseUrl: String(url),
  ...(spool !== '-' && { spool: String(spool) }),
  heldBytes: Number(heldBytes),
  batchLines: Number(batchLines),
  closeSeconds: Number(closeSeconds),
  onRefused: (refusal) => console.log(JSON.stringify(refusal)),
});
for (let n = Number(from); n <= Number(to); n++) {
  await uploader.send({ n, text });
  if (sent !== undefined) writeSync(sent, `${n}\n`);
}
await uploader.close();
