import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { LakeManifest } from '@sluice/objects/lake/manifest.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { expect } from 'vitest';

type Row = Record<string, unknown> & { id: string };

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

export async function rowsOf(name: string, bytes: Buffer): Promise<Row[]> {
  if (name.endsWith('.ndjson'))
    return bytes
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => parseJson(line) as Row);
  if (name.endsWith('.csv')) return parse(bytes, { columns: true }) as Row[];
  const file = new Uint8Array(bytes).buffer;
  return (await parquetReadObjects({ file, compressors })) as Row[];
}

/** The manifests of an application's folder, oldest first. Whoever is killed leaves an unfinished file, without `.json`. */
export function manifestsIn(folder: string): LakeManifest[] {
  const names = (() => {
    try {
      const all = readdirSync(join(folder, '_manifests'));
      return all.filter((name) => name.endsWith('.json')).sort();
    } catch {
      return [];
    }
  })();
  return names.map((name) => JSON.parse(readFileSync(join(folder, '_manifests', name), 'utf8')));
}

/**
 * What a reader of a lake finds: all rows without those of deleted entries, in the order of ids. Each entry is there once.
 * Each file is as its manifest says.
 */
export async function readLake(folder: string): Promise<Row[]> {
  const rows = new Map<string, Row>();
  const deleted = new Set<string>();
  for (const manifest of manifestsIn(folder)) {
    for (const { name, entries, bytes, sha256, first, last } of manifest.files) {
      const file = readFileSync(join(folder, name));
      const found = await rowsOf(name, file);
      const ids = found.map(({ id }) => id);
      expect({
        name,
        entries: found.length,
        bytes: file.length,
        sha256: createHash('sha256').update(file).digest('hex'),
        first: ids[0],
        last: ids.at(-1),
      }).toEqual({ name, entries, bytes, sha256, first, last });
      expect(ids).toEqual(ids.toSorted());
      for (const row of found) {
        const [day] = timeOfId(row.id).toISOString().split('T');
        expect(name).toContain(`date=${day}/`);
        expect(rows.has(row.id), `${row.id} is there twice`).toBe(false);
        rows.set(row.id, row);
      }
    }
    if (!manifest.deleted) continue;
    const { name, entries, bytes, sha256 } = manifest.deleted;
    const file = readFileSync(join(folder, name));
    const found = await rowsOf(name, file);
    expect([found.length, file.length]).toEqual([entries, bytes]);
    expect(createHash('sha256').update(file).digest('hex')).toBe(sha256);
    for (const { id, deleted_at } of found) {
      expect(deleted_at).toBeInstanceOf(Date);
      deleted.add(id);
    }
  }
  for (const id of deleted) rows.delete(id);
  return [...rows.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
