import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { TestRequest } from '../../../test/support/test-thread.ts';
import { createThread, ThreadBusy } from './thread.ts';

function start(deadlineMs = 60_000, waitingMs?: number, count = 1) {
  const thread = createThread<TestRequest, string>({
    name: 'the test',
    file: new URL('../../../test/support/test-thread.ts', import.meta.url),
    heapMb: 16,
    deadlineMs,
    count,
    ...(waitingMs && { waitingMs }),
    tooLong: 'too long',
    tooLarge: 'too large',
  });
  onTestFinished(thread.close);
  return thread;
}

it('answers clients in turns', async () => {
  const thread = start();
  const order: string[] = [];
  const ask = (client: string, echo: string) =>
    thread.ask(client, { echo }).then((answer) => order.push(answer));
  await Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1')]);
  expect(order).toEqual(['a1', 'b1', 'a2']);
});

it('refuses what has waited too long, and does what comes then', async () => {
  const thread = start(20, 10);
  const late = [thread.ask('a', { echo: 'a' }), thread.ask('b', { echo: 'b' })];
  // The first is begun when the thread has started, which takes longer.
  for (const each of late) await expect(each).rejects.toBeInstanceOf(ThreadBusy);
  const behind = [thread.ask('a', 'spin'), thread.ask('b', { echo: 'b' })];
  expect(await behind[0]).toBe('too long');
  await expect(behind[1]).rejects.toBeInstanceOf(ThreadBusy);
});

it('does as much at once as it has threads', async () => {
  const thread = start(60_000, undefined, 2);
  const busy = thread.ask('a', 'spin').catch((error) => error);
  expect(await thread.ask('b', { echo: 'meanwhile' })).toBe('meanwhile');
  await thread.close();
  expect(await busy).toBeInstanceOf(Error);
});

it.each([
  ['spin', 'too long', { deadlineMs: 20 }],
  ['grow', 'too large', {}],
] as const)(
  'ends a thread that does not end (%s), and answers the next with another',
  async (request, says, sent) => {
    const thread = start();
    const answers = await Promise.all([thread.ask('a', request, sent), thread.ask('a', { echo: 'next' })]);
    expect(answers).toEqual([says, 'next']);
  },
);

it('rejects what throws, and answers the next', async () => {
  const thread = start();
  const [thrown, next] = [thread.ask('a', 'throw'), thread.ask('a', { echo: 'next' })];
  await expect(thrown).rejects.toThrow('thrown in the thread');
  expect(await next).toBe('next');
});

it.runIf(process.platform === 'linux')('gives way to the thread of the process', async () => {
  const own = getPriority();
  expect(Number(await start().ask('a', 'priority'))).toBe(Math.max(10, own));
  expect(getPriority()).toBe(own);
});

it('rejects what waits when it is closed, and what comes after', async () => {
  const thread = start();
  const waiting = [thread.ask('a', 'spin'), thread.ask('a', { echo: '' })];
  const ended = Promise.allSettled(waiting);
  await thread.close();
  for (const { status } of await ended) expect(status).toBe('rejected');
  await expect(thread.ask('a', { echo: '' })).rejects.toThrow('the test is closed');
});

it.runIf(process.platform === 'linux')(
  'keeps the lower priority of a process that was started with nice',
  async () => {
    const script = `
    import { createThread } from '${new URL('./thread.ts', import.meta.url)}';
    const file = new URL('${new URL('../../../test/support/test-thread.ts', import.meta.url)}');
    const thread = createThread({ name: 'the test', file, heapMb: 16, deadlineMs: 60_000, tooLong: '', tooLarge: '' });
    console.log(await thread.ask('a', 'priority'));
    await thread.close();`;
    const args = ['-n', '15', process.execPath, '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)('nice', args);
    expect(stdout.trim()).toBe(String(Math.min(19, getPriority() + 15)));
  },
);
