import { type Command, Option } from 'commander';
import type { ExitCode } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { createBar } from '../output/bar.ts';
import { confirm } from '../output/confirm.ts';
import { mostShown, openRefusals } from '../send/refusals.ts';
import { openRun, passingRun } from '../send/run-state.ts';
import { sendFile } from '../send/send-file.ts';
import { sendLines } from '../send/send-lines.ts';
import { behind, openSource, type SourceFormat } from '../send/source.ts';

interface SendOptions {
  format?: SourceFormat;
  refused?: string;
  restart?: boolean;
  again?: boolean;
}

/** `sluice send`. */
export function addSend(program: Command, act: Act): void {
  program
    .command('send')
    .description('Send a file, or the standard input: NDJSON, JSON or CSV, of any size.')
    .argument('<file>', 'file, or - for the standard input')
    .addOption(
      new Option('--format <format>', 'otherwise by name and first bytes').choices(['ndjson', 'json', 'csv']),
    )
    .option('--refused <file>', 'write refused lines here, with their reasons')
    .option('--restart', 'begin anew, though an earlier run was interrupted')
    .option('--again', 'do not ask, though the same file was sent before')
    .addHelpText(
      'after',
      `
After Ctrl-C or a crash, repeat the command to continue; each line is stored once.
Exit code: 0 all lines are stored, 1 some were refused or the file was sent before, 2 wrong use, 4 the server or the network failed.

Examples:
  sluice send entries.ndjson --app weather-station-k3v9q2
  sluice send readings.csv --refused refused.ndjson
  echo '{"celsius":21.5}' | sluice send -`,
    )
    .action(act(send));
}

async function send(context: Context, options: SendOptions, file: string): Promise<ExitCode> {
  const { say, tell, domain } = context;
  domain();
  const source = await openSource(context, file, options.format);
  const run = source.path ? await openRun(context, source.path, options.restart) : passingRun();
  if (run.before) {
    const { sent, stored } = run.before;
    const what = `${file} was sent to ${domain()} on ${sent} (${stored.toLocaleString('en')} stored).`;
    await confirm(context, `${what} Send it again?`, options.again, { flag: '--again', code: 1 });
  }
  const bar = createBar(context, run.size || undefined);
  const { line, offset } = run.progress;
  if (offset > 0) say(`continuing after line ${line.toLocaleString('en')}, which was sent before`);
  try {
    const { stored, refused } = await (source.kind === 'lines' ? lines() : wholeFile());
    await run.finish(stored);
    bar.clear();
    tell({ stored, refused }, summary(context, stored, refused, options.refused));
    return refused > 0 ? 1 : 0;
  } catch (error) {
    bar.clear();
    if (context.signal.aborted && source.path) say('interrupted; repeat the command to continue');
    throw error;
  }

  async function wholeFile() {
    const refusals = await openRefusals(context, { more });
    return sendFile(context, source, { run, bar, refused: options.refused, refusals });
  }

  async function lines() {
    const { reported } = run.progress;
    const hint = source.path === undefined && !options.format ? aboutInput : undefined;
    const refusals = await openRefusals(context, { path: options.refused, reported, hint, more });
    const parts = { run, refusals, bar, isSlow: source.path === undefined };
    try {
      return await sendLines(context, behind(source.bytes, offset), parts);
    } finally {
      await refusals.close();
    }
  }
}

const more = '… --refused FILE writes all refused lines with their reasons';
const aboutInput = 'the standard input is read as NDJSON; --format csv or json says otherwise';

function summary({ domain }: Context, stored: number, refused: number, report: string | undefined): string {
  const all = `${stored.toLocaleString('en')} stored, ${refused.toLocaleString('en')} refused`;
  if (report !== undefined && refused > 0) return `${all}; the reasons are in ${report}`;
  return refused > mostShown
    ? `${all}; \`sluice refused list --app ${domain()}\` shows those that are JSON`
    : all;
}
