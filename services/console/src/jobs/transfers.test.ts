import { afterEach, expect, it } from 'vitest';
import { session } from '../api/session.ts';
import { transfers } from './transfers.ts';

afterEach(() => session.end());

const changed = () =>
  new Promise<void>((resolve) => {
    const stop = transfers.subscribe(() => {
      stop();
      resolve();
    });
  });

const start = (run: Parameters<typeof transfers.start>[1]) =>
  transfers.start({ id: 'a', label: 'a.csv', total: 10, canResume: true }, run);

it('a transfer tells how far it is, and is gone when it is through', async () => {
  let finish = () => {};
  start(async (onBytes) => {
    onBytes(4);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  expect(transfers.all()).toMatchObject([{ label: 'a.csv', bytes: 4, state: 'running' }]);
  finish();
  await changed();
  expect(transfers.all()).toEqual([]);
});

it('a transfer that failed or was paused continues', async () => {
  let tries = 0;
  start(async (_onBytes, signal) => {
    tries += 1;
    if (tries === 1) throw new Error('broken');
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await changed();
  expect(transfers.all()).toMatchObject([{ state: 'failed', error: new Error('broken') }]);
  transfers.resume('a');
  expect(transfers.all()).toMatchObject([{ state: 'running' }]);
  transfers.pause('a');
  await changed();
  expect(transfers.all()).toMatchObject([{ state: 'paused' }]);
});

it('transfers end with the session', async () => {
  session.begin('token');
  let reason: unknown;
  start(
    (_onBytes, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(reason);
        });
      }),
  );
  session.end();
  expect(transfers.all()).toEqual([]);
  expect(reason).toBeInstanceOf(DOMException);
});
