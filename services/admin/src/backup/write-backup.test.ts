import { Console } from 'node:console';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { Block } from '@sluice/store/backup/block.ts';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { BSON } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { startVersitygw } from '../../../../test/support/versitygw.ts';
import { createEncryption, decrypted } from './age.ts';
import { openPlace } from './place.ts';
import { prune, storedBackups } from './stored-backups.ts';
import { verify } from './verify.ts';
import { writeBackup } from './write-backup.ts';

const gateway = await startVersitygw();
const folder = mkdtempSync(join(tmpdir(), 'sluice-backups-'));
const { endpoint, accessKeyId, secretAccessKey, bucket } = gateway.target;
const env = {
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
};
const identity = await generateIdentity();
const encrypt = createEncryption([await identityToRecipient(identity)]);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

const stdout = new PassThrough().resume();
const terminal = { stdout, console: new Console(stdout) };
const startedAt = new Date('2026-11-22T01:02:03.004Z');
const documents = (bytes: number) => [Buffer.from(BSON.serialize({ _id: 1, bytes: randomBytes(bytes) }))];

/** A database with these entries, which is lost after them if `fault` is given. */
function database(bytes: number, fault?: Error) {
  const did: string[] = [];
  async function* read(): AsyncGenerator<Block, Date> {
    try {
      for (let n = 0; n < 4; n++) yield { collection: 'entries', documents: documents(bytes) };
      if (fault) throw fault;
      return startedAt;
    } finally {
      await new Promise(setImmediate);
      did.push('ended');
    }
  }
  const note = async ({ bytes }: { bytes: number }) => void did.push(`noted ${bytes}`);
  return { did, read, note, now: async () => startedAt };
}

const place = (to: string, given: Record<string, string> = env) => {
  const opened = openPlace(to, given) as ObjectStore;
  afterAll(() => opened.close());
  return opened;
};

async function* once(bytes: Buffer) {
  yield bytes;
}

const large = 3_000_000;

describe.each([
  ['a bucket', place(`s3://${bucket}/some/prefix`)],
  ['a folder', place(`${folder}/new/`)],
])('a backup in %s', (_what, objects) => {
  it.each([
    ['as it is', undefined, 'sluice-20261122T010203Z.backup'],
    ['encrypted', encrypt, 'sluice-20261122T010203Z.backup.age'],
  ])('is there when all of it is, %s', async (_how, encrypt, name) => {
    const lost = database(large, new Error('cut off'));
    await expect(writeBackup(lost, terminal, { to: '', place: objects, encrypt })).rejects.toThrow('cut off');
    expect(lost.did).toEqual(['ended']);
    expect(await storedBackups(objects)).toEqual([]);

    const whole = database(large);
    await writeBackup(whole, terminal, { to: '', place: objects, encrypt });
    const [found] = await storedBackups(objects);
    expect(found).toEqual({ name, at: new Date('2026-11-22T01:02:03Z'), bytes: expect.any(Number) });
    expect(whole.did).toEqual(['ended', `noted ${found?.bytes}`]);
    async function* read() {
      yield* (await objects.read(name)) ?? expect.unreachable();
    }
    const { verified } = await verify(() => decrypted(read(), [identity]));
    expect(verified.collections.entries?.documents).toBe(4);
    const again = writeBackup(database(10), terminal, { to: '', place: objects, encrypt });
    await expect(again).rejects.toThrow('exists');
    await objects.remove(name);
  });

  it('is removed when it is old enough, but never the newest, nor what is no backup', async () => {
    const names = ['sluice-20250101T000000Z.backup', 'sluice-20250102T000000Z.backup.age'];
    for (const name of [...names, 'sluice-notes.txt', 'deep/sluice-20240101T000000Z.backup'])
      await objects.replace(name, once(Buffer.from(name)));
    const left = async () => (await storedBackups(objects)).map(({ name }) => name);
    await prune(objects, new Date('2025-01-01T00:00:00Z'));
    expect(await left()).toEqual(names);
    await prune(objects, new Date('2026-01-01T00:00:00Z'));
    expect(await left()).toEqual(names.slice(1));
    const others = ['sluice-notes.txt', 'deep/sluice-20240101T000000Z.backup'];
    for (const name of others)
      expect(String(await buffer((await objects.read(name)) ?? expect.unreachable()))).toBe(name);
    await objects.remove(names[1] as string);
  });
});

it('that is broken off leaves no file in the folder', async () => {
  const lost = database(large, new Error('cut off'));
  const writing = writeBackup(lost, terminal, { to: '', place: place(`${folder}/broken/`) });
  await expect(writing).rejects.toThrow('cut off');
  expect(readdirSync(join(folder, 'broken'))).toEqual([]);
});

it('in a folder can be read by its owner alone', async () => {
  const objects = place(`file://${folder}/own`);
  await writeBackup(database(10), terminal, { to: '', place: objects });
  const [stored] = await storedBackups(objects);
  expect(statSync(join(folder, 'own', stored?.name ?? '')).mode & 0o777).toBe(0o600);
});

it.each([
  [
    'another secret',
    { ...env, AWS_SECRET_ACCESS_KEY: 'other' },
    's3://lake/p',
    'the secret access key does not',
  ],
  [
    'an unknown key',
    { ...env, AWS_ACCESS_KEY_ID: 'other' },
    's3://lake/p',
    'does not know the access key id',
  ],
  ['another bucket', env, 's3://none/p', 'has no bucket none'],
])('to a bucket with %s ends with one sentence, before the database is read', async (...given) => {
  const [, keys, to, message] = given;
  const read = database(large);
  const writing = writeBackup(read, terminal, { to, place: place(to, keys), encrypt });
  await expect(writing).rejects.toThrow(message);
  expect(read.did).toEqual([]);
});

it('that was changed or cut cannot be decrypted', async () => {
  const whole = await buffer(encrypt(once(randomBytes(200_000))));
  const read = (bytes: Buffer, identities = [identity]) => buffer(decrypted(once(bytes), identities));
  expect((await read(whole)).length).toBe(200_000);
  const changed = whole.with(100_000, (whole[100_000] as number) ^ 1);
  for (const bytes of [Buffer.from(changed), whole.subarray(0, -1), whole.subarray(0, 70_000)])
    await expect(read(bytes)).rejects.toThrow('the backup is truncated or was changed');
  await expect(read(whole, [])).rejects.toThrow('the backup is encrypted: name');
  await expect(read(whole, [await generateIdentity()])).rejects.toThrow('this identity does not open');
});

it.each([
  ['encrypted', encrypt],
  ['as it is', undefined],
])(
  'that its bucket breaks off, %s, ends the reading of the database before it fails',
  async (_how, encrypt) => {
    const objects = place(`${folder}/off/`);
    async function create(_name: string, pieces: AsyncIterable<Uint8Array>): Promise<never> {
      for await (const piece of pieces) if (piece.length > 10_000) throw new Error('broken off');
      return expect.unreachable();
    }
    const read = database(large);
    const writing = writeBackup(read, terminal, { to: '', place: { ...objects, create }, encrypt });
    await expect(writing).rejects.toThrow('broken off');
    expect(read.did).toEqual(['ended']);
  },
);
