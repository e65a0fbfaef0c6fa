import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { parseAllowed } from '@sluice/shared/public-address.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startVersitygw } from '../../../test/support/versitygw.ts';
import { folderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import { type Bucket, s3Store } from './s3-store.ts';

const allowed = (...parts: string[]) => parseAllowed(parts) as NonNullable<ReturnType<typeof parseAllowed>>;
const local = allowed('127.0.0.1');

const places: Record<string, () => Promise<ObjectStore>> = {
  async folder() {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-objects-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folderStore(folder);
  },
  async bucket() {
    const { bucket } = await startVersitygw();
    return s3Store({ ...bucket, prefix: 'some/prefix' }, local);
  },
};

async function* pieces(...parts: (string | Buffer)[]) {
  for (const each of parts) yield Buffer.from(each);
}

async function* failing(part: Buffer) {
  yield part;
  throw new Error('cut off');
}

async function readText(store: ObjectStore, name: string): Promise<string | undefined> {
  const found = await store.read(name);
  return found && text(found);
}

async function names(store: ObjectStore, prefix: string): Promise<string[]> {
  const found = [];
  for await (const { name, bytes } of store.list(prefix)) found.push(`${name} ${bytes}`);
  return found.toSorted();
}

describe.each(Object.entries(places))('objects in a %s', (_name, open) => {
  it('are stored once, whole or not at all', async () => {
    const store = await open();
    const both = ['one', 'other'].map((part) => store.create('a/b/c.txt', pieces(part)));
    expect(
      (await Promise.allSettled(both)).filter((each) => each.status === 'fulfilled' && each.value),
    ).toHaveLength(1);
    expect(await store.create('a/b/c.txt', pieces('third'))).toBe(false);
    expect(['one', 'other']).toContain(await readText(store, 'a/b/c.txt'));
    await expect(store.create('a/b/d.txt', failing(Buffer.from('half')))).rejects.toThrow('cut off');
    await expect(store.create('a/b/d.txt', failing(randomBytes(20_000_000)))).rejects.toThrow('cut off');
    expect(await store.read('a/b/d.txt')).toBeUndefined();
    expect((await names(store, 'a/')).map((each) => each.split(' ')[0])).toEqual(['a/b/c.txt']);
  });

  it('may have many parts', async () => {
    const store = await open();
    const parts = Array.from({ length: 20 }, () => randomBytes(1_000_000));
    expect(await store.create('large', pieces(...parts))).toBe(true);
    expect(await store.create('large', pieces(...parts))).toBe(false);
    const found = await buffer((await store.read('large')) ?? pieces());
    expect(found.equals(Buffer.concat(parts))).toBe(true);
  });

  it('are replaced, listed and removed', async () => {
    const store = await open();
    await store.create('a/b/c.txt', pieces('one'));
    await store.replace('a/b/c.txt', pieces('other'));
    await store.replace('a/d.txt', pieces('1'));
    expect(await names(store, 'a/')).toEqual(['a/b/c.txt 5', 'a/d.txt 1']);
    expect(await names(store, 'a/b')).toEqual(['a/b/c.txt 5']);
    expect(await names(store, 'none/')).toEqual([]);
    await store.remove('a/d.txt');
    await store.remove('a/d.txt');
    expect(await names(store, '')).toEqual(['a/b/c.txt 5']);
  });

  it('are listed when they are more than a page', async () => {
    const store = await open();
    for (let from = 0; from < 1_050; from += 50)
      await Promise.all(Array.from({ length: 50 }, (_, n) => store.create(`many/${from + n}`, pieces('x'))));
    expect(await names(store, 'many/')).toHaveLength(1_050);
  });
});

describe('a bucket that cannot be used', () => {
  const reason = (bucket: Bucket, of = local) =>
    (async () => s3Store(bucket, of).create('a', pieces('one')))().catch(
      ({ name, message }) => `${name}: ${message}`,
    );

  it('says in one sentence what to do', async () => {
    const { bucket, stop } = await startVersitygw();
    expect(await reason({ ...bucket, accessKeyId: 'other' })).toBe(
      'ObjectStoreError: the store does not know the access key other: give the archive a key that it knows',
    );
    expect(await reason({ ...bucket, secretAccessKey: 'other' })).toBe(
      'ObjectStoreError: the secret access key of sluice-tests is wrong: give the archive the right one',
    );
    expect(await reason({ ...bucket, bucket: 'none' })).toBe(
      'ObjectStoreError: there is no bucket none: create it, or make the archive anew with the right name',
    );
    expect(await reason(bucket, allowed())).toMatch(
      /^ObjectStoreError: 127\.0\.0\.1 is a private address.*OUTBOUND_ALLOW$/,
    );
    const named = { ...bucket, endpoint: bucket.endpoint.replace('127.0.0.1', 'localhost') };
    expect(await reason(named, allowed())).toMatch(
      /^ObjectStoreError: localhost has the private address .*OUTBOUND_ALLOW$/,
    );
    stop();
    expect(await reason(bucket)).toMatch(
      /^ObjectStoreError: http:.* cannot be reached \(.*\): check the address/,
    );
  });
});
