import { type Sluice, until } from '../support/sluice.ts';

const schema = {
  type: 'object',
  properties: { place: { type: 'string' }, celsius: { type: 'number' } },
};
const entries = [
  { place: 'Oslo', celsius: -3.5 },
  { place: 'Bergen', celsius: 4, tags: ['rain', { of: 'April' }] },
];

/** Of each kind of thing, what deletions get. */
const spare = 8;

/** Values for requests, by the names of the dictionaries in schemathesis.toml. */
export type Dictionaries = Record<string, string[]>;

/** An owner with applications, entries, keys and jobs that are over. */
export async function createScene(sluice: Sluice) {
  const owner = await sluice.owner();
  const { token } = owner;
  async function request(method: string, path: string, json?: unknown) {
    const { status, text, body } = await sluice.request(method, path, { token, json });
    if (status >= 300) throw new Error(text);
    return body.data;
  }
  const many = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: spare }, make));

  const [open, keyed] = [await sluice.application(token, schema), await sluice.application(token, schema)];
  const path = `/applications/${open}`;
  await request('POST', `${path}/data/batch`, entries);
  const makeKey = (domain: string) => request('POST', `/applications/${domain}/keys`, { name: 'made' });
  const { key } = await makeKey(keyed);
  await request('PATCH', `/applications/${keyed}`, { key_required: true });

  async function job(kind: 'exports' | 'imports'): Promise<string> {
    const { id } = await request('POST', `${path}/${kind}`, kind === 'exports' ? {} : [...entries, 5]);
    await until(async () => (await request('GET', `${path}/${kind}/${id}`)).state === 'completed');
    return id;
  }

  const dictionaries: Dictionaries = {
    usernames: [owner.username],
    domains: [open, keyed],
    exports: [await job('exports')],
    imports: [await job('imports')],
    keys: [(await makeKey(open)).id],
    'spare-domains': await many(() => sluice.application(token)),
    'spare-exports': await many(() => job('exports')),
    'spare-imports': await many(() => job('imports')),
    'spare-keys': await many(async () => (await makeKey(open)).id),
    cursors: [(await request('GET', `${path}/data?limit=1`)).pagination.cursor],
    filters: [
      '{"celsius":{"gte":-5,"lt":30}}',
      '{"place":{"in":["Oslo","Bergen"]},"/tags":{"exists":false}}',
    ],
    columns: ['place', 'createdAt,celsius', 'tags'],
    schemas: [JSON.stringify(schema), '{"type":"object","required":["id"]}'],
  };
  return { token, key: key as string, dictionaries };
}

export type Scene = Awaited<ReturnType<typeof createScene>>;
