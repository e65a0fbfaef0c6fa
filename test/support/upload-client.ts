import { parseExactJson } from '@sluice/json/parse-json.ts';
import { type Answer, type SharedSluice, storeOf } from './sluice.ts';

export interface BatchCall {
  /** With its question mark. */
  query?: string;
  type?: string;
  headers?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
type Payload = any;

export const ndjson = (payloads: Payload[]) =>
  payloads.map((payload) => `${JSON.stringify(payload)}\n`).join('');

/** Uploads to applications of one owner, and what is stored of them. */
export function uploadClient(sluice: SharedSluice, token: string) {
  const path = (domain: string) => `/applications/${domain}/data`;
  return {
    upload: (domain: string, body: string | Uint8Array<ArrayBuffer>, key?: string): Promise<Answer> =>
      sluice.request('POST', path(domain), { body, ...(key && { headers: { 'idempotency-key': key } }) }),

    batch: (
      domain: string,
      body: string | Uint8Array<ArrayBuffer>,
      { query = '', type = 'application/x-ndjson', headers }: BatchCall = {},
    ): Promise<Answer> =>
      sluice.request('POST', `${path(domain)}/batch${query}`, {
        body,
        headers: { 'content-type': type, ...headers },
      }),

    /** All of an application, newest first, page by page with the cursor. */
    async payloads(domain: string): Promise<Payload[]> {
      const found: Payload[] = [];
      for (let after = ''; ; ) {
        const { text, body } = await sluice.request('GET', `${path(domain)}?limit=1000${after}`, { token });
        found.push(
          ...(parseExactJson(text) as typeof body).data.result.map(
            ({ payload }: { payload: Payload }) => payload,
          ),
        );
        const { cursor } = body.data.pagination;
        if (!cursor) return found;
        after = `&after=${cursor}`;
      }
    },

    async count(domain: string): Promise<number> {
      const { body } = await sluice.request('GET', `${path(domain)}?limit=1`, { token });
      return body.data.pagination.total;
    },

    /** The columns that are recorded beside those of the schema. Call in a test. */
    async fields(domain: string): Promise<string[]> {
      const store = storeOf(sluice);
      const application = await store.applications.byDomain(domain);
      return (await store.fields.of(application?.id as string)).pointers;
    },
  };
}

export type UploadClient = ReturnType<typeof uploadClient>;
