import { createSurvey } from '@sluice/export-worker/shape/survey.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import { type Column, columnsOf } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { eachField } from '../each-field.ts';
import { type Entry, key, type Payload, scalar, time, toBson } from './entries.ts';

const { value } = fc.letrec<{ value: unknown }>((tie) => {
  const object = fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true });
  return {
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 4, arbitrary: scalar },
      { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
      { weight: 2, arbitrary: fc.array(object, { maxLength: 3 }) },
      { weight: 1, arbitrary: object },
    ),
  };
});
const payload: fc.Arbitrary<Payload> = fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true });

/** Entries with arrays of all kinds, as JSON.parse gives them. */
export const withArrays: fc.Arbitrary<Entry[]> = fc
  .array(fc.record({ time, payload }), { maxLength: 6 })
  .map((list) => JSON.parse(JSON.stringify(list)));

/** Some of the fields are declared, and one that no entry has. */
export function baseOf(list: Entry[]): Column[] {
  const pointers = new Set<string>();
  for (const { payload } of list) eachField(payload, (path) => pointers.add(toPointer(path)));
  return columnsOf({ properties: { declared: {} } }, [...pointers]);
}

/** The shape of entries, as a later worker gets it out of the record of the job. */
export function shapeOf(
  list: Entry[],
  arrays: 'columns' | 'rows',
  { columns = baseOf(list), selected }: { columns?: Column[]; selected?: string[] | undefined } = {},
): TableShape[] {
  const survey = createSurvey({ columns, selected, arrays });
  for (const entry of list) survey.add(toBson(entry));
  return BSON.deserialize(BSON.serialize({ tables: survey.tables() })).tables;
}

export const isFilledArray = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
export const isFilledObject = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** All values that entries have at a field. */
export function valuesAt(list: Entry[], pointer: string): unknown[] {
  const found: unknown[] = [];
  for (const { payload } of list)
    eachField(payload, (path, value) => {
      if (toPointer(path) === pointer) found.push(value);
    });
  return found;
}

/** The keys of objects, by first appearance. */
export const keysOf = (objects: Payload[]) => new Set(objects.flatMap((object) => Object.keys(object)));
export const withKey = (objects: Payload[], key: string) =>
  objects.filter((object) => Object.hasOwn(object, key)).map((object) => object[key]);

/** What is at a pointer; undefined where nothing is. Arrays are passed through where asked. */
export function at(value: unknown, pointer: string, isThrough = false): unknown {
  return fromPointer(pointer).reduce((inner, key) => {
    if (Array.isArray(inner)) return isThrough && /^(0|[1-9]\d*)$/.test(key) ? inner[Number(key)] : undefined;
    return isFilledObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, value);
}
