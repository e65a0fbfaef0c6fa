import { readExactJson } from '@sluice/json/parse-json.ts';
import fc from 'fast-check';
import { BSON, type Document } from 'mongodb';
import { expect, it } from 'vitest';
import { anyJson } from '../../../test/support/any-json.ts';
import { runs } from '../../../test/support/runs.ts';
import { readPayload } from './read-payload.ts';
import { bsonRoom, writeBson } from './write-bson.ts';

/** With a byte before it, as in a message, and what was written there before. */
function bsonOf(json: string): Buffer {
  const text = Buffer.from(json);
  const target = Buffer.alloc(bsonRoom(text) + 1, 0xff);
  const end = writeBson(text, target, 1);
  expect(end).toBeLessThanOrEqual(target.length);
  return target.subarray(1, end);
}

/** What the driver makes of it. It puts keys that are numbers before the others, and keeps -0. */
function driverBson(json: string): Buffer {
  const plain = readExactJson(json, (_key, value) => (value === 0 ? 0 : value)) as Document;
  return Buffer.from(BSON.serialize(plain, { ignoreUndefined: true }));
}

const hasNumberedKeys = (json: string) => /"(?:\\u00|\d)[^"]*"\s*:/.test(json);

it('is what the driver writes, for any object that is taken', () => {
  const often = runs();
  let taken = 0;
  const run = fc.property(fc.array(anyJson, { maxLength: 5 }), fc.string(), (values, key) => {
    const json = `{ "${key.replace(/[\\"\p{C}]/gu, '')}" : [${values.join(' ,')}],"z":${values[0] ?? 0}}`;
    const reading = readPayload(Buffer.from(json));
    fc.pre(reading.ok);
    taken++;
    const bson = bsonOf(json);
    if (hasNumberedKeys(json)) expect(BSON.deserialize(bson)).toEqual(BSON.deserialize(driverBson(json)));
    else expect(bson.toString('hex')).toBe(driverBson(json).toString('hex'));
  });
  fc.assert(run, often);
  expect(taken).toBeGreaterThanOrEqual(often.numRuns);
});

it.each([
  ['{}'],
  [' \t\r\n{ } \n'],
  ['{"a":-0,"b":0,"c":0.0,"d":-0.0e5}'],
  ['{"a":[2147483647,2147483648,-2147483648,-2147483649,9007199254740991]}'],
  ['{"a":[1e0,1E5,1e+5,1.5e-3,-1e9,1e10,123456789012345,1234567890123456,0.1234567890123]}'],
  ['{"a":[9007199254740993,-9223372036854775808,9223372036854775807,1e18,-1.5e18,9223372036854776000]}'],
  ['{"a":[5e-324,1.7976931348623157e308,-89.19,100.0,1.0 ,2\n]}'],
  ['{"a":"","b":"\\"","c":"\\\\","d":"\\u0000x","e":"\\ud83d\\ude00","f":"é\\n","g":"plain","\\u0068":1}'],
  [`{"${'k'.repeat(100)}":"${'long and longer '.repeat(100)}","u":"${'Zürich 東京 '.repeat(9)}"}`],
  ['{"a":{"b":{"c":[[],{},[{}],[[1]],null,true,false]}},"d":{}}'],
  [`{"a":[${Array.from({ length: 1_234 }, (_, i) => i).join()}]}`],
  [`${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`],
])('is what the driver writes: %.60s', (json) => {
  expect(readPayload(Buffer.from(json))).toMatchObject({ ok: true });
  expect(bsonOf(json).equals(driverBson(json))).toBe(true);
});

it('keeps members in the order of the text', () => {
  const keys = ['b', '2', 'a', '1', ''];
  const bson = bsonOf(`{${keys.map((key, i) => `"${key}":${i}`).join()}}`);
  const elements = Array.from(BSON.onDemand.parseToElements(bson));
  const names = elements.map(([, start, length]) => bson.toString('utf8', start, start + length));
  expect(names).toEqual(keys);
});

it.each([
  // The most bytes for a character: an index of seven digits.
  ['0', 1_100_000],
  ['""', 100_000],
  ['[]', 100_000],
  ['{}', 100_000],
  ['0.5', 100_000],
  ['1e10', 100_000],
])('has room for %s, %d times', (item, times) => {
  const json = `{"a":[${Array(times).fill(item).join()}]}`;
  expect(bsonOf(json).equals(driverBson(json))).toBe(true);
});

it.each([['5'], [' 1e5'], ['"s"'], ['null'], ['[1]'], ['[{}]'], ['']])('is not written of %j', (json) => {
  expect(() => bsonOf(json)).toThrow('only objects');
});
