import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';

let sluice: Sluice;
let token: string;
beforeAll(async () => {
  sluice = await startSluice({ workers: false });
  ({ token } = await sluice.owner());
});
afterAll(() => sluice.stop());

const list = () => sluice.request('GET', '/applications', { token });
/** Nearly all that a schema may have, and little to compile. */
const large = JSON.stringify({ type: 'object', x: '\u20ac"'.repeat(50_000) });

it('an owner without applications has an empty list', async () => {
  const { status, body } = await list();
  expect([status, body]).toEqual([200, { success: true, status: 200, data: [] }]);
});

it('applications with large schemas are listed whole, newest first, each as it is by itself', async () => {
  const domains: string[] = [];
  for (let n = 0; n < 30; n++) {
    const json = { name: `no ${n}`, type: 'web', schema: large };
    const { status, body } = await sluice.request('POST', '/applications', { token, json });
    expect(status).toBe(200);
    domains.unshift(body.data.domain);
  }
  await sluice.request('DELETE', `/applications/${domains.pop()}`, { token });
  const { status, body } = await list();
  expect([status, body.success, body.status]).toEqual([200, true, 200]);
  expect(body.data.map(({ domain }: { domain: string }) => domain)).toEqual(domains);
  for (const [place, domain] of domains.entries()) {
    const single = await sluice.request('GET', `/applications/${domain}`, { token });
    expect(body.data[place]).toEqual(single.body.data);
  }
});
