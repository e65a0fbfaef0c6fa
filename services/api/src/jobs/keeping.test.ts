import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keeping } from './read-parts.ts';

it('a file is kept from its first bytes on, and then once a minute while it is read', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const kept: [id: string, ms: number][] = [];
  const jobs = {
    keep: async (id: string, until: Date) => void kept.push([id, until.getTime() - Date.now()]),
  } as unknown as JobStore;
  async function* pieces() {
    for (let piece = 0; piece < 4; piece++) yield Buffer.from(`${piece}`);
  }
  const read: string[] = [];
  const keptAt: number[] = [];
  for await (const piece of keeping(jobs, 'a', pieces())) {
    read.push(piece.toString());
    keptAt.push(kept.length);
    vi.advanceTimersByTime(30_001);
  }
  expect(read).toEqual(['0', '1', '2', '3']);
  expect(keptAt).toEqual([1, 1, 2, 2]);
  for (const [id, ms] of kept) expect([id, ms]).toEqual(['a', 3_600_000]);
});
