import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../compose/client.ts';

export type Oracle = ReturnType<typeof startOracle>;

interface Upload {
  payload: { n: number; text: string };
  /** Retries send the same key. */
  key: string | undefined;
  /** Statuses in order; 0 when no answer came. */
  answers: number[];
}

/** How long a client waits before a retry. */
const backOffMs = 100;
const pageSize = 1_000;

/**
 * Uploads from many connections at once, half of them with idempotency keys and retries, and records the answers.
 * Each acknowledged upload must be stored unchanged.
 */
export function startOracle(client: Client, { connections }: { connections: number }) {
  const uploads: Upload[] = [];
  const acknowledgedAt: number[] = [];
  const noAnswers = new Set<string>();
  let stopped = false;

  async function post({ payload, key, answers }: Upload): Promise<boolean> {
    const headers = key === undefined ? undefined : { 'idempotency-key': key };
    const status = await client.call('POST', `${client.path}/data`, payload, headers).then(
      (answer) => answer.status,
      (error: Error) => {
        const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
        noAnswers.add(code ?? message);
        return 0;
      },
    );
    answers.push(status);
    if (status === 201) acknowledgedAt.push(performance.now());
    return status === 201;
  }

  async function connection(): Promise<void> {
    while (!stopped) {
      const n = uploads.length;
      const payload = { n, text: randomBytes(n % 300).toString('base64') };
      const upload: Upload = { payload, key: n % 2 ? `key-${n}` : undefined, answers: [] };
      uploads.push(upload);
      while (!(await post(upload))) {
        await pause(backOffMs);
        if (upload.key === undefined) break;
      }
    }
  }
  const working = Promise.all(Array.from({ length: connections }, connection));
  const isAcknowledged = ({ answers }: Upload) => answers.includes(201);

  return {
    acknowledged: () => acknowledgedAt.length,

    /** Acknowledged in each whole second between two times of `performance.now()`. */
    rates(from: number, to: number): number[] {
      const seconds = new Array<number>(Math.max(0, Math.floor((to - from) / 1_000))).fill(0);
      for (const at of acknowledgedAt) {
        const second = Math.floor((at - from) / 1_000);
        if (second in seconds) seconds[second] = (seconds[second] as number) + 1;
      }
      return seconds;
    },

    /** Resolves when so many more are acknowledged; rejects after 120 s. */
    async goOn(more: number): Promise<void> {
      const enough = acknowledgedAt.length + more;
      const deadline = Date.now() + 120_000;
      while (acknowledgedAt.length < enough) {
        if (Date.now() > deadline) throw new Error(`${enough - acknowledgedAt.length} uploads are missing`);
        await pause(50);
      }
    },

    /** Lets the load run for so long. */
    goOnFor: (ms: number) => pause(ms),

    /** Why requests had no answer. */
    noAnswers: () => [...noAnswers],

    /** Every status that was answered, and how often. */
    answers(): Record<string, number> {
      const counts: Record<string, number> = {};
      for (const { answers } of uploads)
        for (const status of answers) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },

    /** Ends the load once every upload with a key is acknowledged, then compares with what is listed. */
    async verdict(): Promise<Verdict> {
      stopped = true;
      await working;
      const stored = new Map<number, string[]>();
      for await (const payload of listed(client)) {
        const { n } = payload as Upload['payload'];
        stored.set(n, [...(stored.get(n) ?? []), JSON.stringify(payload)]);
      }
      const copies = (upload: Upload) => stored.get(upload.payload.n) ?? [];
      const has = (upload: Upload) => copies(upload).includes(JSON.stringify(upload.payload));
      return {
        uploads: uploads.length,
        acknowledged: uploads.filter(isAcknowledged).length,
        lost: uploads.filter((upload) => isAcknowledged(upload) && !has(upload)).length,
        changed: uploads.filter((upload) =>
          copies(upload).some((text) => text !== JSON.stringify(upload.payload)),
        ).length,
        doubled: uploads.filter((upload) => copies(upload).length > 1).length,
        unknown: [...stored.keys()].filter((n) => uploads[n] === undefined).length,
      };
    },
  };
}

export interface Verdict {
  uploads: number;
  acknowledged: number;
  /** Acknowledged uploads that are missing or differ. */
  lost: number;
  changed: number;
  doubled: number;
  /** Entries that no client sent. */
  unknown: number;
}

/** All payloads, page by page behind a cursor. */
async function* listed({ call, path }: Client): AsyncGenerator<unknown> {
  for (let after = ''; ; ) {
    const { status, text, body } = await call('GET', `${path}/data?limit=${pageSize}${after}`);
    if (status !== 200) throw new Error(text);
    for (const { payload } of body.data.result) yield payload;
    if (body.data.pagination.isLast) return;
    after = `&after=${encodeURIComponent(body.data.pagination.cursor)}`;
  }
}
