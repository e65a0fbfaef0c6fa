import type { BatchResult } from '@sluice/shared/contracts/entries.ts';
import { applicationNotFound, type LineError } from '@sluice/shared/errors.ts';
import type { ApplicationCache } from '../../applications/cache.ts';
import type { Spend } from '../../limits/rate.ts';
import type { createExamineLines } from './examine-lines.ts';
import type { Line } from './lines.ts';

interface Dependencies {
  cache: ApplicationCache;
  examineLines: ReturnType<typeof createExamineLines>;
}

interface Options {
  atomic: boolean;
  /** May refuse to look: it costs as much as to store them. */
  spend?: Spend | undefined;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** What would become of lines if they were uploaded. Throws ApiError. */
export function createDryRun({ cache, examineLines }: Dependencies) {
  return async function dryRun(
    domain: string,
    lines: Line[],
    { atomic, spend, signal }: Options,
  ): Promise<BatchResult> {
    const application = await cache.get(domain);
    if (!application) throw applicationNotFound(domain);
    spend?.(application.id, lines.length);
    const errors: LineError[] = [];
    let valid = 0;
    for await (const { entries } of examineLines(application, lines, errors)) {
      if (signal.aborted) break;
      valid += entries.length;
    }
    const accepted = atomic && errors.length > 0 ? 0 : valid;
    return { accepted, rejected: errors.length, errors };
  };
}
