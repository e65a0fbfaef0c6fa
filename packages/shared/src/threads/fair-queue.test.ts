import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

function takeAll(queue: { take(): string | undefined }): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

it('gives each client its turn, however much the others have waiting', () => {
  const queue = createFairQueue<string>({ waitingOfClient: 10, waiting: 100 });
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item[0] as string, item);
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.size()).toBe(0);
});

it('puts a client that comes again behind those that wait', () => {
  const queue = createFairQueue<string>({ waitingOfClient: 10, waiting: 100 });
  queue.push('a', 'a1');
  queue.push('b', 'b1');
  expect(queue.take()).toBe('a1');
  queue.push('a', 'a2');
  expect(takeAll(queue)).toEqual(['b1', 'a2']);
});

it('takes so many of a client and so many of all, and again when one has left', () => {
  const queue = createFairQueue<string>({ waitingOfClient: 2, waiting: 3 });
  expect(['a', 'a', 'a', 'b', 'c'].map((client) => queue.push(client, client))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
  queue.take();
  expect(queue.push('a', 'a')).toBe(true);
  expect(queue.size()).toBe(3);
});

it('goes by the weight of items where they have one', () => {
  const queue = createFairQueue<string>({ waitingOfClient: 100, waiting: 150 });
  const push = (client: string, weight: number) => queue.push(client, client, weight);
  expect([push('a', 60), push('a', 41), push('a', 40), push('b', 51), push('b', 50)]).toEqual([
    true,
    false,
    true,
    false,
    true,
  ]);
  expect([queue.take(), queue.size()]).toEqual(['a', 2]);
  expect([push('a', 61), push('a', 60)]).toEqual([false, true]);
  expect(takeAll(queue)).toEqual(['b', 'a', 'a']);
  expect(push('b', 100)).toBe(true);
});
