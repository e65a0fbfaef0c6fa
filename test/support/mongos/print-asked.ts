import type { Asked } from './record.ts';

const asks = ({ isNamed, shards }: Asked) => (isNamed ? `${shards}` : 'all');

/** Prints what the commands of a run asked: a line for each kind, those that asked more than one shard first. */
export function printAsked(asked: Asked[]): void {
  const rows = [...asked].sort(
    (a, b) =>
      Number(a.isNamed) - Number(b.isNamed) ||
      b.shards - a.shards ||
      a.collection.localeCompare(b.collection) ||
      b.times - a.times,
  );
  console.log('Shards asked by commands of Sluice (of 2):');
  for (const row of rows)
    console.log(
      `${asks(row).padEnd(4)} ${String(row.times).padStart(7)} × ${row.command} ${row.collection}: ${row.shape}`,
    );
}
