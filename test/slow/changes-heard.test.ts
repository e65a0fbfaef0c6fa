import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReplicaSet } from '../support/replica-set.ts';
import { call, ownStores, startSluice, storeOf } from '../support/sluice.ts';

const count = Number(process.env.CHANGES ?? 6);
const atOnce = 6;
const elections = Number(process.env.ELECTIONS ?? 2);
const promisedMs = 1_000;
/** Long enough to see an upload that began after that second. */
const watchedMs = 1_500;

/** Two APIs, which no Redis tells of each other's changes. */
async function start(more: Record<string, string> = {}) {
  const env = { ...ownStores(), REDIS_URL: 'redis://127.0.0.1:1', ...more };
  const apis = [await startSluice({ env, workers: false }), await startSluice({ env, workers: false })];
  onTestFinished(async () => void (await Promise.all(apis.map((api) => api.stop()))));
  return apis as [(typeof apis)[0], (typeof apis)[0]];
}
type Apis = Awaited<ReturnType<typeof start>>;

interface Scene {
  domain: string;
  /** Of the uploads that the change forbids. */
  headers?: Record<string, string>;
  payload?: object;
  /** Resolves with false if it is to be done again. */
  change(): Promise<boolean>;
}
type Scenes = Record<string, (apis: Apis) => Promise<Scene>>;

/** Keeps asking while MongoDB elects. */
async function data(asking: () => Promise<{ status: number; body: { data?: unknown }; text: string }>) {
  for (;;) {
    const { status, body, text } = await asking();
    if (status === 200) return body.data as never;
    if (status !== 503) throw new Error(text);
    await pause(50);
  }
}

async function owner({ request }: Apis[0]) {
  let json = { username: '', password: 'correct horse', locale: 'en' };
  await data(() => {
    // The name of a try before may be taken.
    json = { ...json, username: `u${randomBytes(6).toString('hex')}` };
    return request('POST', '/users/register', { json });
  });
  const { username, password } = json;
  const login = () => request('POST', '/users/login', { json: { username, password } });
  const { token } = (await data(login)) as { token: string };
  return { username, token };
}

async function ownApplication([one]: Apis, schema: object = { type: 'object' }) {
  const { username, token } = await owner(one);
  const json = { name: 'Test', type: 'other', schema };
  const make = () => one.request('POST', '/applications', { token, json });
  const { domain } = (await data(make)) as { domain: string };
  return { username, token, domain, path: `/applications/${domain}` };
}

async function withKey(apis: Apis) {
  const own = await ownApplication(apis);
  const { token, path } = own;
  const [one] = apis;
  await data(() => one.request('PATCH', path, { token, json: { key_required: true } }));
  const make = () => one.request('POST', `${path}/keys`, { token, json: { name: 'key' } });
  const { id, key } = (await data(make)) as { id: string; key: string };
  return { ...own, key: `${path}/keys/${id}`, headers: { 'x-api-key': key } };
}

/** An editor who uploads with a personal token. */
async function withEditor(apis: Apis) {
  const own = await withKey(apis);
  const [one] = apis;
  const editor = await owner(one);
  const member = `${own.path}/members/${editor.username}`;
  await data(() => one.request('PUT', member, { token: own.token, json: { role: 'editor' } }));
  const json = { name: 'token', scopes: ['upload'] };
  const make = () => one.request('POST', '/users/me/tokens', { token: editor.token, json });
  const { id, token } = (await data(make)) as { id: string; token: string };
  return { ...own, editor, member, personal: `/users/me/tokens/${id}`, headers: { 'x-api-key': token } };
}

const isDone = async (asking: Promise<{ status: number }>) => [200, 404].includes((await asking).status);

const everyday: Scenes = {
  async publication(apis) {
    const own = await ownApplication(apis);
    const json = { schema: { type: 'object', required: ['new'] } };
    const publish = () => apis[0].request('POST', `${own.path}/schemas`, { token: own.token, json });
    return { ...own, change: async () => (await publish()).status === 200 };
  },
  async 'rotation of a key'(apis) {
    const own = await withKey(apis);
    return {
      ...own,
      change: () => isDone(apis[0].request('POST', `${own.key}/rotate`, { token: own.token })),
    };
  },
  async 'revocation of a key'(apis) {
    const own = await withKey(apis);
    return { ...own, change: () => isDone(apis[0].request('DELETE', own.key, { token: own.token })) };
  },
  async deletion(apis) {
    const own = await ownApplication(apis);
    return { ...own, change: () => isDone(apis[0].request('DELETE', own.path, { token: own.token })) };
  },
};

const others: Scenes = {
  async 'revocation of a personal token'(apis) {
    const own = await withEditor(apis);
    return {
      ...own,
      change: () => isDone(apis[0].request('DELETE', own.personal, { token: own.editor.token })),
    };
  },
  async 'end of a membership'(apis) {
    const own = await withEditor(apis);
    return { ...own, change: () => isDone(apis[0].request('DELETE', own.member, { token: own.token })) };
  },
  async 'disabling of the owner'(apis) {
    const own = await ownApplication(apis);
    const { users } = storeOf(apis[0]);
    const { id } = (await users.byName(own.username)) as { id: string };
    return { ...own, change: () => users.disable(id) };
  },
};

/** Uploads to both APIs before, during and after a change. Times in ms after the answer to the change. */
async function watch(apis: Apis, { domain, headers = {}, payload = {}, change }: Scene) {
  const acknowledged: { began: number; at: number }[] = [];
  let tried = 0;
  let answered = Number.POSITIVE_INFINITY;

  /** Calls `begins` once one was acknowledged. */
  async function keepUploading({ url }: { url: string }, begins: () => void): Promise<void> {
    for (;;) {
      const began = performance.now();
      if (began > answered + watchedMs) return;
      const options = { json: payload, headers };
      const { status } = await call(url, 'POST', `/api/applications/${domain}/data`, options);
      if (began > answered + promisedMs) tried += 1;
      if (status === 201) {
        acknowledged.push({ began, at: performance.now() });
        begins();
      }
      await pause(10);
    }
  }

  const uploading = apis.map((api) => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    return { begun, ended: keepUploading(api, resolve) };
  });
  const ended = Promise.all(uploading.map((one) => one.ended));
  await Promise.race([Promise.all(uploading.map(({ begun }) => begun)), ended]);
  while (!(await change())) await pause(50);
  answered = performance.now();
  await ended;
  return {
    began: Math.max(...acknowledged.map(({ began }) => began)) - answered,
    acknowledged: Math.max(...acknowledged.map(({ at }) => at)) - answered,
    tried,
  };
}

/** Makes so many changes, a few at once, and reports the worst. */
async function watchAll(apis: Apis, prepare: Scenes[string], changes: number) {
  const found: Awaited<ReturnType<typeof watch>>[] = [];
  let begun = 0;
  async function work(): Promise<void> {
    while (begun++ < changes) {
      const scene = await prepare(apis);
      found.push(await watch(apis, scene));
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, changes) }, work));
  return {
    began: Math.max(...found.map(({ began }) => began)),
    acknowledged: Math.max(...found.map(({ acknowledged }) => acknowledged)),
    tried: found.reduce((sum, { tried }) => sum + tried, 0),
    changes: found.length,
  };
}

describe('from a second after the answer to a change, on any replica and without Redis', () => {
  it.each(Object.entries({ ...everyday, ...others }))(
    'no upload is taken under the knowledge of before: %s',
    async (name, prepare) => {
      const worst = await watchAll(await start(), prepare, count);
      console.log(name, worst);
      expect(worst.tried).toBeGreaterThan(0);
      expect(worst.began).toBeLessThanOrEqual(promisedMs);
    },
    600_000,
  );

  it('the same holds while primaries are killed', async () => {
    const set = await startReplicaSet();
    const apis = await start({ MONGODB_URL: set.urlOf('changes'), MONGODB_TIMEOUT: '10s' });
    let isOver = false;
    const killing = (async () => {
      for (let n = 0; n < elections && !isOver; n++) await set.killPrimary();
    })();
    const all = Object.entries(everyday).map(async ([name, prepare]) => {
      const worst = await watchAll(apis, prepare, count);
      console.log(name, worst);
      return worst;
    });
    const found = await Promise.all(all);
    isOver = true;
    await killing;
    expect(found.reduce((sum, { tried }) => sum + tried, 0)).toBeGreaterThan(0);
    for (const { began } of found) expect(began).toBeLessThanOrEqual(promisedMs);
  }, 900_000);
});
