import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everythingFrom, open, parseAnswers } from '../support/raw-connection.ts';
import { type Sluice, startSluice, until } from '../support/sluice.ts';

const most = 10;
const dripMs = 20;
const live = 'GET /api/health/live HTTP/1.1\r\nHost: a\r\n';

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    env: { REQUEST_TIMEOUT: '1s', MAX_CONNECTIONS: String(most) },
    timings: { keepAliveMs: 2_000 },
  });
});
afterAll(() => sluice.stop());

/** Sends a byte now and then, and never comes to an end. */
async function drip(before: string, bytes: string) {
  const socket = await open(sluice.url);
  const answers = everythingFrom(socket);
  socket.write(before);
  let sent = 0;
  const timer = setInterval(() => socket.write(bytes[sent++ % bytes.length] as string), dripMs);
  return answers.then(parseAnswers).finally(() => clearInterval(timer));
}

describe('a connection is let go with 408', () => {
  const upload = 'POST /api/users/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  it.each([
    ['whose headers come byte by byte', live, 'X: yz\r\n', [408]],
    ['whose first line comes byte by byte', '', 'G', [400]],
    ['whose body comes byte by byte', `${upload}Content-Length: 10000\r\n\r\n`, ' ', [408]],
    [
      'whose body comes byte by byte in chunks',
      `${upload}Transfer-Encoding: chunked\r\n\r\n`,
      '1\r\n \r\n',
      [408],
    ],
    ['that goes on byte by byte after a whole request', `${live}\r\n${live}`, 'X: yz\r\n', [200, 408]],
  ])('%s', async (_what, before, bytes, statuses) => {
    const answers = await drip(before, bytes);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    const { status, error } = answers.at(-1)?.body ?? {};
    if (status === 408) expect(error.name).toBe('RequestTimeoutError');
  });

  it('that says nothing at all', async () => {
    const [answer] = parseAnswers(await everythingFrom(await open(sluice.url)));
    expect([answer?.status, answer?.body.error.name]).toEqual([408, 'RequestTimeoutError']);
  });
});

it('a connection that is kept for a next request which does not come is closed after a while', async () => {
  const socket = await open(sluice.url);
  const answers = everythingFrom(socket);
  socket.write(`${live}\r\n`);
  const [answer, ...more] = parseAnswers(await answers);
  expect([answer?.status, answer?.headers.get('keep-alive'), more]).toEqual([200, 'timeout=2', []]);
});

it('a connection beyond MAX_CONNECTIONS is closed, and taken when there are fewer', async () => {
  const answered = (socket: Socket) => {
    socket.write(`${live}\r\n`);
    const closed = once(socket, 'close').then(() => false);
    return Promise.race([once(socket, 'data').then(() => true), closed]).catch(() => false);
  };
  const sockets: Socket[] = [];
  for (let n = 0; n < most + 2; n++) sockets.push(await open(sluice.url));
  const held = (await Promise.all(sockets.map(answered))).filter(Boolean).length;
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThanOrEqual(most);
  for (const socket of sockets) socket.destroy();
  await until(async () => {
    const socket = await open(sluice.url);
    return answered(socket).finally(() => socket.destroy());
  });
});
