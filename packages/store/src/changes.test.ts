import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../test/support/own-database.ts';
import { ownStores } from '../../../test/support/sluice.ts';
import { connectDatabase } from './connect.ts';

const url = ownStores().MONGODB_URL as string;
const client = new MongoClient(url);
const db = client.db();
const store = connectDatabase({ url, timeoutMs: 60_000 }, 'sluice-test', 'impatient');
afterAll(() => Promise.all([client.close(), store.close()]));
await store.prepare();
const { applications, changes, keys, personalTokens, schemas, users } = store;
const day = 86_400_000;

async function newUser() {
  const username = `u${randomBytes(6).toString('hex')}`;
  const made = await users.create({ username, locale: 'en', passwordHash: 'hash' });
  if (!made) throw new Error('no user');
  return made;
}

async function newApplication(owner: { id: string; username: string }) {
  const domain = randomBytes(6).toString('hex');
  const fields = { name: 'Test', type: 'other', connectors: [], rawSchema: '{"type":"object"}' };
  const made = await applications.create({ ...fields, owner, domain });
  if (!made) throw new Error('no application');
  return made;
}

const newHash = () => randomBytes(32);
const newKey = async (application: string, hash = newHash()) =>
  (await keys.create(application, { name: 'key' }, { prefix: 'sk_1', hash }, 'ada', 100))?.id as string;
const newToken = async (user: { id: string; tokenVersion: number }, hash = newHash()) =>
  (await personalTokens.create(user, { name: 'token', scopes: ['upload'] }, hash, 100))?.id as string;
const session = (id: string) => ({ id, via: 'password' as const, expiresAt: new Date(Date.now() + day) });

/** Each makes what it needs, and returns the change and the ids of what it changes. */
type Prepare = () => Promise<[change: () => Promise<unknown>, ...ids: string[]]>;

const ofOne =
  (
    change: (
      one: Awaited<ReturnType<typeof newApplication>>,
      other: { id: string; username: string },
    ) => unknown,
  ) =>
  async () => {
    const [one, other] = [await newApplication(await newUser()), await newUser()];
    return [async () => change(one, other), one.id] as [() => Promise<unknown>, string];
  };

const operations: Record<string, Record<string, Prepare>> = {
  applications: {
    update: ofOne(({ id }) => applications.update(id, { keyRequired: true })),
    remove: ofOne(({ domain, owner }) => applications.remove(domain, owner.id, 0)),
    restore: async () => {
      const { id, domain, owner } = await newApplication(await newUser());
      await applications.remove(domain, owner.id, day);
      return [() => applications.restore(domain, owner.id), id];
    },
    transfer: ofOne(({ id, owner }, other) => applications.transfer(id, owner.id, other)),
    setMember: ofOne(({ id }, other) => applications.setMember(id, other, 'editor', 10)),
    removeMember: async () => {
      const [{ id }, member] = [await newApplication(await newUser()), await newUser()];
      await applications.setMember(id, member, 'editor', 10);
      return [() => applications.removeMember(id, member.id), id];
    },
    removeFromAll: async () => {
      const member = await newUser();
      const ids: string[] = [];
      for (const { id } of [await newApplication(await newUser()), await newApplication(await newUser())]) {
        await applications.setMember(id, member, 'editor', 10);
        ids.push(id);
      }
      return [() => applications.removeFromAll(member.id), ...ids];
    },
  },
  schemas: {
    publish: ofOne((one) =>
      schemas.publish(one, { rawSchema: '{}', note: undefined, createdBy: 'ada', fields: [] }),
    ),
  },
  keys: {
    rotate: async () => {
      const { id } = await newApplication(await newUser());
      const key = await newKey(id);
      return [() => keys.rotate(id, key, { prefix: 'sk_2', hash: newHash() }, 'ada'), key];
    },
    update: async () => {
      const { id } = await newApplication(await newUser());
      const key = await newKey(id);
      return [() => keys.update(id, key, { name: 'other' }), key];
    },
    revoke: async () => {
      const { id } = await newApplication(await newUser());
      const key = await newKey(id);
      return [() => keys.revoke(id, key), key];
    },
  },
  personalTokens: {
    revoke: async () => {
      const user = await newUser();
      const token = await newToken(user);
      return [() => personalTokens.revoke(user.id, token), token];
    },
    removeAll: async () => {
      const user = await newUser();
      const [one, other] = [await newToken(user), await newToken(user)];
      return [() => personalTokens.removeAll(user.id), one, other];
    },
  },
  users: {
    disable: async () => {
      const { id } = await newUser();
      return [() => users.disable(id), id];
    },
    enable: async () => {
      const { id } = await newUser();
      await users.disable(id);
      return [() => users.enable(id), id];
    },
    changePassword: async () => {
      const user = await newUser();
      return [() => users.changePassword(user, 'other'), user.id];
    },
    setPasswordByCode: async () => {
      const { id, username } = await newUser();
      const issued = await users.issueCode(id, day);
      return [() => users.setPasswordByCode(username, issued?.code as string, 'other'), id];
    },
    endSession: async () => {
      const { id } = await newUser();
      await users.beginSession(id, session('one'));
      return [() => users.endSession(id, 'one'), id];
    },
    endOtherSessions: async () => {
      const { id } = await newUser();
      await users.beginSession(id, session('one'));
      return [() => users.endOtherSessions(id, 'another'), id];
    },
    // The oldest ends.
    beginSession: async () => {
      const { id } = await newUser();
      for (let n = 0; n < 50; n++) await users.beginSession(id, session(`${n}`));
      return [() => users.beginSession(id, session('one more')), id];
    },
  },
};

/** They read, or change nothing of which uploads and live streams were told. */
const others: Record<string, string[]> = {
  applications: [
    ...[
      'create',
      'byDomain',
      'byId',
      'byIds',
      'countOfOwner',
      'idsOfOwner',
      'keptOfOwner',
      'sizesOf',
      'expiring',
      'archived',
    ],
    ...['living', 'overview', 'sharingWith', 'unpurged', 'tombstone', 'purgedAmong', 'dismiss'],
    // Nobody can upload to it before either.
    ...['forgetRestorable', 'beginPurge', 'markPurged'],
    // It moves entries, which uploads and live streams do not see.
    'mayExpire',
  ],
  schemas: ['list', 'of'],
  // Nobody has to hear of a use.
  keys: ['create', 'list', 'hashes', 'noteUse'],
  personalTokens: ['create', 'list', 'byHash'],
  users: [
    ...[
      'create',
      'byName',
      'byId',
      'isEmpty',
      'list',
      'update',
      'renewHash',
      'overview',
      'invite',
      'issueCode',
    ],
    ...['hasCode', 'disabledAmong', 'noteSeen', 'byIdentity'],
    // Another way in ends nothing.
    'link',
    // Logins ask for it, uploads and streams do not.
    ...['beginSecondFactor', 'confirmSecondFactor', 'useStep', 'useRecoveryCode', 'removeSecondFactor'],
    // After `disable`, and after the end of all that the user has.
    'remove',
  ],
};

async function position() {
  const found = await changes.since(undefined);
  if (!found) throw new Error('the database is not prepared');
  expect(found.revisions.size).toBe(0);
  return found.until;
}

it('knows of every operation whether it is a change', () => {
  const all = { applications, schemas, keys, personalTokens, users };
  for (const [name, of] of Object.entries(all))
    expect(Object.keys(of).sort()).toEqual(
      [...Object.keys(operations[name] ?? {}), ...(others[name] ?? [])].sort(),
    );
});

const rows = Object.entries(operations).flatMap(([name, of]) =>
  Object.entries(of).map(([operation, prepare]) => [`${name}.${operation}`, prepare] as const),
);

it.each(rows)('tells of %s', async (_name, prepare) => {
  const [change, ...ids] = await prepare();
  const before = await position();
  const first = await changes.since(before);
  await change();
  const then = await changes.since(before);
  for (const id of ids) expect(then?.revisions.get(id) ?? 0n).toBeGreaterThan(first?.revisions.get(id) ?? 0n);
});

it('tells nothing of a session that begins, and of a token that is used', async () => {
  const user = await newUser();
  const hash = newHash();
  const token = await newToken(user, hash);
  const before = await position();
  await users.beginSession(user.id, session('one'));
  await personalTokens.byHash(hash);
  const found = await changes.since(before);
  expect([found?.revisions.has(user.id), found?.revisions.has(token)]).toEqual([false, false]);
});

it('reads a record with the revision that it tells', async () => {
  const { id, domain, revision } = await newApplication(await newUser());
  expect(revision).toBe(0n);
  const before = await position();
  await applications.update(id, { name: 'Other' });
  const found = await changes.since(before);
  expect((await applications.byDomain(domain))?.revision).toBe(found?.revisions.get(id));
});

it('reads only what changed', async () => {
  const user = await newUser();
  for (let n = 0; n < 200; n++) await newApplication(user);
  const before = await position();
  await db.collection('applications').updateMany({}, { $unset: { changedAt: '' } });
  await db.command({ profile: 2 });
  await changes.since(before);
  await db.command({ profile: 0 });
  const [asked] = await db
    .collection('system.profile')
    .find({ ns: `${db.databaseName}.operations`, 'command.aggregate': 'operations' })
    .toArray();
  expect(asked?.docsExamined).toBeLessThan(100);
});

it('nothing has what was revoked, and its record goes after a day', async () => {
  const user = await newUser();
  const { id } = await newApplication(user);
  const [hash, tokenHash] = [newHash(), newHash()];
  const [key, token] = [await newKey(id, hash), await newToken(user, tokenHash)];
  expect(await keys.revoke(id, key)).toBe(true);
  expect(await personalTokens.revoke(user.id, token)).toBe(true);
  expect([await keys.revoke(id, key), await personalTokens.revoke(user.id, token)]).toEqual([false, false]);
  expect(await keys.rotate(id, key, { prefix: 'sk_2', hash }, 'ada')).toBeUndefined();
  expect([await keys.list(id), await keys.hashes(id), await personalTokens.list(user)]).toEqual([[], [], []]);
  expect(await personalTokens.byHash(tokenHash)).toBeUndefined();
  expect(await keys.create(id, { name: 'key' }, { prefix: 'sk_3', hash }, 'ada', 1)).toBeDefined();
  expect(await personalTokens.create(user, { name: 'token', scopes: ['read'] }, tokenHash, 1)).toBeDefined();
  for (const name of ['keys', 'tokens']) {
    const indexes = await db.collection(name).indexes();
    expect(indexes.find((index) => index.key.revokedAt)?.expireAfterSeconds).toBe(86_400);
    expect(await db.collection(name).countDocuments({ revokedAt: { $type: 'date' } })).toBeGreaterThan(0);
  }
});

it('tells nothing of a database that is not prepared', async () => {
  const empty = openStore((await ownDatabase()).url);
  expect(await empty.changes.since(undefined)).toBeUndefined();
});
