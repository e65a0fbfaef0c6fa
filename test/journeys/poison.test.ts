import { afterAll, beforeAll, expect, it } from 'vitest';
import { createConnections } from '../support/connections.ts';
import { type Sluice, startSluice, storeOf } from '../support/sluice.ts';

/** How many uploads there are in all. */
const uploads = Number(process.env.POISON_UPLOADS ?? 2_000);
const bodyLimit = 4_096;

let sluice: Sluice;
let domain: string;
beforeAll(async () => {
  sluice = await startSluice({ workers: false, env: { BODY_LIMIT: String(bodyLimit) } });
  domain = await sluice.application((await sluice.owner()).token);
});
afterAll(() => sluice.stop());

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

/** Each as a body, and how it is answered. */
const poisons: [body: string | Buffer, status: number][] = [
  ['{"_bsontype":"Long"}', 422],
  ['{"deep":[{"_bsontype":"ObjectId","id":1}]}', 422],
  ['{"a\\u0000b":1}', 422],
  [nested(101), 422],
  [`{"a":"${'x'.repeat(bodyLimit + 1 - 8)}"}`, 413],
  [Buffer.from([...Buffer.from('{"a":"'), 0xc3, 0x28, ...Buffer.from('"}')]), 400],
  ['{"a":1,"a":2}', 422],
  ['{"a":9223372036854775808}', 422],
  ['{"a":"\\ud800"}', 422],
  ['{"$ref":"a.b","$id":1}', 422],
  ['{"__proto__":{"a":1}}', 400],
  ['{"a":1', 400],
  ['[{"a":1}]', 422],
];

/** What lies just on this side of the limits, and is no poison. */
const harmless: ((id: number) => string)[] = [
  (id) => JSON.stringify({ id, text: 'x'.repeat(id % 1_000) }),
  (id) => `{"id":${id},"toBSON":1,"_bson":"Long","$oid":"x","$ref":"a","$id":2}`,
  (id) => `{"id":${id},"a":${nested(63)}}`,
  (id) =>
    JSON.stringify({ id, text: '' }).replace('""', `"${'x'.repeat(bodyLimit - 17 - String(id).length)}"`),
  (id) => `{"id":${id},"nul":"a\\u0000b","n":9007199254740991}`,
];

it(
  'refuses each poisonous upload, and stores all that come with it',
  async () => {
    const connections = createConnections(sluice.url, 64);
    const wrong: string[] = [];
    const due = new Set<number>();
    let sent = 0;
    await connections.keepBusy(async () => {
      const id = sent++;
      if (id >= uploads) return 'enough';
      const poison = id % 100 === 50 ? poisons[Math.floor(id / 100) % poisons.length] : undefined;
      const [body, expected] = poison ?? [
        (harmless[id % harmless.length] as (id: number) => string)(id),
        201,
      ];
      if (!poison) due.add(id);
      const { status } = await connections.post(`/api/applications/${domain}/data`, body);
      if (status !== expected) wrong.push(`${status}, not ${expected}, for ${String(body).slice(0, 80)}`);
      return 'more';
    });
    connections.close();
    expect(wrong).toEqual([]);

    const { applications, entries } = storeOf(sluice);
    const of = (await applications.byDomain(domain))?.id as string;
    const stored: unknown[] = [];
    for (let start = 0; stored.length === start; start += 1_000) {
      const { entries: page } = await entries.page(of, { start, limit: 1_000 });
      stored.push(...page.map(({ payload }) => payload.id));
    }
    expect(stored.length).toBe(due.size);
    expect(new Set(stored)).toEqual(due);
  },
  60_000 + uploads * 5,
);
