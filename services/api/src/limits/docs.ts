import { readPage, replaceBlock, toTable, writePage } from '@sluice/shared/config/docs.ts';
import { Api } from '@sluice/shared/config/variables.ts';
import { type CapacityLimit, capacities, quotas, rates, sharePerClient } from './table.ts';

const settings: Record<string, { default?: unknown }> = Api.properties;
const count = (value: number) => value.toLocaleString('en');
const setting = (name: string) => `\`${name}\` (\`${settings[name]?.default}\`)`;

function amountOf(amount: number, unit: CapacityLimit['unit']): string {
  return unit === 'bytes' ? `${amount / 1024 ** 2} MiB` : count(amount);
}

function waitOf(waitMs: number | undefined): string {
  if (waitMs === undefined) return '';
  return waitMs === Number.POSITIVE_INFINITY ? 'until it is its turn' : `${waitMs / 1_000} s`;
}

function capacityRow({ what, note, limit, unit, client, waitMs }: CapacityLimit): string[] {
  const share = `${amountOf(Math.ceil(sharePerClient * limit), unit)} of one ${client}`;
  return [note ? `${what} (${note})` : what, amountOf(limit, unit), share, waitOf(waitMs)];
}

function rateRow(rate: (typeof rates)[keyof typeof rates]): string[] {
  if ('setting' in rate) return [rate.what, rate.client, setting(rate.setting)];
  const hours = rate.seconds / 3_600;
  const then =
    'longestWaitSeconds' in rate
      ? `, then 1 s to wait, twice as long each time up to ${rate.longestWaitSeconds / 60} min`
      : ` from addresses where the user did not log in for ${rate.knownSeconds / 86_400} days`;
  return [rate.what, rate.client, `${rate.count} in ${hours} h${then}`];
}

function quotaRow({ what, who, limit }: (typeof quotas)[keyof typeof quotas]): string[] {
  const kept = 'setting' in limit ? setting(limit.setting) : count(limit.count);
  return [what, who === 'this application has' ? 'application' : 'owner', kept];
}

/** The tables of all limits, as Markdown. */
export function limitTables(): string {
  return [
    '### How often: rates',
    toTable(['what', 'of one', 'limit'], Object.values(rates).map(rateRow)),
    '### How much is kept: quotas',
    toTable(['what', 'of one', 'limit'], Object.values(quotas).map(quotaRow)),
    '### How much an API process has in hand: capacities',
    toTable(['what', 'in all', 'share', 'waits at most'], Object.values(capacities).map(capacityRow)),
  ].join('\n\n');
}

/** The text of the page with the tables in their place. */
export const withLimits = (text: string): string => replaceBlock(text, 'limits', limitTables());

if (import.meta.main) writePage(withLimits(readPage()));
