import { readPage, replaceBlock, toTable, writePage } from '@sluice/shared/config/docs.ts';
import { type CapacityLimit, capacities, quotas, rates, sharePerClient } from './table.ts';

const mib = 1024 ** 2;
const amountOf = (amount: number) => (amount < mib ? `${amount}` : `${amount / mib} MiB`);
/** A number, or the name of a setting. */
const limitOf = (limit: string | number) => (typeof limit === 'string' ? `\`${limit}\`` : `${limit}`);
const withNote = (text: string, note?: string) => (note ? `${text} (${note})` : text);

const capacityRow = ({ what, client, limit, waitMs, note }: CapacityLimit) => [
  withNote(what, note),
  amountOf(limit),
  `${amountOf(Math.ceil(sharePerClient * limit))} of one ${client}`,
  waitMs === undefined ? '' : `${waitMs / 1_000} s`,
];

/** The tables of all limits, as Markdown. */
export function limitTables(): string {
  const rateRows = Object.values(rates).map((rate) => {
    const limit = 'seconds' in rate ? `${rate.limit} in ${rate.seconds / 3_600} h` : limitOf(rate.limit);
    return [rate.what, rate.client, withNote(limit, rate.note)];
  });
  const quotaRows = Object.values(quotas).map(({ what, client, limit }) => [what, client, limitOf(limit)]);
  return [
    '### How often: rates',
    toTable(['what', 'of one', 'limit'], rateRows),
    '### How much is kept: quotas',
    toTable(['what', 'of one', 'limit'], quotaRows),
    '### How much an API process has in hand: capacities',
    toTable(['what', 'limit', 'share', 'waits at most'], Object.values(capacities).map(capacityRow)),
  ].join('\n\n');
}

/** The text of the page with the tables in their place. */
export const withLimits = (text: string): string => replaceBlock(text, 'limits', limitTables());

if (import.meta.main) writePage(withLimits(readPage()));
