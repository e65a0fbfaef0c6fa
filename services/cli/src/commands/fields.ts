import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { plainText } from '../output/plain-text.ts';

interface FieldsOptions {
  filter?: string;
  from?: string;
  to?: string;
}

interface Field {
  path: string;
  types: { type: string; share: number }[];
  null_share: number;
  distinct: number;
  top: { value: unknown; count: number }[];
  min?: unknown;
  max?: unknown;
}

/** In a row of the table; --json has all ten. */
const mostShown = 3;

/** `sluice fields`. */
export function addFields(program: Command, act: Act): void {
  program
    .command('fields')
    .description('Describe the fields of entries: types, how often they are filled, frequent values.')
    .option('--filter <conditions>', 'of entries that meet these conditions, as JSON')
    .option('--from <time>', 'created at this time or later')
    .option('--to <time>', 'created before this time')
    .addHelpText(
      'after',
      `
Examples:
  sluice fields --app weather-station-k3v9q2
  sluice fields --filter '{"celsius":{"lt":0}}' --json`,
    )
    .action(act<FieldsOptions>(fields));
}

async function fields({ api, path, retry, show }: Context, options: FieldsOptions): Promise<void> {
  const answer = await retry(() => api.ask<Field[]>('GET', path('/fields'), { query: { ...options } }));
  show(answer, ['path', 'types', 'filled', 'distinct', 'range', 'top'], answer.data.map(toRow));
}

const toRow = ({ path, types, null_share, distinct, top, min, max }: Field) => ({
  path,
  types: types.map(({ type }) => type).join(', '),
  filled: (1 - null_share).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 }),
  distinct,
  range: min === undefined ? '' : `${plainText(min)} to ${plainText(max)}`,
  top: top
    .slice(0, mostShown)
    .map(({ value, count }) => `${plainText(value)} (${count.toLocaleString('en')})`)
    .join(', '),
});
