import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin, spawnAdmin } from '../support/admin-command.ts';
import { ownDatabase } from '../support/own-database.ts';
import { exitOf } from '../support/service-process.ts';
import { startSluice, until } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';
import { startVersitygw } from '../support/versitygw.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-backup-places-'));
const gateway = await startVersitygw('backups');
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

const identities = join(folder, 'key.txt');
// age-keygen made these for this test alone.
const identity = 'AGE-SECRET-KEY-17KSN0YNPXLQS37Y3PW2NEQLQYYM7HNWW0NQ7JR8K0G894AHGYPYS2CQ34K';
const recipient = 'age13n4097npe8tz65ewfancjwvwkqz42lz7f6r43c7xu32njwlzrcks9nh6rt';
const otherIdentity = 'AGE-SECRET-KEY-1ML5NSRNCTGUHHVJ9TQDEWW07NLA0DUNVT8AKJKTQ78EC9QS8EV3Q6PDC8F';
const otherRecipient = 'age1fakccmcdsx6qkwkyqplgpmea7hzpqxgcdjlltnle8p6hje3c0ytsjtsx44';
writeFileSync(identities, `# created: 2026-11-22\n# public key: ${recipient}\n${identity}\n`);
const other = join(folder, 'other.txt');
writeFileSync(other, otherIdentity);

let env: Record<string, string>;
beforeAll(async () => {
  const sluice = await startSluice({ workers: false });
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  await uploadClient(sluice, token).batch(domain, ndjson(Array.from({ length: 100 }, (_, n) => ({ n }))));
  await sluice.stop();
  env = {
    ...sluice.env,
    AWS_ENDPOINT_URL_S3: gateway.target.endpoint,
    AWS_ACCESS_KEY_ID: gateway.target.accessKeyId,
    AWS_SECRET_ACCESS_KEY: gateway.target.secretAccessKey,
  };
});

/** The hash of each collection after a restore into a database of its own. */
async function restored(...args: string[]) {
  const { db, url } = await ownDatabase();
  expect(await admin({ ...env, MONGODB_URL: url }, ['restore', ...args])).toMatchObject({ code: 0 });
  expect(await db.collection('entries').countDocuments()).toBe(100);
  const { collections } = await db.command({ dbHash: 1 });
  // Each backup is noted there.
  return { ...collections, operations: undefined };
}

const listed = async (place: string) =>
  JSON.parse((await admin(env, ['backups', 'list', '--from', place, '--json'])).stdout) as {
    name: string;
    bytes: number;
  }[];

describe.each([
  ['a bucket', 's3://backups/some/prefix'],
  ['a folder', `file://${folder}/daily`],
])('a backup in %s', (_what, place) => {
  it('is listed, and gives back the same database as a file', async () => {
    const file = join(folder, `${place.length}.backup`);
    expect(await admin(env, ['backup', '--to', file])).toMatchObject({ code: 0 });
    const made = await admin(env, ['backup', '--to', place]);
    const [{ name = '', bytes } = {}, ...more] = await listed(place);
    expect(more).toEqual([]);
    const size = bytes?.toLocaleString('en');
    expect(made.stderr).toMatch(new RegExp(`^Backup of .*: 100 entries, ${size} bytes in ${name}\n$`));
    const table = (await admin(env, ['backups', 'list', '--from', place])).stdout;
    expect(table).toMatch(new RegExp(`^name +at +bytes\n${name} +\\d{4}-\\S+Z +${bytes}\n$`));
    const before = await restored(file);
    expect(await restored('--from', `${place}/${name}`)).toEqual(before);
    expect(await restored(`${place}/latest`)).toEqual(before);
  });

  it('that is encrypted is restored with its identity only', async () => {
    const sealed = `${place}/sealed`;
    expect(await admin(env, ['backup', '--to', sealed, '--encrypt-to', recipient])).toMatchObject({
      code: 0,
    });
    expect(await listed(sealed)).toEqual([
      expect.objectContaining({ name: expect.stringMatching(/\.age$/) }),
    ]);
    const verify = (...options: string[]) => admin(env, ['backup', 'verify', `${sealed}/latest`, ...options]);
    expect(await verify()).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^sluice-admin: the backup is encrypted: .* --identity FILE\n$/),
    });
    expect(await verify('--identity', other)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice-admin: this identity does not open the backup.*\n$/),
    });
    expect(await verify('--identity', identities)).toMatchObject({ code: 0 });
    const file = join(folder, `${place.length}.backup`);
    expect(await restored('--from', `${sealed}/latest`, '--identity', identities)).toEqual(
      await restored(file),
    );
  });

  it('that is missing is refused with the command that lists others', async () => {
    const { code, stderr } = await admin(env, ['restore', '--from', `${place}/none`]);
    expect([code, stderr]).toEqual([
      1,
      `sluice-admin: ${place}/none is not there: see \`sluice-admin backups list --from ${place}/\`\n`,
    ]);
  });
});

it('is encrypted in a file and on the standard output too', async () => {
  const file = join(folder, 'sealed.backup');
  const options = ['--encrypt-to', recipient, '--encrypt-to', otherRecipient];
  expect(await admin(env, ['backup', '--to', file, ...options])).toMatchObject({ code: 0 });
  await restored(file, '--identity', identities);
  const verify = ['backup', 'verify', file, '--identity', '-'];
  expect(await admin(env, verify, Buffer.from(otherIdentity))).toMatchObject({ code: 0 });
  expect(await admin(env, verify)).toMatchObject({
    code: 1,
    stderr: 'sluice-admin: - has no identity of age: it is a line that begins with AGE-SECRET-KEY-\n',
  });
  const printed = await admin(env, ['backup', '--to', '-', ...options]);
  expect(printed.stdout).toMatch(/^age-encryption\.org\/v1\n/);
});

it('refuses what it cannot do, before it reads the database', async () => {
  const refusal = async (given: Record<string, string>, ...args: string[]) =>
    (await admin({ ...env, ...given }, ['backup', ...args])).stderr;
  expect(await refusal({}, '--to', `${folder}/x`, '--encrypt-to', identity)).toMatch(
    /^sluice-admin: --encrypt-to wants a recipient of age, which begins with age1\n$/,
  );
  expect(await refusal({}, '--to', `${folder}/x`, '--keep-days', '3')).toMatch(/ need a place: /);
  expect(await refusal({ AWS_ACCESS_KEY_ID: '' }, '--to', 's3://backups')).toMatch(/: set AWS_ACCESS_KEY_ID/);
  expect(await refusal({ AWS_SECRET_ACCESS_KEY: 'other' }, '--to', 's3://backups')).toMatch(
    /^sluice-admin: the secret access key does not belong to .*\n$/,
  );
});

it('removes old backups once a new one is there, and none if there is no new one', async () => {
  const place = join(folder, 'kept');
  const objects = folderStore(place);
  const old = 'sluice-20250101T000000Z.backup';
  await objects.create(old, (async function* () {})());
  const days = ['--to', `${place}/`, '--keep-days', '30'];
  const { db, url } = await ownDatabase();
  await db.collection('operations').insertOne({ _id: 'restore' as never });
  const failed = await admin({ ...env, MONGODB_URL: url }, ['backup', ...days]);
  expect((await listed(place)).map(({ name }) => name)).toEqual([old]);
  expect(failed.code).toBe(1);
  expect(await admin(env, ['backup', ...days])).toMatchObject({ code: 0 });
  expect((await listed(place)).map(({ name }) => name)).toEqual([expect.not.stringMatching(old)]);
});

it('makes one in each period until it is stopped', async () => {
  const place = join(folder, 'each');
  const child = spawnAdmin(env, ['backup', '--to', `${place}/`, '--every', '1s']);
  onTestFinished(() => void child.kill());
  await until(async () => (await listed(`file://${place}`)).length >= 3);
  child.kill();
  await exitOf(child);
  await restored('--from', `${place}/latest`);
});
