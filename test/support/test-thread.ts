import { getPriority } from 'node:os';
import { serve } from '@sluice/threads/serve.ts';

export type TestRequest = 'spin' | 'grow' | 'throw' | 'priority' | { echo: string };

const kept: unknown[] = [];

/** A thread that does what a test wants. */
serve<TestRequest, string>((request) => {
  if (typeof request === 'object') return request.echo;
  if (request === 'throw') throw new Error('thrown in the thread');
  while (request === 'spin');
  while (request === 'grow') kept.push(new Array(10_000).fill(kept.length));
  return String(getPriority());
});
