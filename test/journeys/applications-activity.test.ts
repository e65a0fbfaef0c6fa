import { expect, it } from 'vitest';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const none = { entries: 0, last_entry_at: null, refused_24h: 0 };

it('an application says how many entries it has, when the newest came, and how many were refused', async () => {
  const schema = JSON.stringify(celsiusSchema);
  const made = await sluice.request('POST', '/applications', {
    token,
    json: { name: 'A', type: 'web', schema },
  });
  expect(made.body.data).toMatchObject(none);
  const { domain } = made.body.data;
  const path = `/applications/${domain}`;
  const empty = await sluice.application(token);
  const { upload } = uploadClient(sluice, token);
  const ids: string[] = [];
  for (const celsius of [1, 2, 3])
    ids.push((await upload(domain, JSON.stringify({ celsius }))).headers.get('entry-id') as string);
  const refusals = refusedClient(sluice, token, domain);
  for (const celsius of ['a', 'b']) await refusals.refuse({ celsius });
  await refusals.untilCounted(2);

  const createdAt = async (id: string) =>
    (await sluice.request('GET', `${path}/data/${id}`, { token })).body.data.createdAt;
  async function expectActivity(expected: object) {
    const one = await sluice.request('GET', path, { token });
    expect(one.body.data).toMatchObject(expected);
    const { body } = await sluice.request('GET', '/applications', { token });
    const listed = body.data.filter((each: { domain: string }) => [domain, empty].includes(each.domain));
    expect(listed).toMatchObject([none, expected]);
  }
  await expectActivity({ entries: 3, last_entry_at: await createdAt(ids[2] as string), refused_24h: 2 });
  await sluice.request('DELETE', `${path}/data/${ids[2]}`, { token });
  await expectActivity({ entries: 2, last_entry_at: await createdAt(ids[1] as string), refused_24h: 2 });
  const published = await sluice.request('POST', `${path}/schemas`, {
    token,
    json: { schema: { type: 'object' } },
  });
  expect(published.body.data.application).toMatchObject({ entries: 2, refused_24h: 2 });
  for (const id of ids) await sluice.request('DELETE', `${path}/data/${id}`, { token });
  await until(async () => (await uploadClient(sluice, token).count(domain)) === 0);
  await expectActivity({ entries: 0, last_entry_at: null, refused_24h: 2 });
});
