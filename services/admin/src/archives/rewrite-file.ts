import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { LakeFile, LakeManifest } from '@sluice/objects/lake/manifest.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import { contentOf } from './local-file.ts';
import type { Duck } from './open-duck.ts';
import { textLines } from './text-lines.ts';

interface Paths {
  from: string;
  to: string;
}

/** Writes a file without the entries in the table `deleted`. Undefined: the file has no deleted entry. */
export async function rewriteFile(
  duck: Duck,
  format: LakeManifest['format'],
  { entries, first, last }: Pick<LakeFile, 'entries' | 'first' | 'last'>,
  { from, to }: Paths,
): Promise<LakeFile['next']> {
  const range = `BETWEEN ${quoted(first)} AND ${quoted(last)}`;
  const next =
    format === 'parquet'
      ? await rewriteParquet(duck, range, { from, to })
      : await rewriteText(duck, range, format, { from, to });
  return next.entries < entries ? next : undefined;
}

async function rewriteParquet(duck: Duck, range: string, { from, to }: Paths) {
  await duck.run(
    `COPY (SELECT * FROM read_parquet(${quoted(from)}, hive_partitioning = false) WHERE id NOT IN (SELECT id FROM deleted WHERE id ${range}))
     TO ${quoted(to)} (FORMAT parquet, COMPRESSION zstd)`,
  );
  const [row] = await duck.rows(
    `SELECT count(*)::DOUBLE AS entries, coalesce(min(id), '') AS first, coalesce(max(id), '') AS last FROM read_parquet(${quoted(to)})`,
  );
  return { ...(row as { entries: number; first: string; last: string }), ...(await contentOf(to)) };
}

async function rewriteText(duck: Duck, range: string, format: 'ndjson' | 'csv', { from, to }: Paths) {
  const found = await duck.rows(`SELECT id FROM deleted WHERE id ${range}`);
  const deleted = new Set(found.map(({ id }) => id));
  let entries = 0;
  let [first, last] = ['', ''];
  async function* kept() {
    for await (const { id, bytes } of textLines(format, createReadStream(from))) {
      if (id !== undefined && deleted.has(id)) continue;
      yield bytes;
      if (id === undefined) continue;
      entries += 1;
      first ||= id;
      last = id;
    }
  }
  await pipeline(kept, createWriteStream(to));
  return { entries, first, last, ...(await contentOf(to)) };
}
