import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyJson } from './any-json.ts';

export interface AnyBody {
  bytes: Buffer;
  headers: string[];
}

const json = 'Content-Type: application/json';
const hostileValues = fc.constantFrom(
  '-0',
  '1e400',
  '-1e400',
  '1e-400',
  '5e-324',
  '4.9e-324',
  '2e-324',
  '1.7976931348623157e308',
  '1.7976931348623159e308',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775808',
  '0.1',
  '0.30000000000000004',
  '1E2',
  '100000000000000000000',
  '01',
  '1.',
  '.5',
  '+1',
  '0x10',
  'NaN',
  'Infinity',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"\\u0000"',
  '"\0"',
  '"\\x41"',
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"__proto__":1}',
  '{"\\u0000":1}',
  '{"1":1,"0":2}',
  '[1,]',
  '{"a":1,}',
  '{"_bsontype":"Long"}',
  '{"$numberLong":"1"}',
  ...[62, 63, 64, 65, 2_000].map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
);
const object = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', '$ref', '$id', '0', ''), fc.oneof(anyJson, hostileValues)), {
    maxLength: 3,
  })
  .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`);
const text = fc.oneof({ weight: 5, arbitrary: object }, anyJson, hostileValues);

const mark = Buffer.from([0xef, 0xbb, 0xbf]);
/** Ways from text to bytes; but for the first ones, no reader of JSON should follow them. */
const toBytes = fc.constantFrom<(text: string) => Buffer>(
  ...Array.from({ length: 8 }, () => (text: string) => Buffer.from(text)),
  (text) => Buffer.concat([mark, Buffer.from(text)]),
  (text) => Buffer.concat([mark, mark, Buffer.from(text)]),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  (text) => Buffer.from(text, 'utf16le').swap16(),
  (text) => Buffer.from(`{"\xe9":${text}}`, 'latin1'),
  (text) => Buffer.from(text).subarray(0, -1),
  (text) => Buffer.from(`${text}\0`),
  (text) => Buffer.from(`${text}${text}`),
  (text) => Buffer.from(`\u00a0${text}`),
  (text) => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(`",${text}`)]),
  (text) => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0x80]), Buffer.from(`"}${text}`)]),
);

const bomb = gzipSync(Buffer.alloc(16 * 1024 ** 2, ' '));
const plain = fc
  .tuple(text, toBytes)
  .map(([body, encode]): AnyBody => ({ bytes: encode(body), headers: [json] }));
const flipped = fc.tuple(object, fc.nat(), fc.nat({ max: 255 })).map(([body, position, byte]): AnyBody => {
  const bytes = Buffer.from(body);
  bytes[position % bytes.length] = byte;
  return { bytes, headers: [json] };
});
const otherwise = fc.constantFrom<AnyBody>(
  { bytes: bomb, headers: [json, 'Content-Encoding: gzip'] },
  { bytes: bomb, headers: [json] },
  { bytes: gzipSync('{}'), headers: [json, 'Content-Encoding: gzip, gzip'] },
  { bytes: Buffer.from('{}'), headers: [json, 'Content-Encoding: br'] },
  { bytes: Buffer.from('{}'), headers: ['Content-Type: application/json; charset=utf-16'] },
  { bytes: Buffer.from('{}'), headers: ['Content-Type: application/json;'] },
  { bytes: Buffer.from('{}'), headers: ['Content-Type: application/json; charset="UTF-8"'] },
  { bytes: Buffer.from('{}'), headers: ['Content-Type: \xff'] },
  { bytes: Buffer.from('{}'), headers: ['Content-Type:'] },
  { bytes: Buffer.from('{}'), headers: [] },
  { bytes: Buffer.alloc(0), headers: [json] },
  { bytes: Buffer.alloc(9_000, ' '), headers: [json] },
  { bytes: Buffer.alloc(200, 0xff), headers: [json] },
);

/** Bodies of uploads, some of them good, with the headers that go with them. */
export const hostileBody: fc.Arbitrary<AnyBody> = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 2, arbitrary: flipped },
  { weight: 1, arbitrary: otherwise },
);
