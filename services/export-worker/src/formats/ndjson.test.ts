import { toPointer } from '@sluice/json/pointer.ts';
import { type Column, columnsOf } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { BSON, Long } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { eachField } from '../../../../test/support/each-field.ts';
import {
  columnsFor,
  type Entry,
  entries,
  idAt,
  type Payload,
  write,
} from '../../../../test/support/exports/entries.ts';
import { runs } from '../../../../test/support/runs.ts';
import { createNdjson } from './ndjson.ts';

const line = ({ time, payload }: Entry) =>
  `${JSON.stringify({ id: idAt(time), createdAt: new Date(time), payload })}\n`;

/** What is left of an object when only some leaves are kept, by their pointers. */
function prune(object: Payload, kept: Set<string | undefined>, at = ''): Payload {
  const members = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const pointer = at + toPointer([key]);
    const leaves: string[] = [];
    eachField({ [key]: value }, (path) => leaves.push(at + toPointer(path)));
    if (leaves[0] === pointer) return kept.has(pointer) ? [[key, value]] : [];
    return leaves.some((leaf) => kept.has(leaf)) ? [[key, prune(value as Payload, kept, pointer)]] : [];
  });
  return Object.fromEntries(members);
}

describe('NDJSON', () => {
  it('has a line for each entry, the payload as JSON.stringify prints it', async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.uniqueArray(fc.nat({ max: 7 })), async (list, cuts) => {
        expect(await write(createNdjson(), list, new Set(cuts))).toBe(list.map(line).join(''));
      }),
      runs(),
    );
  });

  it('has the selected leaves alone, nested as they were', async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.infiniteStream(fc.boolean()), async (list, dice) => {
        const columns = columnsFor(list);
        const shown: Column[] = columns.filter(() => dice.next().value);
        const kept = new Set(shown.map(({ pointer }) => pointer));
        const lines = list.map(({ time, payload }) => {
          const createdAt = kept.has(undefined) ? { createdAt: new Date(time) } : {};
          return `${JSON.stringify({ id: idAt(time), ...createdAt, payload: prune(payload, kept) })}\n`;
        });
        const selected = shown.map(({ name }) => name);
        expect(await write(createNdjson({ columns, selected }), list)).toBe(lines.join(''));
      }),
      runs(),
    );
  });

  it('has ids, versions and times of receipt beside the payload', async () => {
    const receivedAt = new Date(3);
    const list: Entry[] = [
      { time: 5, payload: { a: 1 } },
      { time: 6, payload: {}, once: true, version: 2 },
      { time: 7, payload: { version: 9 }, once: true, version: 3, receivedAt },
    ];
    const lines = list.map(({ time, payload, version = 1, receivedAt: received_at }) =>
      JSON.stringify({
        id: idAt(time),
        schema_version: version,
        createdAt: new Date(time),
        received_at,
        payload,
      }),
    );
    expect(await write(createNdjson({ withVersion: true }), list)).toBe(`${lines.join('\n')}\n`);
  });

  it.each<[Payload, string]>([
    [{ a: 1 }, '"payload":{}}\n'],
    [{ a: {} }, '"payload":{}}\n'],
    [{ b: { d: 1 } }, '"payload":{}}\n'],
    [{ b: { d: 1, c: [{ e: 2 }] }, a: 1 }, '"payload":{"b":{"c":[{"e":2}]}}}\n'],
  ])('keeps of %j what was selected', async (payload, expected) => {
    const columns = columnsOf({ type: 'object' }, ['/a/x', '/b/c', '/b/d']);
    const format = createNdjson({ columns, selected: ['b.c', 'a.x'] });
    expect(await write(format, [{ time: 0, payload }])).toBe(`{"id":"${idAt(0)}",${expected}`);
  });

  it('writes whole numbers of 64 bits exactly', async () => {
    const payload = { a: Long.fromString('9223372036854775807'), b: [Long.fromString('-9007199254740993')] };
    expect(await write(createNdjson(), [{ time: 0, payload }])).toBe(
      `{"id":"${idAt(0)}","createdAt":"1970-01-01T00:00:00.000Z","payload":{"a":9223372036854775807,"b":[-9007199254740993]}}\n`,
    );
  });

  it('holds payloads nested 64 deep, and longer ones than it sets aside at first', async () => {
    let payload: Payload = { text: '\u0000'.repeat(3_000_000) };
    for (let level = 1; level < 64; level++) payload = level % 2 ? { in: [payload] } : { in: payload };
    const entry = { time: 0, payload };
    expect((await write(createNdjson(), [entry])) === line(entry)).toBe(true);
  });

  it('refuses types that JSON does not have', async () => {
    await expect(write(createNdjson(), [{ time: 0, payload: { a: new Date() } }])).rejects.toThrow(
      'BSON type 9',
    );
  });

  it('refuses what is no entry', () => {
    const { add } = createNdjson();
    const whole = Buffer.from(BSON.serialize({ payload: {} }));
    expect(() => add(whole)).toThrow('not the document of an entry');
    expect(() => add(whole.subarray(0, -1))).toThrow('not a BSON document');
  });
});
