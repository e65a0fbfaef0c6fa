import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { folderStore } from './folder-store.ts';

function useFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-objects-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, store: folderStore(folder) };
}

async function* pieces(...texts: string[]) {
  for (const each of texts) yield Buffer.from(each);
}

async function* failing() {
  yield Buffer.from('half');
  throw new Error('cut off');
}

it('stores an object once, whole or not at all', async () => {
  const { folder, store } = useFolder();
  expect(await store.create('a/b/c.txt', pieces('one', 'two'))).toBe(true);
  expect(await store.create('a/b/c.txt', pieces('other'))).toBe(false);
  await expect(store.create('a/b/d.txt', failing())).rejects.toThrow('cut off');
  expect(await text((await store.read('a/b/c.txt')) ?? pieces())).toBe('onetwo');
  expect(await store.read('a/b/d.txt')).toBeUndefined();
  expect(readdirSync(join(folder, 'a/b'))).toEqual(['c.txt']);
});

it('replaces, lists and removes objects', async () => {
  const { store } = useFolder();
  await store.create('a/b/c.txt', pieces('one'));
  await store.replace('a/b/c.txt', pieces('other'));
  await store.replace('a/d.txt', pieces('1'));
  const names = async (prefix: string) => {
    const found = [];
    for await (const { name, bytes } of store.list(prefix)) found.push(`${name} ${bytes}`);
    return found.toSorted();
  };
  expect(await names('a/')).toEqual(['a/b/c.txt 5', 'a/d.txt 1']);
  expect(await names('a/b')).toEqual(['a/b/c.txt 5']);
  expect(await names('none/')).toEqual([]);
  await store.remove('a/d.txt');
  await store.remove('a/d.txt');
  expect(await names('')).toEqual(['a/b/c.txt 5']);
});
