import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { startSluice } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';
import { python } from './python.ts';

const run = promisify(execFile);

it('pandas, Polars and DuckDB read a streamed export, and keep the zero of a text', async () => {
  const sluice = await startSluice();
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const properties = { place: { type: 'string' }, n: { type: 'integer' } };
  const domain = await sluice.application(token, { type: 'object', properties });
  const places = ['09062', '00501'];
  const lines = ndjson(places.map((place, n) => ({ place, n })));
  expect((await uploadClient(sluice, token).batch(domain, lines)).status).toBe(201);

  const script = join(import.meta.dirname, 'read_stream.py');
  const { stdout } = await run(python(), [script, `${sluice.url}/api/applications/${domain}/export`], {
    env: { ...process.env, TOKEN: token },
  });
  const found: Record<string, string[]> = JSON.parse(stdout);
  expect(Object.keys(found)).toHaveLength(8);
  for (const [reader, values] of Object.entries(found)) expect([reader, values]).toEqual([reader, places]);
});

it.each([3, 5_000])(
  'DuckDB reads a Parquet export of %s entries over HTTP, with a token and by ranges',
  async (count) => {
    const sluice = await startSluice();
    onTestFinished(() => sluice.stop());
    const { token } = await sluice.owner();
    const properties = { n: { type: 'integer' }, text: { type: 'string' } };
    const domain = await sluice.application(token, { type: 'object', properties });
    const payloads = Array.from({ length: count }, (_, n) => ({ n, text: `entry ${n}` }));
    expect((await uploadClient(sluice, token).batch(domain, ndjson(payloads))).status).toBe(201);
    const client = exportClient(sluice.url, token);
    const { file } = await client.over(domain, await client.create(domain, { format: 'parquet' }));

    const script = join(import.meta.dirname, 'read_remote.py');
    const { stdout } = await run(python(), [script, sluice.url + file.url], {
      env: { ...process.env, TOKEN: token },
      maxBuffer: 2 ** 24,
    });
    expect(JSON.parse(stdout)).toEqual(payloads.map(({ n, text }) => [n, text]));
  },
);
