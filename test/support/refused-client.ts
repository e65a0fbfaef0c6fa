import { expect } from 'vitest';
import { type Call, type SharedSluice, until } from './sluice.ts';

export const celsiusSchema = {
  type: 'object',
  properties: { celsius: { type: 'number', maximum: 60 } },
  required: ['celsius'],
};

type Requests = Pick<SharedSluice, 'request'>;

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Found = any;

/** The requests of an owner about refused uploads. */
export function refusedClient({ request }: Requests, token: string, domain: string) {
  const path = `/applications/${domain}`;

  async function data(query: string): Promise<Found> {
    const { status, text, body } = await request('GET', `${path}/refused${query}`, { token });
    expect({ status, text }).toMatchObject({ status: 200 });
    return body.data;
  }
  const list = (query = ''): Promise<Found> => data(query);
  const groups = (query = ''): Promise<Found[]> => data(`/groups${query}`);
  const counted = async () => (await groups()).reduce((sum, { count }) => sum + count, 0);

  return {
    path,
    list,
    groups,
    counted,
    upload: (json: unknown, more: Call = {}) => request('POST', `${path}/data`, { json, ...more }),
    async refuse(json: unknown, more: Call = {}): Promise<void> {
      const { status, text } = await request('POST', `${path}/data`, { json, ...more });
      expect({ status, text }).toMatchObject({ status: 422 });
    },
    uploadText: (body: string) => request('POST', `${path}/data`, { body }),
    remove: (query = '') => request('DELETE', `${path}/refused${query}`, { token }),
    /** Refused uploads are stored about a second later. */
    untilCounted: (count: number, kept = count) =>
      until(async () => (await counted()) === count && (await list('?limit=1')).pagination.total >= kept),
  };
}
