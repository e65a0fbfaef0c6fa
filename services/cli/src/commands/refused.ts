import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { Command } from 'commander';
import { type Detail, elementTexts } from '../api/answer.ts';
import { CliError, type ExitCode } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { limitOption } from '../output/number-option.ts';
import { reasonOf } from '../output/reason.ts';
import { readText } from '../read-text.ts';
import { harmless, paint } from '../terminal.ts';

interface Selection {
  reason?: string;
  path?: string;
  keyword?: string;
  property?: string;
  key?: string;
  from?: string;
  to?: string;
}

const selecting = (command: Command): Command =>
  command
    .option('--path <pointer>', 'wrong at this place of the payload, such as /celsius')
    .option('--keyword <keyword>', 'against this rule, such as type')
    .option('--property <name>', 'with this property missing, or where it must not be')
    .option('--key <id>', 'sent with this ingest key')
    .option('--from <time>', 'received at this time or later')
    .option('--to <time>', 'received before this time');

/** `sluice refused`. */
export function addRefused(program: Command, act: Act): void {
  const refused = program.command('refused').description('List refused uploads, and replay them.');

  selecting(refused.command('list'))
    .description('List refused uploads, newest first. With --json each line is one.')
    .addOption(limitOption())
    .option('--reason <reason>', 'schema, not_json, too_large or duplicate')
    .option('--groups', 'count them by reason instead')
    .addHelpText(
      'after',
      '\nExamples:\n  sluice refused list --groups\n  sluice refused list --path /celsius\n  sluice refused list --reason not_json',
    )
    .action(act<Selection & { limit: string; groups?: boolean }>(list));

  selecting(refused.command('replay'))
    .description('Store those that conform now. Exit code 1 if some are still refused.')
    .option('--id <ids...>', 'only these')
    .option('--patch <patch>', 'JSON Patch for each payload first, or @FILE with one')
    .option('--coerce <changes>', 'such as [{"path":"/celsius","to":"number"}], or @FILE')
    .option('--dry-run', 'store nothing: show the first ten, before and after')
    .addHelpText(
      'after',
      `
Examples:
  sluice refused replay
  sluice refused replay --path /celsius --coerce '[{"path":"/celsius","to":"number"}]' --dry-run`,
    )
    .action(act<ReplayOptions>(replay));
}

interface RefusedRow {
  id: string;
  received_at: string;
  error: { message: string; details: Detail[] };
}

async function list(
  context: Context,
  { groups, limit, ...selection }: Selection & { limit: string; groups?: boolean },
): Promise<void> {
  const { api, path, retry, json, print } = context;
  if (groups) {
    const { from, to, key } = selection;
    const query = { from, to, key };
    const counted = await retry(() => api.ask('GET', path('/refused/groups'), { query }));
    const columns = ['count', 'kept', 'reason', 'path', 'keyword', 'property', 'message', 'last_at'];
    return context.show(counted, columns);
  }
  const query = { limit, ...selection };
  const { data, text } = await retry(() =>
    api.ask<{ result: RefusedRow[] }>('GET', path('/refused'), { query }),
  );
  const texts = elementTexts(memberText(text, 'result') ?? '[]');
  for (const [at, upload] of texts.entries()) {
    if (json) await print(upload);
    else {
      const { id, received_at, error } = data.result[at] as RefusedRow;
      const reason = paint(context, 'red', harmless(reasonOf(error)));
      const payload = harmless(memberText(upload, 'payload') ?? '');
      await print(`${paint(context, 'dim', received_at)}  ${id}  ${reason}  ${payload}`);
    }
  }
}

interface Tried {
  checked: number;
  conforming: number;
}

interface ReplayOptions extends Selection {
  id?: string[];
  patch?: string;
  coerce?: string;
  dryRun?: boolean;
}

async function replay(
  context: Context,
  { id, patch, coerce, dryRun, ...rest }: ReplayOptions,
): Promise<ExitCode> {
  const { api, path, tell, print, say } = context;
  const json = {
    ...rest,
    ...(id && { ids: id }),
    ...(patch && { patch: await readList(patch) }),
    ...(coerce && { coerce: await readList(coerce) }),
  };
  if (dryRun) {
    const query = { dry_run: true };
    const { text, data } = await api.ask<Tried>('POST', path('/replays'), { query, json });
    for (const pair of elementTexts(memberText(text, 'pairs') ?? '[]')) await print(harmless(pair));
    const { checked, conforming } = data;
    if (checked === 0) say('no refused upload matches');
    else say(`${conforming} of the first ${checked} would be stored, ${checked - conforming} refused again`);
    return conforming < checked ? 1 : 0;
  }
  const { data } = await api.ask<AskedJob>('POST', path('/replays'), { json });
  const { result } = await waitForJob(context, data.id, 'replay');
  const { stored, still_refused } = result as { stored: number; still_refused: number };
  tell(
    { stored, still_refused },
    `${stored.toLocaleString('en')} stored, ${still_refused.toLocaleString('en')} still refused`,
  );
  return still_refused > 0 ? 1 : 0;
}

/** The text of a list, given as it is or as `@FILE`. */
async function readList(given: string): Promise<string> {
  const text = given.startsWith('@') ? await readText(given.slice(1)) : given;
  try {
    parseJson(text);
  } catch {
    throw new CliError(`${given} is not JSON: give a list such as [{"op":"remove","path":"/note"}]`);
  }
  return text;
}
