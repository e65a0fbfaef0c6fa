import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

function takeAll(queue: { take(): string | undefined }): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

it('gives each client its turn, however much the others have waiting', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item[0] as string, item);
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.size()).toBe(0);
});

it('puts a client that comes again behind those that wait', () => {
  const queue = createFairQueue<string>();
  queue.push('a', 'a1');
  queue.push('b', 'b1');
  expect(queue.take()).toBe('a1');
  queue.push('a', 'a2');
  expect(takeAll(queue)).toEqual(['b1', 'a2']);
});

it('forgets an item that leaves, and its client behind the last one', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'b1', 'c1']) queue.push(item[0] as string, item);
  queue.remove('a', 'a1');
  queue.remove('b', 'b1');
  queue.remove('b', 'b1');
  queue.remove('c', 'a2');
  expect(queue.size()).toBe(2);
  expect(takeAll(queue)).toEqual(['a2', 'c1']);
});
