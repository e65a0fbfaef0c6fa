import { setTimeout as pause } from 'node:timers/promises';
import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { Command } from 'commander';
import type { EventSourceMessage } from 'eventsource-parser';
import { ApiFailure, type Detail } from '../api/answer.ts';
import { NoAnswer } from '../api/no-answer.ts';
import { readEvents } from '../api/read-events.ts';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { reasonOf } from '../output/reason.ts';
import { harmless, paint } from '../terminal.ts';

/** `sluice tail`. */
export function addTail(program: Command, act: Act): void {
  program
    .command('tail')
    .description('Show new entries as they come, until Ctrl-C.')
    .option('--refused', 'show refused uploads too')
    .option('--key <id>', 'sent with this ingest key')
    .option('--meta <names>', 'for --json: who sent it, some of source,key,by')
    .addHelpText(
      'after',
      `
It connects again after a break, and then misses nothing.

Examples:
  sluice tail --app weather-station-k3v9q2
  sluice tail --refused
  sluice tail --json | jq .payload`,
    )
    .action(act<Followed>(follow));
}

interface Followed {
  refused?: boolean;
  key?: string;
  meta?: string;
}

const againAfterMs = 500;
/** The server sends something every 15 s. */
const mostSilenceMs = 45_000;

async function follow(context: Context, followed: Followed): Promise<void> {
  const { api, path, signal, say, url } = context;
  let lastId: string | undefined;
  let isBroken = false;

  async function read(): Promise<void> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), mostSilenceMs);
    try {
      const { body } = await api.open('GET', path('/data/live'), {
        query: { ...followed },
        headers: lastId ? { 'last-event-id': lastId } : {},
        signal: silence.signal,
      });
      if (isBroken) say('connected again');
      isBroken = false;
      for await (const event of readEvents(body as AsyncIterable<Uint8Array>)) {
        timer.refresh();
        await show(context, event);
        lastId = event.id ?? lastId;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  for (;;) {
    try {
      await read();
    } catch (error) {
      signal.throwIfAborted();
      const isPassing =
        error instanceof NoAnswer ||
        (error instanceof ApiFailure && (error.status >= 500 || error.status === 429));
      // Without a first event the address may be wrong.
      const isNew = lastId === undefined && error instanceof NoAnswer;
      if (isNew || (error instanceof CliError && !isPassing)) throw error;
      if (!isBroken) say(`${url} is away: connecting again`);
      isBroken = true;
    }
    await pause(againAfterMs, undefined, { signal });
  }
}

interface TailedRefusal {
  received_at: string;
  error: { message: string; details: Detail[] };
}

async function show(context: Context, { event, data }: EventSourceMessage): Promise<void> {
  const { json, print, say } = context;
  if (event === 'skipped') {
    const { count, of } = parseJson(data) as { count: number; of: string };
    say(
      `${count.toLocaleString('en')} ${of} were left out here: they came too fast; \`sluice list\` has them`,
    );
  }
  if (event !== 'entry' && event !== 'refused') return;
  if (json) return print(data);
  const payload = harmless(memberText(data, 'payload') ?? '');
  if (event === 'entry') {
    const { createdAt } = parseJson(data) as { createdAt: string };
    return print(`${paint(context, 'dim', harmless(createdAt))}  ${payload}`);
  }
  const { received_at, error } = parseJson(data) as TailedRefusal;
  const reason = harmless(reasonOf(error));
  return print(
    `${paint(context, 'dim', harmless(received_at))}  ${paint(context, 'red', `refused: ${reason}`)}  ${payload}`,
  );
}
