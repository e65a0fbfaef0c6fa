import { gzipSync } from 'node:zlib';
import { maxNesting, type PayloadIssue } from '@sluice/json/find-issues.ts';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { readPayload } from './read-payload.ts';

const read = (text: string) => readPayload(Buffer.from(text));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

function issues(text: string): PayloadIssue[] {
  const reading = read(text);
  return !reading.ok && reading.kind === 'inexact' ? reading.issues : [];
}

describe('a payload that is kept', () => {
  it.each([
    '{"a":1,"b":[true,null,"x"],"c":{"a":2}}',
    '"scalar"',
    '\ufeff{"bom":1}',
    ' \n{ "spaced" : [ 1 , 2 ] }\t',
    '[{"a":1},{"a":2}]',
    '{"a":"colon : and \\"quotes\\" and 1e400 \\\\"}',
    '{"2":"integer-like","1":"keys"}',
    '{"nul":"\\u0000 in a value"}',
    '{"pair":"\\ud83d\\ude00","raw":"😀"}',
    '{"__proto":1,"constructor":2,"toString":3,"":4,"a.b":5,"$set":6}',
    '{"$ref":"a.b"}',
    '{"$ref":"a","$id":1,"$db":"b"}',
    '{"a":"__proto__","b":"_bsontype"}',
    nested(maxNesting),
  ])('%s', (text) => {
    const plain = text.replace('\ufeff', '');
    expect(read(text)).toEqual({
      ok: true,
      payload: JSON.parse(plain),
      json: Buffer.from(plain),
      bson: plain.trim().startsWith('{') ? expect.any(Buffer) : undefined,
    });
  });

  it('is returned for a body that is a slice of a larger buffer', () => {
    expect(readPayload(Buffer.from('xx[1]xx').subarray(2, 5))).toEqual({
      ok: true,
      payload: [1],
      json: Buffer.from('[1]'),
      bson: undefined,
    });
  });

  it('keeps its BSON when others are read', () => {
    const length = fc.oneof(fc.nat(300), fc.nat(40_000));
    const others = fc.constantFrom('{"a":1,"a":1}', '{"a":', '[1]');
    fc.assert(
      fc.property(fc.array(fc.tuple(length, others), { maxLength: 100 }), (lengths) => {
        const readings = lengths.map(([length, other], n) => {
          const payload = { n, text: String.fromCharCode(97 + (n % 26)).repeat(length) };
          const reading = readPayload(Buffer.from(JSON.stringify(payload)));
          readPayload(Buffer.from(other));
          return { payload, bson: reading.ok && reading.bson };
        });
        for (const { payload, bson } of readings) expect(BSON.deserialize(bson as Buffer)).toEqual(payload);
      }),
    );
  });
});

describe('a payload that would change', () => {
  it.each([
    ['[0,{"n":9223372036854775808}]', '/1/n', 'integerRange'],
    ['9223372036854775808', '', 'integerRange'],
    ['[-1e400]', '/0', 'exactNumber'],
    ['[1e-400]', '/0', 'exactNumber'],
    ['{"a":1,"a":1}', '/a', 'uniqueKeys'],
    ['{"a":1,"\\u0061":2}', '/a', 'uniqueKeys'],
    ['[[],{"x/y":{"a":{"b":1},"a":[]}}]', '/1/x~1y/a', 'uniqueKeys'],
    ['{"2":1,"1":1,"2":1}', '/2', 'uniqueKeys'],
    ['{"a":["\\ud800"]}', '/a/0', 'wellFormed'],
    ['{"a":"\\uDC00\\uD800"}', '/a', 'wellFormed'],
    ['{"\\ud800":1}', '/\ufffd', 'wellFormed'],
    ['{"a":{"_bsontype":"ObjectId"}}', '/a/_bsontype', 'reservedKey'],
    ['{"\\u005fbsontype":1}', '/_bsontype', 'reservedKey'],
    ['{"a\\u0000b":1}', '/a\0b', 'keyWithoutNul'],
    ['{"a":{"$id":1,"$ref":"b.c"}}', '/a/$ref', 'reference'],
    [nested(maxNesting + 1), '/0'.repeat(maxNesting), 'maxNesting'],
    [`[1,${nested(maxNesting)},{"n":1}]`, `/1${'/0'.repeat(maxNesting - 1)}`, 'maxNesting'],
  ])('%s is refused at %s for %s', (text, path, keyword) => {
    expect(issues(text)).toEqual([{ path, keyword, message: expect.any(String) }]);
  });

  it('is refused with every reason, and each duplicate key once', () => {
    const found = issues('{"a":1e400,"b":{"_bsontype":"\\ud800"},"a":[1e-400],"a":2}');
    expect(found.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual([
      '/a exactNumber',
      '/b/_bsontype reservedKey',
      '/b/_bsontype wellFormed',
      '/a uniqueKeys',
      '/a/0 exactNumber',
    ]);
  });
});

describe('a malformed body', () => {
  it.each([
    ['', 'the body is empty'],
    [' \n', 'the body is empty'],
    ['\ufeff', 'the body is empty'],
    ...[
      ['{"secret":', 'it ends too early'],
      ['{"secret', 'it ends too early'],
      ['{"a":1,\n "b" secret}', 'a colon is missing at line 2, column 6'],
      ['{"a":1\n"secret":2}', 'a comma is missing at line 2, column 1'],
      ['{"a":secret}', 'unexpected text at line 1, column 6'],
      ['{secret:1}', 'a name in double quotes is missing at line 1, column 2'],
      [
        '{"a":[1.5e3,\n"\\"x\\\\", NaN]}',
        'unexpected `NaN` at line 2, column 10; JSON has no NaN and no Infinity: send null',
      ],
      [
        '[-Infinity]',
        'unexpected `-Infinity` at line 1, column 2; JSON has no NaN and no Infinity: send null',
      ],
      [
        '[true,null,false,{"a":1},undefined]',
        'unexpected `undefined` at line 1, column 26; in JSON it is null',
      ],
      ['{"a": None}', 'unexpected `None` at line 1, column 7; in JSON it is null'],
      ['{"a": True}', 'unexpected `True` at line 1, column 7; in JSON it is true'],
      ['nope', 'unexpected text at line 1, column 1'],
      ["[1,'secret']", 'unexpected character at line 1, column 4; strings are in double quotes'],
      ['// secret\n{}', 'unexpected character at line 1, column 1; JSON has no comments'],
      ['["a\nb"]', 'unexpected character at line 1, column 4; in a string it is written \\n, \\r or \\t'],
      ['[1,2,]', 'a comma before `]` at line 1, column 6'],
      ['{"a":1, }', 'a comma before `}` at line 1, column 9'],
      ['[.5]', 'unexpected character at line 1, column 2; a number begins with a digit or -'],
      ['[01]', 'a number that JSON does not have at line 1, column 3'],
      ['["\\x"]', 'a backslash begins no escape that JSON has at line 1, column 4'],
      ['{"a":1} {"b":2}', 'text after the end of the JSON value at line 1, column 9'],
    ].map(([text = '', message]): [string, string] => [text, `the body is not JSON: ${message}`]),
  ])('%j: %s', (text, message) => {
    expect(read(text)).toMatchObject({ ok: false, kind: 'malformed', message });
  });

  it.each([
    '{"__proto__":1}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"__proto__":1},"a":2}',
    '[{"\\u005f_proto__":1e400}]',
  ])('%j has a key that is never taken', (text) => {
    const message = 'the key __proto__ is not accepted';
    expect(read(text)).toMatchObject({ ok: false, kind: 'forbidden', message });
  });

  it.each([
    [[0x22, 0xff, 0x22]],
    [[0x22, 0xe9, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xc0, 0x80, 0x22]],
  ])('of the bytes %j is not UTF-8', (bytes) => {
    const message = expect.stringMatching(/^the body is not valid UTF-8 at byte 2; /);
    expect(readPayload(Buffer.from(bytes))).toMatchObject({ ok: false, kind: 'malformed', message });
  });

  it('that are gzip says which header is missing', () => {
    const message =
      'the body is not valid UTF-8 at byte 2; it looks like gzip: decompress it, or send Content-Encoding: gzip';
    expect(readPayload(gzipSync('{}'))).toMatchObject({ ok: false, kind: 'malformed', message });
  });
});
