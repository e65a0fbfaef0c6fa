import { describe, expect, it } from 'vitest';
import { sharedSluice, storeOf } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const domain = await sluice.application(token, {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
});

const ndjson = { 'content-type': 'application/x-ndjson' };
const ask = (action: string, body: string, headers: Record<string, string> = {}) =>
  sluice.request('POST', `/applications/${domain}/data/${action}`, { body, headers });

describe('a dry run', () => {
  it.each<[string, string, Record<string, string>, number, number[]]>([
    ['an upload', '{"n":1}', {}, 1, []],
    ['an upload that does not conform', '{"n":"1"}', {}, 0, [1]],
    ['an upload that is no JSON', '{"n":', {}, 0, [1]],
    ['an array', '[{"n":1},{"n":1.5},{"n":3}]', {}, 2, [2]],
    ['lines', '{"n":1}\n\n{}\n{"n":3}\n', ndjson, 2, [3]],
    ['a number that no double holds', '{"n":9223372036854775808}', {}, 0, [1]],
  ])('says of %s what would become of it', async (_, body, headers, accepted, refused) => {
    const { status, body: answer } = await ask('validate', body, headers);
    expect(status).toBe(200);
    expect(answer.data).toMatchObject({ accepted, rejected: refused.length });
    expect(answer.data.errors.map(({ line }: { line: number }) => line)).toEqual(refused);
  });

  it('gives the reasons that the batch gives', async () => {
    const body = '{"n":1}\n{"n":"x"}\n{"n":1,"n":2}\n[1]\n';
    const tried = await ask('validate', body, ndjson);
    const { body: done } = await ask('batch', body, ndjson);
    expect(tried.body.data).toEqual(done.data);
  });

  it('would store nothing of an atomic batch with a refused line', async () => {
    const { body } = await ask('validate?atomic=true', '{"n":1}\n{}\n', ndjson);
    expect(body.data).toMatchObject({ accepted: 0, rejected: 1 });
  });

  it('stores nothing, and knows of no new columns afterwards', async () => {
    const store = storeOf(sluice);
    const id = (await store.applications.byDomain(domain))?.id as string;
    const before = await store.entries.count(id, {});
    await ask('validate', '[{"n":1,"fresh":true},{"n":2}]');
    expect(await store.entries.count(id, {})).toBe(before);
    expect((await store.fields.of(id)).pointers).not.toContain('/fresh');
  });

  it('refuses what no route of uploads takes', async () => {
    expect((await ask('validate', '')).body.error.name).toBe('MalformedBodyError');
    expect((await ask('validate', '[{"n":1}')).body.error.name).toBe('MalformedBodyError');
    expect((await ask('validate', 'n=1', { 'content-type': 'text/plain' })).status).toBe(415);
    const elsewhere = `/applications/no-such-application/data/validate`;
    expect((await sluice.request('POST', elsewhere, { body: '{}' })).status).toBe(404);
  });
});
