import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { NoAnswer } from './no-answer.ts';
import { createRetry } from './retry.ts';

vi.mock('node:timers/promises');
afterEach(() => vi.restoreAllMocks());

const refused = new NoAnswer('http://127.0.0.1:1023', new Error('refused'));
const timeOut = { code: 'UND_ERR_CONNECT_TIMEOUT' };
const unconnected = new NoAnswer(
  'http://192.0.2.1',
  Object.assign(new Error('fetch failed'), { cause: timeOut }),
);

it.each([
  ['that refuses connections', refused, 0],
  ['that answers nothing to a connection', unconnected, 10_000],
])('gives a server up after its time, and not later: one %s', async (_what, error, eachMs) => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.spyOn(Math, 'random').mockReturnValue(0.99);
  vi.mocked(pause).mockImplementation(async (ms = 0) => {
    now += ms;
  });
  const retry = createRetry(new AbortController().signal, () => {}, { firstMs: 10_000, laterMs: 0 });
  const work = async () => {
    now += eachMs;
    throw error;
  };
  await expect(retry(work)).rejects.toBe(error);
  expect(now).toBe(10_000);
});
