import { promisify } from 'node:util';
import { gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { expect } from 'vitest';
import { type Answer, type SharedSluice, storeOf, until } from './sluice.ts';

export const encodings = {
  plain: async (body: Buffer) => body,
  gzip: promisify(gzip) as (body: Buffer) => Promise<Buffer>,
  zstd: promisify(zstdCompress) as (body: Buffer) => Promise<Buffer>,
};
export type Encoding = keyof typeof encodings;

export const types = { ndjson: 'application/x-ndjson', json: 'application/json', csv: 'text/csv' };

export interface ImportCall {
  type?: string;
  /** With its question mark. */
  query?: string;
  headers?: Record<string, string>;
}

/** Imports into applications of one owner, and what became of them. Call in a test. */
export function importClient(sluice: SharedSluice, token: string) {
  const store = storeOf(sluice);
  const path = (domain: string) => `/applications/${domain}/imports`;

  async function start(
    domain: string,
    body: string | Buffer,
    { type = types.ndjson, query = '', headers }: ImportCall = {},
  ): Promise<Answer> {
    const bytes = new Uint8Array(Buffer.from(body));
    return sluice.request('POST', path(domain) + query, {
      token,
      body: bytes,
      headers: { 'content-type': type, ...headers },
    });
  }

  /** The job once it has ended. */
  async function ended(domain: string, id: string) {
    let job: Answer['body']['data'];
    await until(async () => {
      job = (await sluice.request('GET', `${path(domain)}/${id}`, { token })).body.data;
      return !['waiting', 'active'].includes(job.state);
    });
    return job;
  }

  async function report(id: string): Promise<Answer['body'][]> {
    const pieces = [];
    for (const part of await store.jobs.partsOf(id)) {
      const data = (await store.parts.get(part.id)) as Buffer;
      pieces.push(await promisify(zstdDecompress)(data));
    }
    const text = Buffer.concat(pieces).toString();
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  return {
    store,
    start,
    ended,
    report,

    /** Resolves when it is completed, with its job and its refused lines. */
    async complete(domain: string, body: string | Buffer, call?: ImportCall) {
      const { status, body: answer, text } = await start(domain, body, call);
      expect([status, text]).toEqual([202, expect.anything()]);
      const job = await ended(domain, answer.data.id);
      return { job, errors: await report(job.id) };
    },

    /** How many imports have chunks in the store. */
    leftovers: async () => (await store.chunks.jobs()).length,
  };
}
