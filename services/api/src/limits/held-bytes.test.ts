import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { createHeldBytes } from './held-bytes.ts';

const mib = 1024 ** 2;
const answer = () => ({ raw: new EventEmitter() }) as unknown as FastifyReply;

it('are held up to a limit, until their answers have gone', () => {
  const roomFor = createHeldBytes(128 * mib);
  const answers = Array.from({ length: 8 }, answer);
  const rooms = answers.map(roomFor);
  for (const take of rooms) expect(take(15 * mib)).toBe(true);
  const late = roomFor(answer());
  expect(late(8 * mib)).toBe(true);
  expect(late(1)).toBe(false);
  answers[0]?.raw.emit('close');
  expect(late(15 * mib)).toBe(true);
  expect(late(1)).toBe(false);
});
