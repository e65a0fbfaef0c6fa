import type { FileFormat } from '@sluice/export-worker/formats/format.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { type Column, columnsOf } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { Binary, BSON } from 'mongodb';
import { anyCharacter } from '../any-character.ts';
import { eachField } from '../each-field.ts';

export type Payload = Record<string, unknown>;
export interface Entry {
  time: number;
  payload: Payload;
  /** Whether it has an idempotency key beside the payload. */
  once?: boolean;
  version?: number;
  receivedAt?: Date;
}

const application = '0123456789abcdef01234567';
export const idAt = (time: number) => `${time.toString(16).padStart(12, '0')}0123456700000001`;

/** An entry as MongoDB hands it out: a part of a reply. */
export function toBson({ time, payload, once, version, receivedAt }: Entry): Buffer {
  const _id = new Binary(Buffer.from(application + idAt(time), 'hex'));
  const document = BSON.serialize({
    _id,
    payload,
    ...(once && { once: new Binary(Buffer.alloc(16, 7)) }),
    ...(version !== undefined && { version }),
    ...(receivedAt && { receivedAt }),
  });
  return Buffer.concat([Buffer.alloc(3, 0xee), document, Buffer.alloc(2, 0xee)]).subarray(3, -2);
}

export function columnsFor(entries: Entry[]): Column[] {
  const pointers = new Set<string>();
  for (const { payload } of entries) eachField(payload, (path) => pointers.add(toPointer(path)));
  return columnsOf({ type: 'object' }, [...pointers]);
}

/** The whole file, its pieces ended after the entries named. */
export async function write(format: FileFormat, entries: Entry[], cuts: Set<number> = new Set()) {
  const pieces: Uint8Array[] = [];
  format.open(0);
  for (const [index, entry] of entries.entries()) {
    format.add(toBson(entry));
    if (cuts.has(index)) pieces.push((await format.take()).data);
  }
  format.close(0);
  pieces.push((await format.take()).data);
  return Buffer.concat(pieces).toString();
}

const marks = [...'=+-@\t\r\n \v\'",;:[]{}\\/~.', '\u00a0', '\u2028', '\u3000', '\ufeff', '\0', '\u001f'];
const unit = fc.oneof(
  fc.constantFrom(...marks),
  fc.constantFrom('a', 'e', '0', '1', 'é', '€', '😀'),
  anyCharacter,
);
export const text = fc.oneof(
  fc.string({ unit }),
  fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'ü', '"'), minLength: 20, maxLength: 90 }),
  fc.constantFrom(
    '',
    'true',
    'false',
    'null',
    '-1',
    '1e5',
    '0.5',
    '01',
    '1.',
    '=1',
    "'=1",
    "''@",
    '[1]',
    '{}',
  ),
  fc.double().map(String),
);
export const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.tuple(fc.integer(), fc.integer({ min: 1, max: 9 })).map(([digits, places]) => digits / 10 ** places),
  fc.constantFrom(0, -0, 2 ** 31, -(2 ** 31), 1e15, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 0.1 + 0.2),
);
export const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const weirdKeys = [
  '',
  '0',
  '7',
  'a.b',
  'a/b',
  '~0',
  'toJSON',
  'constructor',
  '"',
  '\\',
  '=x',
  'createdAt',
  'é',
  '$ref',
  '$id',
];
export const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'some longer key') },
  { weight: 3, arbitrary: fc.constantFrom(...weirdKeys) },
  { weight: 1, arbitrary: fc.string({ unit, maxLength: 4 }).map((name) => name.replaceAll('\0', '')) },
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 2, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }) },
  ),
}));
const payload: fc.Arbitrary<Payload> = fc.dictionary(key, value, {
  maxKeys: 7,
  noNullPrototype: true,
});
export const time = fc.oneof(
  fc.nat({ max: 3_000 }),
  fc.integer({ min: 1.7e12, max: 1.7e12 + 5 }),
  fc.nat({ max: 2 ** 47 }),
);
export const entries = fc.array(fc.record({ time, payload, once: fc.boolean() }), { maxLength: 8 });
