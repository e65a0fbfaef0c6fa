import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiError } from '@sluice/shared/errors.ts';
import fc from 'fast-check';
import type { FastifyReply } from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { type CapacityLease, createCapacity } from './capacity.ts';

const ofThings = { what: 'things', client: 'owner' } as const;
const create = (limit: number, waitMs?: number) =>
  createCapacity({ ...ofThings, limit, ...(waitMs !== undefined && { waitMs }) });

/** 200, or the status of the refusal. */
function statusOf(take: () => void): number {
  try {
    take();
    return 200;
  } catch (error) {
    return (error as ApiError).status;
  }
}

const settled = () => new Promise(setImmediate);

describe('a capacity', () => {
  it('is taken up to the share of each client and the limit of all, and there again when it is free', () => {
    const amount = fc.integer({ min: 1, max: 12 });
    const step = fc.oneof(
      fc.record({ client: fc.constantFrom('one', 'two', 'three'), amount }),
      fc.record({ free: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        const { take, free } = create(limit);
        const taken: { client: string; amount: number }[] = [];
        const sum = (list: typeof taken) => list.reduce((total, one) => total + one.amount, 0);
        for (const one of steps) {
          if ('free' in one) {
            for (const { client, amount } of taken.splice(one.free % Math.max(1, taken.length), 1))
              free(client, amount);
            continue;
          }
          const own = sum(taken.filter(({ client }) => client === one.client));
          const all = sum(taken);
          const expected =
            own > 0 && own + one.amount > 0.75 * limit
              ? 429
              : all > 0 && all + one.amount > limit
                ? 503
                : 200;
          expect(statusOf(() => take(one.client, one.amount))).toBe(expected);
          if (expected === 200) taken.push(one);
        }
        for (const { client, amount } of taken) free(client, amount);
        take('one', limit);
        expect(statusOf(() => take('two', 1))).toBe(503);
      }),
    );
  });

  it('says whose fault it is, and when to come again', () => {
    const { take } = create(4);
    take('one', 3);
    const refusal = (name: string, message: string) =>
      expect.objectContaining({ name, message, headers: { 'retry-after': '2' } });
    expect(() => take('one', 1)).toThrow(
      refusal('TooManyRequestsError', 'too many things of one owner at once; nothing was done'),
    );
    expect(() => take('two', 2)).toThrow(
      refusal('ServiceUnavailableError', 'too many things at once; nothing was done'),
    );
  });

  it('takes what is larger than all of it, alone', () => {
    const { take, free } = create(10);
    take('one', 11);
    expect(statusOf(() => take('two', 1))).toBe(503);
    free('one', 11);
    take('two', 7);
    expect(statusOf(() => take('two', 1))).toBe(429);
    take('one', 3);
  });

  it('is taken while work goes on, whatever becomes of it', async () => {
    const { run } = create(2);
    const { promise, reject } = Promise.withResolvers<void>();
    const failing = run('one', () => promise, 2);
    await expect(run('two', async () => 'never')).rejects.toMatchObject({ status: 503 });
    reject(new Error('failed'));
    await expect(failing).rejects.toThrow('failed');
    expect(await run('two', async () => 'done')).toBe('done');
  });
});

/** Work that is under way until it is told to end, in the order in which it began. */
function createWork() {
  const underWay: { name: string; end(fails?: boolean): void }[] = [];
  const begin = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      underWay.push({ name, end: (fails) => (fails ? reject(new Error(name)) : resolve(name)) });
    });
  return { underWay, begin };
}

describe('work that waits for a capacity', () => {
  it('is under way as much as there may be, whatever ends how, and in the end all of it', async () => {
    const step = fc.record({ client: fc.constantFrom('a', 'b', 'c'), ends: fc.nat(3), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 20 }),
        async (limit, steps) => {
          const { runInFairOrder } = create(limit, 60_000);
          const { underWay, begin } = createWork();
          const all: Promise<unknown>[] = [];
          const end = async (fails: boolean) => {
            underWay.shift()?.end(fails);
            await settled();
          };
          let ended = 0;
          for (const [n, { client, ends, fails }] of steps.entries()) {
            const work = runInFairOrder(client, begin(`${n}`)).catch(() => {});
            all.push(work.then(() => ended++));
            await settled();
            expect(underWay.length).toBe(Math.min(limit, all.length - ended));
            for (let i = 0; i < ends; i++) await end(fails);
          }
          while (underWay.length > 0) await end(false);
          await Promise.all(all);
          expect(ended).toBe(steps.length);
        },
      ),
      runs(50),
    );
  });

  it('is taken from one client after the other, however much one of them has waiting', async () => {
    const { runInFairOrder } = create(1, 60_000);
    const { underWay, begin } = createWork();
    const all = ['first', 'one', 'one', 'one', 'two'].map((client, n) =>
      runInFairOrder(client, begin(`${client} ${n}`)),
    );
    const order: string[] = [];
    while (order.length < all.length) {
      await settled();
      const work = underWay.shift();
      order.push(work?.name as string);
      work?.end();
    }
    await Promise.all(all);
    expect(order).toEqual(['first 0', 'one 1', 'two 4', 'one 2', 'one 3']);
  });

  it('is refused when its turn comes too late: 429 to whom most of the capacity is used by, 503 to others', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { runInFairOrder } = create(4, 5_000);
    const { underWay, begin } = createWork();
    const running = [1, 2, 3, 4].map((n) => runInFairOrder('one', begin(`${n}`)));
    const late = [runInFairOrder('one', begin('late')), runInFairOrder('two', begin('late'))];
    const refused = Promise.allSettled(late);
    vi.advanceTimersByTime(4_000);
    const soon = runInFairOrder('two', begin('soon'));
    vi.advanceTimersByTime(1_001);
    await settled();
    underWay.shift()?.end();
    expect(await refused).toMatchObject([{ reason: { status: 429 } }, { reason: { status: 503 } }]);
    await settled();
    for (const work of underWay.splice(0)) work.end();
    expect(await soon).toBe('soon');
    await Promise.all(running);
  });
});

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
function work(lease: CapacityLease, fails = false) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = lease.during(() => promise).catch(() => {});
  return async () => {
    if (fails) reject(new Error('failed'));
    else resolve();
    await done;
  };
}

describe('a lease', () => {
  it('is over when the answer has gone, or its client has', async () => {
    const next = await answers();
    const capacity = create(100);
    const [first, second, third] = [await next(), await next(), await next()];
    capacity.lease(first.reply, 'one').take(30);
    capacity.lease(second.reply, 'one').take(45);
    const late = capacity.lease(third.reply, 'one');
    expect(statusOf(() => late.take(1))).toBe(429);
    await first.answer();
    late.take(30);
    expect(statusOf(() => late.take(1))).toBe(429);
    await second.leave();
    late.take(45);
    expect(statusOf(() => capacity.take('two', 26))).toBe(503);
  });

  it.each([false, true])(
    'lasts while its work goes on, though nobody waits (which fails: %s)',
    async (fails) => {
      const next = await answers();
      const capacity = create(10);
      const { reply, leave } = await next();
      const lease = capacity.lease(reply, 'one');
      lease.take(4);
      const end = work(lease, fails);
      await leave();
      lease.take(3);
      expect(statusOf(() => capacity.take('two', 4))).toBe(503);
      await end();
      capacity.take('two', 7);
      capacity.take('one', 3);
    },
  );

  it('is over with its work where the client had gone before', async () => {
    const next = await answers();
    const capacity = create(10);
    const { reply, leave } = await next();
    await leave();
    const lease = capacity.lease(reply, 'one');
    const end = work(lease);
    lease.take(10);
    expect(statusOf(() => capacity.take('two', 1))).toBe(503);
    await end();
    capacity.take('two', 10);
  });

  it('lasts until the answer has gone where the work is done before', async () => {
    const next = await answers();
    const capacity = create(10);
    const { reply, answer } = await next();
    const lease = capacity.lease(reply, 'one');
    const end = work(lease);
    lease.take(10);
    await end();
    expect(statusOf(() => capacity.take('two', 1))).toBe(503);
    await answer();
    capacity.take('two', 10);
  });
});
