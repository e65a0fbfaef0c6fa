import fc from 'fast-check';
import { Binary } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createKeysAt, firstKeyAt, fromKey, highestId, lowestId, toKey } from './entry-id.ts';

const latest = 2 ** 48 - 1;
const application = fc.stringMatching(/^[0-9a-f]{24}$/);
/** Dense, so that many entries share a millisecond; and over the whole range. */
const time = fc.oneof(fc.integer({ min: 1_000, max: 1_003 }), fc.integer({ min: 0, max: latest }));

type Make = ReturnType<typeof createKeysAt>;
const make = (newKey: Make, of: string, at: number) => newKey(Buffer.from(of, 'hex'), at);
/** The order of MongoDB for binary values of the same length. */
const order = (a: Binary, b: Binary) => Buffer.compare(a.buffer, b.buffer);
const hex = (key: Binary) => Buffer.from(key.buffer).toString('hex');

describe('keys of entries', () => {
  it('sort by application, then by time, then as they were made', () => {
    const entries = fc.array(
      fc.tuple(fc.oneof(fc.constantFrom('a'.repeat(24), 'b'.repeat(24)), application), time),
    );
    fc.assert(
      fc.property(entries, (list) => {
        const newKey = createKeysAt();
        const made = list.map(([of, at], n) => ({ of, at, n, key: make(newKey, of, at) }));
        const expected = made.toSorted(
          (a, b) => (a.of < b.of ? -1 : a.of > b.of ? 1 : 0) || a.at - b.at || a.n - b.n,
        );
        expect(made.toSorted((a, b) => order(a.key, b.key)).map(({ n }) => n)).toEqual(
          expected.map(({ n }) => n),
        );
      }),
      runs(),
    );
  });

  it('sort as they were made, however many are made in a millisecond', () => {
    const newKey = createKeysAt();
    const keys = Array.from({ length: 70_000 }, () => hex(make(newKey, 'a'.repeat(24), 1_000)));
    expect(keys.toSorted()).toEqual(keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('hold the id and the time of the entry, and are made again from application and id', () => {
    fc.assert(
      fc.property(application, time, fc.nat({ max: 40 }), (of, at, offset) => {
        const key = make(createKeysAt(), of, at);
        // As the driver hands it out: a view into the middle of a message.
        const message = Buffer.concat([Buffer.alloc(offset, 0xee), key.buffer, Buffer.alloc(3, 0xee)]);
        const received = new Binary(message.subarray(offset, offset + key.buffer.length));
        const { id, createdAt } = fromKey(received);
        expect(createdAt.getTime()).toBe(at);
        expect(id).toMatch(/^[0-9a-f]{28}$/);
        expect(hex(toKey(of, id))).toBe(hex(key));
      }),
      runs(),
    );
  });

  it('differ between processes that make them for one application in one millisecond', () => {
    fc.assert(
      fc.property(application, time, (of, at) => {
        const [mine, others] = [createKeysAt(), createKeysAt()];
        const keys = [mine, others, others, mine].map((newKey) => hex(make(newKey, of, at)));
        expect(new Set(keys).size).toBe(4);
      }),
      runs(),
    );
  });

  it('lie between the lowest and the highest of their application, and no other ones do', () => {
    fc.assert(
      fc.property(application, application, time, (of, other, at) => {
        const key = make(createKeysAt(), of, at);
        const isWithin = (bound: string) =>
          order(toKey(bound, lowestId), key) <= 0 && order(key, toKey(bound, highestId)) <= 0;
        expect(isWithin(of)).toBe(true);
        expect(isWithin(other)).toBe(other === of);
      }),
      runs(),
    );
  });
});

describe('the first key at a time', () => {
  it('is above every key made before, and not above one made then or later', () => {
    fc.assert(
      fc.property(application, time, time, (of, at, bound) => {
        const key = make(createKeysAt(), of, at);
        expect(order(firstKeyAt(of, new Date(bound)), key) <= 0).toBe(at >= bound);
      }),
      runs(),
    );
  });

  it('has that time', () => {
    fc.assert(
      fc.property(application, time, (of, at) => {
        expect(fromKey(firstKeyAt(of, new Date(at))).createdAt.getTime()).toBe(at);
      }),
      runs(),
    );
  });

  it.each([
    ['the earliest date there is', new Date(-8.64e15), 0],
    ['the millisecond before the epoch', new Date(-1), 0],
    ['the epoch', new Date(0), 0],
    ['the last millisecond that a key can hold', new Date(latest), latest],
    ['the millisecond after that', new Date(latest + 1), latest],
    ['the latest date there is', new Date(8.64e15), latest],
  ])('is within what keys can hold for %s', (_what, date, expected) => {
    const key = firstKeyAt('f'.repeat(24), date);
    expect(hex(key)).toBe('f'.repeat(24) + expected.toString(16).padStart(12, '0') + '0'.repeat(16));
  });
});
