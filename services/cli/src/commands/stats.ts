import { type Command, Option } from 'commander';
import type { Act, Context } from '../context.ts';
import { keyNames } from '../output/by-key.ts';
import { plainText } from '../output/plain-text.ts';

interface StatsOptions {
  step: string;
  by?: string;
  key?: string;
  filter?: string;
  from?: string;
  to?: string;
}

interface Step {
  at: string;
  /** Null: sent without an ingest key. */
  key?: string | null;
  /** Of a field. */
  value?: unknown;
  rest?: true;
  accepted: number;
  /** Absent for rows of a field, or of a filter. */
  refused?: number;
  lost?: Record<string, number>;
}

/** `sluice stats`. */
export function addStats(program: Command, act: Act): void {
  program
    .command('stats')
    .description(
      'Count what was stored, refused and lost. Steps without any are left out, except with --json.',
    )
    .addOption(
      new Option('--step <step>', 'what is counted together')
        .choices(['minute', 'hour', 'day'])
        .default('hour'),
    )
    .option('--from <time>', 'from this time on; default: the last 60 steps')
    .option('--to <time>', 'before this time')
    .option('--by <what>', '`key`: a row for each ingest key; else a field: a row for each of its values')
    .option('--key <id>', 'sent with this ingest key')
    .option('--filter <conditions>', 'entries that meet these conditions on payloads, as JSON')
    .addHelpText(
      'after',
      `
Examples:
  sluice stats --app weather-station-k3v9q2
  sluice stats --step day --by key --from 2026-11-01
  sluice stats --step day --by place --filter '{"celsius":{"lt":0}}'`,
    )
    .action(act<StatsOptions>(stats));
}

async function stats(context: Context, options: StatsOptions): Promise<void> {
  const { api, path, retry, show, json } = context;
  const answer = await retry(() => api.ask<Step[]>('GET', path('/stats'), { query: { ...options } }));
  if (options.filter !== undefined || !(options.by === undefined || options.by === 'key')) {
    const rows = answer.data.filter(({ accepted }) => accepted > 0).map(toValueRow);
    return show(answer, ['at', ...(options.by ? ['value'] : []), 'accepted'], rows);
  }
  const names = options.by && !json ? await keyNames(context) : new Map<string, string>();
  const toRow = ({ key, lost = {}, ...step }: Step) => {
    const kinds = Object.entries(lost).filter(([, count]) => count > 0);
    return {
      ...step,
      key: key === null ? 'without a key' : (names.get(key ?? '') ?? key),
      lost: kinds.reduce((sum, [, count]) => sum + count, 0),
      lost_as: kinds.map(([kind, count]) => `${count} ${kind}`).join(', '),
    };
  };
  const rows = answer.data
    .map(toRow)
    .filter(({ accepted, refused = 0, lost }) => accepted + refused + lost > 0);
  show(answer, ['at', ...(options.by ? ['key'] : []), 'accepted', 'refused', 'lost', 'lost_as'], rows);
}

function toValueRow({ at, value, rest, accepted }: Step) {
  const none = rest ? 'the rest' : 'null or missing';
  return {
    at,
    value: value === null ? none : plainText(value),
    accepted,
  };
}
