import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Encoding, encodings, importClient, types } from '../support/import-client.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

let sluice: Sluice;
let token: string;
beforeAll(async () => {
  sluice = await startSluice();
  ({ token } = await sluice.owner());
});
afterAll(() => sluice.stop());

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' }, text: { type: 'string' } },
  required: ['n'],
};
const payloads = Array.from({ length: 12_000 }, (_, n) => ({ n, text: `line ${n}, "quoted"\n` }));
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const bodies = {
  ndjson: ndjson(payloads),
  json: JSON.stringify(payloads),
  csv: `n,text\r\n${payloads.map(({ n, text }) => `${n},${quoted(text)}\r\n`).join('')}`,
};

describe.each(Object.keys(bodies) as (keyof typeof bodies)[])('an import of %s', (format) => {
  it.each(Object.keys(encodings) as Encoding[])(
    'that comes %s stores every line once, in order',
    async (encoding) => {
      const domain = await sluice.application(token, schema);
      const client = importClient(sluice, token);
      const body = await encodings[encoding](Buffer.from(bodies[format]));
      const { job, errors } = await client.complete(domain, body, {
        type: types[format],
        ...(encoding !== 'plain' && { headers: { 'content-encoding': encoding } }),
      });
      expect(job).toMatchObject({
        kind: 'import',
        state: 'completed',
        progress: { done: payloads.length, total: payloads.length },
        accepted: payloads.length,
        rejected: 0,
      });
      expect(errors).toEqual([]);
      expect((await uploadClient(sluice, token).payloads(domain)).reverse()).toEqual(payloads);
    },
  );
});
