import { parseJson } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import { type Command, Option } from 'commander';
import { CliError, type ExitCode } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { createBar } from '../output/bar.ts';
import { openRefusals } from '../send/refusals.ts';
import { openSource, type SourceFormat } from '../send/source.ts';
import { linesOf } from '../verify/file-lines.ts';
import { type FoundMissing, findMissing } from '../verify/find-missing.ts';

interface VerifyOptions {
  key?: string;
  format?: SourceFormat;
  send?: boolean;
}

/** `sluice verify`. */
export function addVerify(program: Command, act: Act): void {
  program
    .command('verify')
    .description(
      'Tell which lines of a file are not stored, by the member that is unique in the application.',
    )
    .argument('<file>', 'NDJSON, JSON or CSV, or - for the standard input')
    .option('--key <pointer>', 'the unique member, such as /event_id; an ingest key needs it')
    .addOption(
      new Option('--format <format>', 'otherwise by name and first bytes').choices(['ndjson', 'json', 'csv']),
    )
    .option('--send', 'send the lines that are missing, and verify them again')
    .addHelpText(
      'after',
      `
Exit code: 0 all lines are stored, 1 some are missing, 2 wrong use, 4 the server or the network failed.

Examples:
  sluice verify entries.ndjson --key /event_id
  sluice verify readings.csv --key /event_id --send`,
    )
    .action(act(verify));
}

interface Verifying {
  pointer: string;
  schema: Record<string, unknown>;
}

/** An ingest key cannot ask for the application. Throws CliError. */
async function prepare(context: Context, { key }: VerifyOptions, format: SourceFormat): Promise<Verifying> {
  const { api, path, retry, domain, token } = context;
  if (token?.startsWith('sk_')) {
    if (key === undefined)
      throw new CliError('with an ingest key, say which member is unique: --key /event_id');
    if (format === 'csv')
      throw new CliError('an ingest key cannot read the schema that CSV needs: use a personal token');
    return { pointer: key, schema: {} };
  }
  interface Shown {
    unique?: { path: string } | null;
    template: { raw_schema: string };
  }
  const { unique, template } = (await retry(() => api.ask<Shown>('GET', path('')))).data;
  if (!unique)
    throw new CliError(
      `${domain()} has no unique member: its owner sets \`unique\`, such as {"path":"/event_id"}`,
    );
  if (key !== undefined && key !== unique.path)
    throw new CliError(`the unique member of ${domain()} is ${unique.path}, not ${key}`);
  return { pointer: unique.path, schema: parseJson(template.raw_schema) as Record<string, unknown> };
}

function keysOf(pointer: string): string[] {
  if (pointer.startsWith('/')) return fromPointer(pointer);
  throw new CliError(`--key takes a JSON Pointer, such as /event_id, not ${pointer}`);
}

async function verify(context: Context, options: VerifyOptions, file: string): Promise<ExitCode> {
  const { domain, tell } = context;
  domain();
  const source = await openSource(context, file, options.format);
  if (source.isCompressed) throw new CliError(`${file} is compressed: unpack it first`);
  const { pointer, schema } = await prepare(context, options, source.format);
  const path = keysOf(pointer);
  const bar = createBar(context, undefined);
  const refusals = await openRefusals(context, {});
  const found = await findMissing(context, linesOf(source, schema), {
    path,
    refusals,
    sends: options.send === true,
    onLines: (lines) => bar.show(lines, `${lines.toLocaleString('en')} lines verified`),
  }).finally(bar.clear);
  tell(found, summary(found, pointer));
  return found.missing + found.without_value > 0 ? 1 : 0;
}

function summary({ lines, stored, missing, without_value, ...named }: FoundMissing, pointer: string): string {
  const count = (some: number) => some.toLocaleString('en');
  const list = (numbers: number[], all: number) =>
    all === 0 ? '' : ` (line ${numbers.join(', ')}${all > numbers.length ? ', …' : ''})`;
  const parts = [
    `${count(lines)} lines: ${count(stored)} stored`,
    `${count(missing)} missing${list(named.missing_lines, missing)}`,
    ...(without_value > 0
      ? [
          `${count(without_value)} without a value at ${pointer}${list(named.without_value_lines, without_value)}`,
        ]
      : []),
  ];
  return parts.join(', ');
}
