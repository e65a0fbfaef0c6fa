import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyReply } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { createHeldBytes, type Hold } from './held-bytes.ts';

const mib = 1024 ** 2;

/** Requests of real clients, each with the answer that it waits for. */
async function answers() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async () => {
    const client = request({ port, host: '127.0.0.1' }).on('error', () => {});
    client.end();
    const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse];
    const closed = once(raw, 'close');
    return {
      reply: { raw } as unknown as FastifyReply,
      leave: async () => {
        client.destroy();
        await closed;
      },
      answer: async () => {
        raw.end();
        await closed;
      },
    };
  };
}

/** Work that goes on until it is told to end. */
function work(hold: Hold, fails = false) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = hold.during(() => promise).catch(() => {});
  return async () => {
    if (fails) reject(new Error('failed'));
    else resolve();
    await done;
  };
}

it('are held up to a limit, until their answers have gone', async () => {
  const next = await answers();
  const roomFor = createHeldBytes({ most: 128 * mib, mostOfClient: 128 * mib });
  const all: Awaited<ReturnType<typeof next>>[] = [];
  for (let n = 0; n < 8; n++) {
    const one = await next();
    all.push(one);
    expect(roomFor(one.reply, 'one').take(15 * mib)).toBe(true);
  }
  const late = roomFor((await next()).reply, 'one');
  expect(late.take(8 * mib)).toBe(true);
  expect(late.take(1)).toBe(false);
  await all[0]?.answer();
  await all[1]?.leave();
  expect(late.take(30 * mib)).toBe(true);
  expect(late.take(1)).toBe(false);
});

it.each([false, true])(
  'are held while their work goes on, though nobody waits for it (which fails: %s)',
  async (fails) => {
    const next = await answers();
    const roomFor = createHeldBytes({ most: 10, mostOfClient: 10 });
    const { reply, leave } = await next();
    const hold = roomFor(reply, 'one');
    expect(hold.take(4)).toBe(true);
    const end = work(hold, fails);
    await leave();
    expect(hold.take(4)).toBe(true);
    const other = roomFor((await next()).reply, 'one');
    expect([other.take(3), other.take(2)]).toEqual([false, true]);
    await end();
    expect([other.take(9), other.take(8)]).toEqual([false, true]);
  },
);

it('are given back where the client had gone before anything was held', async () => {
  const next = await answers();
  const roomFor = createHeldBytes({ most: 10, mostOfClient: 10 });
  const { reply, leave } = await next();
  await leave();
  const hold = roomFor(reply, 'one');
  const end = work(hold);
  expect(hold.take(10)).toBe(true);
  const other = roomFor((await next()).reply, 'one');
  expect(other.take(1)).toBe(false);
  await end();
  expect(other.take(10)).toBe(true);
});

it('are held until the answer has gone where the work is done before', async () => {
  const next = await answers();
  const roomFor = createHeldBytes({ most: 10, mostOfClient: 10 });
  const { reply, answer } = await next();
  const hold = roomFor(reply, 'one');
  const end = work(hold);
  expect(hold.take(10)).toBe(true);
  await end();
  const other = roomFor((await next()).reply, 'one');
  expect(other.take(1)).toBe(false);
  await answer();
  expect(other.take(10)).toBe(true);
});

it('of one client leave room for others', async () => {
  const next = await answers();
  const roomFor = createHeldBytes({ most: 10, mostOfClient: 6 });
  const [first, second] = [await next(), await next()];
  expect(roomFor(first.reply, 'one').take(4)).toBe(true);
  const more = roomFor(second.reply, 'one');
  expect([more.take(3), more.take(2)]).toEqual([false, true]);
  const other = roomFor((await next()).reply, 'other');
  expect([other.take(5), other.take(4)]).toEqual([false, true]);
  await first.answer();
  expect([more.take(5), more.take(4)]).toEqual([false, true]);
});
