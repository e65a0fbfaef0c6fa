import type { Context } from '../context.ts';
import type { Bar } from '../output/bar.ts';
import { createLineReader } from './line-reader.ts';
import { postBatch } from './post-batch.ts';
import type { Refusals } from './refusals.ts';
import type { RunProgress, SendRun } from './run-state.ts';

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte <= 32);

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

interface LineParts {
  run: SendRun;
  refusals: Refusals;
  bar: Bar;
  /** Whether the source may give its lines slowly. */
  isSlow: boolean;
}

/** Sends lines in batches. Each key is made of the run and the offset, so what is sent again is stored once. */
export async function sendLines(
  context: Context,
  source: AsyncIterable<Buffer>,
  { run, refusals, bar, isSlow }: LineParts,
): Promise<RunProgress> {
  const reader = createLineReader(source, { isSlow });
  const at = structuredClone(run.progress);

  /** Moves past lines that were answered. */
  function pass(bytes: number, lines: number): void {
    at.offset += bytes;
    at.line += lines;
    at.reported = refusals.length();
    bar.show(
      at.offset,
      `${at.stored.toLocaleString('en')} stored, ${at.refused.toLocaleString('en')} refused`,
    );
  }

  async function refuse(
    line: number,
    bytes: Buffer,
    reason: { name?: string; message: string },
  ): Promise<void> {
    at.refused += 1;
    await refusals.add({ ...reason, line }, bytes);
  }

  for (;;) {
    context.signal.throwIfAborted();
    const batch = await reader.peek(at.limits);
    if (!batch) return at;
    if (batch === 'too long') {
      const bytes = await reader.skipLine();
      const message = `the line has ${bytes.toLocaleString('en')} bytes, more than Sluice takes`;
      await refuse(at.line + 1, Buffer.alloc(0), { name: 'PayloadTooLargeError', message });
      pass(bytes, 1);
      continue;
    }
    const { bytes, lines } = batch;
    if (!isBlank(bytes)) {
      await run.save(at);
      const posted = await postBatch(context, bytes, `${run.id}-${at.offset}`);
      if ('tooLarge' in posted) {
        const { status, kind, message } = posted.tooLarge;
        if (lines > 1) {
          at.limits = { lines: Math.ceil(lines / 2), bytes: Math.ceil(bytes.length / 2) };
          continue;
        }
        if (status !== 413) throw posted.tooLarge;
        await refuse(at.line + 1, bytes, { name: kind, message });
      } else {
        at.stored += posted.stored;
        const all = posted.refusals.length > 0 ? linesOf(bytes) : [];
        for (const refusal of posted.refusals) {
          at.refused += 1;
          const line = all[refusal.line - 1] ?? Buffer.alloc(0);
          await refusals.add({ ...refusal, line: at.line + refusal.line }, line);
        }
      }
    }
    reader.take(bytes.length);
    pass(bytes.length, lines);
  }
}
