import { setTimeout as pause } from 'node:timers/promises';
import type { JobAnswer } from '@sluice/api/jobs/contract.ts';
import type { Account } from './sluice.ts';

const pollMs = 100;
const stalledMs = 60_000;

interface Where {
  account: Account;
  domain: string;
}

/** Resolves with a job when it is completed. Rejects if it ends otherwise, or makes no progress. */
export async function jobCompleted(
  { account, domain }: Where,
  kind: 'exports' | 'imports' | 'rehearsals' | 'replays' | 'deletions',
  id: string,
): Promise<JobAnswer> {
  const { client, token } = account;
  let done = -1;
  let movedAt = performance.now();
  for (;;) {
    const job = await client.need<JobAnswer>('GET', `/applications/${domain}/${kind}/${id}`, { token });
    if (job.state === 'completed') return job;
    const where = `${kind}: ${job.state} after ${job.progress.done} of ${job.progress.total}`;
    if (job.state === 'failed' || job.state === 'cancelled') throw new Error(`${where}: ${job.error}`);
    if (job.progress.done !== done) {
      done = job.progress.done;
      movedAt = performance.now();
    } else if (performance.now() - movedAt > stalledMs) throw new Error(`${where}, and does not go on`);
    await pause(pollMs);
  }
}

/** Removes the newest export, and returns it. */
export async function takeExport({ account, domain }: Where): Promise<JobAnswer> {
  const { client, token } = account;
  const [job] = await client.need<JobAnswer[]>('GET', `/applications/${domain}/exports`, { token });
  if (!job) throw new Error('the API knows no export');
  await client.need('DELETE', `/applications/${domain}/exports/${job.id}`, { token });
  return job;
}
