import { memberText } from '@sluice/json/member-text.ts';
import { senderMeta } from '@sluice/tables/columns.ts';
import { type Command, Option } from 'commander';
import { elementTexts } from '../api/answer.ts';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { entryLine } from '../output/entry-line.ts';
import { NamesOption } from '../output/names-option.ts';
import { limitOption } from '../output/number-option.ts';

interface ListOptions {
  limit: string;
  from?: string;
  to?: string;
  filter?: string;
  key?: string;
  meta?: string;
  order?: string;
  all?: boolean;
}

/** `sluice list`. */
export function addList(program: Command, act: Act): void {
  program
    .command('list')
    .description('List entries, newest first. With --json each line is an entry.')
    .addOption(limitOption())
    .option('--all', 'every entry, page by page')
    .option('--from <time>', 'created at this time or later')
    .option('--to <time>', 'created before this time')
    .option('--filter <conditions>', 'conditions on payloads, as JSON')
    .option('--key <id>', 'sent with this ingest key')
    .addOption(new NamesOption('--meta <names>', 'for --json: who sent it', senderMeta))
    .addOption(new Option('--order <order>', 'which entries come first').choices(['newest', 'oldest']))
    .addHelpText(
      'after',
      `
Examples:
  sluice list --app weather-station-k3v9q2
  sluice list --filter '{"celsius":{"lt":0}}' --from 2026-11-01T00:00:00Z
  sluice list --all --order oldest --json | jq .payload`,
    )
    .action(act<ListOptions>(list));
}

interface Page {
  result: { createdAt: string }[];
  pagination: { isLast: boolean; cursor?: string };
}

async function list(context: Context, { all, limit, order, ...query }: ListOptions): Promise<void> {
  const { api, path, retry, json, print } = context;
  const seen = new Set<string | undefined>();
  let after: string | undefined;
  do {
    // A server that does not look at the cursor would give the same page for ever.
    if (seen.has(after)) throw new CliError(`${api.url} gives the same page again and again`, 4);
    seen.add(after);
    const page = {
      ...query,
      limit: all ? 1_000 : limit,
      order: order === 'oldest' ? order : undefined,
      after,
    };
    const { data, text } = await retry(() => api.ask<Page>('GET', path('/data'), { query: page }));
    const texts = elementTexts(memberText(text, 'result') ?? '[]');
    for (const [at, entry] of texts.entries())
      await print(json ? entry : entryLine(context, data.result[at], entry));
    after = all && !data.pagination.isLast ? data.pagination.cursor : undefined;
  } while (after !== undefined);
}
