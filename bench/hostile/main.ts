import { setTimeout as pause } from 'node:timers/promises';
import { openAccount } from '../support/sluice.ts';
import { atRate, type Send, type Statuses } from './at-rate.ts';
import { type Case, costly, large, patterns, references } from './cases.ts';
import { logInAs } from './logins.ts';
import { post } from './post.ts';
import { slowSockets } from './slow-sockets.ts';

/** A hostile tenant: `node main.ts <URL>`. For each kind and duration that it receives, it attacks and counts answers. */
const url = process.argv[2] as string;
const { token } = await openAccount(url);

export type Kind = 'patterns' | 'references' | 'large' | 'costly' | 'sockets' | 'logins' | 'losses';

const bombsPerSecond = 10;
const loginsPerSecond = 200;
const lossesPerSecond = 200;
const sockets = 500;

async function create(schema: string, signal?: AbortSignal) {
  const body = JSON.stringify({ name: 'Hostile', type: 'other', schema });
  return post(`${url}/api/applications`, { body, signal, headers: { authorization: `Bearer ${token}` } });
}

/** Creates applications and uploads to them in turns. */
async function bombing(cases: Case[], uploadsOnly = false): Promise<Send> {
  const schemas = cases.map(({ schema }) => JSON.stringify(schema));
  const uploads: { to: string; body: string }[] = [];
  for (const [i, schema] of schemas.entries()) {
    let answer = await create(schema);
    // The attack before may still have effects.
    for (; answer.status === 503; answer = await create(schema)) await pause(1_000);
    if (answer.status !== 200) continue;
    const { domain } = JSON.parse(answer.text).data;
    const body = JSON.stringify(cases[i]?.payload);
    uploads.push({ to: `${url}/api/applications/${domain}/data`, body });
  }
  return async (i, signal) => {
    const turn = uploadsOnly ? i : i >> 1;
    if (!uploadsOnly && i % 2 === 0)
      return (await create(schemas[turn % schemas.length] as string, signal)).status;
    const { to, body } = uploads[turn % uploads.length] as (typeof uploads)[number];
    return (await post(to, { body, signal })).status;
  };
}

/** Uploads that are lost before they are judged: not JSON, too large, without a valid key. */
async function losing(): Promise<Send> {
  const [open, locked] = await Promise.all([createOpen(), createOpen()]);
  await fetch(locked, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key_required: true }),
  });
  const uploads = [
    { to: open, body: '{"a":' },
    { to: open, body: ' '.repeat(2_000_000) },
    { to: locked, body: '{}' },
  ];
  return async (i, signal) => {
    const { to, body } = uploads[i % uploads.length] as (typeof uploads)[number];
    return (await post(`${to}/data`, { body, signal })).status;
  };
}

async function createOpen(): Promise<string> {
  const { text } = await create(JSON.stringify({ type: 'object' }));
  return `${url}/api/applications/${JSON.parse(text).data.domain}`;
}

const kinds: Record<Kind, () => Promise<(seconds: number) => Promise<Statuses>>> = {
  patterns: () => bombs(patterns),
  references: () => bombs(references),
  large: () => bombs(large),
  costly: () => bombs(costly, true),
  sockets: async () => (seconds) => slowSockets(url, sockets, seconds),
  async logins() {
    const send = await logInAs(url);
    return (seconds) => atRate(loginsPerSecond, seconds, send);
  },
  async losses() {
    const send = await losing();
    return (seconds) => atRate(lossesPerSecond, seconds, send);
  },
};

async function bombs(cases: Case[], uploadsOnly?: boolean) {
  const send = await bombing(cases, uploadsOnly);
  return (seconds: number) => atRate(bombsPerSecond, seconds, send);
}

const prepared = new Map<Kind, Promise<(seconds: number) => Promise<Statuses>>>();

process.on('message', async ({ kind, seconds }: { kind: Kind; seconds?: number }) => {
  if (!prepared.has(kind)) prepared.set(kind, kinds[kind]());
  const attack = await prepared.get(kind);
  process.send?.(seconds === undefined ? {} : await attack?.(seconds));
});
process.once('disconnect', () => process.exit());
