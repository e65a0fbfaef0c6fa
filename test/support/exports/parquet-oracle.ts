import { toPointer } from '@sluice/json/pointer.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { eachField } from '../each-field.ts';
import type { ObjectShape, Shape } from './parquet-shapes.ts';

/** A row as every reader has to give it: times as in JSON, integers as numbers, JSON as its text, NULL as null. */
export type Row = Record<string, unknown>;

type Payload = Record<string, unknown>;

interface Options {
  shape: ObjectShape;
  columns: Column[];
  /** Names of columns; absent: all. */
  selected?: string[] | undefined;
}

/** Tells what is to be in the file by looking at the shape, where the code under test has only the schema. */
export function createExpected({ shape, columns, selected }: Options) {
  const isAll = selected === undefined;
  const isWanted = (name: string) => isAll || selected.includes(name);
  const byPointer = new Map(columns.map(({ name, pointer }) => [pointer, name]));
  const isWantedAt = (path: string[]) => {
    const name = byPointer.get(toPointer(path));
    return isAll || (name !== undefined && isWanted(name));
  };

  const topName = (key: string) =>
    byPointer.get(toPointer([key])) ?? (key === 'createdAt' ? '/createdAt' : key);
  /** Whether all below a key at the top is wanted: it has the name of a column that is not only a leaf. */
  const isWholeAt = ([key]: string[]) => {
    const of = shape.fields.find(([name]) => name === key)?.[1];
    return isAll || (of !== undefined && !isText(of) && isWanted(topName(key as string)));
  };

  /** Outside of arrays; undefined where nothing of it is wanted. */
  function field(of: Shape, path: string[]): ((value: unknown) => unknown) | undefined {
    const isWhole = isWholeAt(path);
    const isHere = isWhole || isWantedAt(path);
    if (isText(of)) {
      if (!isHere) return undefined;
      return (value) => (isWhole || !isNested(value) ? toText(value) : null);
    }
    if (of.kind !== 'object') return isHere ? (value) => typed(of, value) : undefined;
    const fields = of.fields.flatMap(([key, inner]) => {
      const read = field(inner, [...path, key]);
      return read ? [{ key, read }] : [];
    });
    if (fields.length === 0) return undefined;
    return (value) =>
      value === null
        ? null
        : Object.fromEntries(fields.map(({ key, read }) => [key, read(own(value as Payload, key))]));
  }

  /** Whether a field is in the value of some field. */
  function isHeld(path: string[]): boolean {
    let of: Shape = shape;
    for (const [depth, key] of path.entries()) {
      const here = path.slice(0, depth);
      if (isText(of) && depth > 0) return isWholeAt(path);
      if (of.kind !== 'object') return true;
      const inner: Shape | undefined = of.fields.find(([name]) => name === key)?.[1];
      if (!inner || !field(inner, [...here, key])) return false;
      of = inner;
    }
    return true;
  }

  const tops = shape.fields.flatMap(([key, inner]) => {
    const read = field(inner, [key]);
    return read ? [{ key, read, name: topName(key) }] : [];
  });
  const others = columns.filter(
    ({ name, pointer }) => isWanted(name) && pointer !== undefined && !isHeld(keysOf(pointer)),
  );

  return function expected(createdAt: string, payload: Payload): Row {
    const fields = new Map<string, unknown>();
    eachField(payload, (path, value) => fields.set(toPointer(path), value));
    return {
      ...(isWanted('createdAt') && { createdAt }),
      ...Object.fromEntries(tops.map(({ key, name, read }) => [name, read(own(payload, key))])),
      ...Object.fromEntries(
        others.map(({ name, pointer }) => [name, toText(fields.get(pointer as string) ?? null)]),
      ),
    };
  };
}

const isNested = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

const own = (object: Payload, key: string) => (Object.hasOwn(object, key) ? object[key] : null);
const toText = (value: unknown) => (value === null ? null : JSON.stringify(value));
const keysOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Whether a value of this shape is JSON text. */
function isText(shape: Shape): boolean {
  if (shape.kind === 'list') return isText(shape.item);
  return shape.kind === 'object' ? shape.fields.length === 0 : shape.kind === 'any';
}

/** Within arrays nothing is left out. */
function typed(shape: Shape, value: unknown): unknown {
  if (value === null) return null;
  if (isText(shape)) return toText(value);
  if (shape.kind === 'list') return (value as unknown[]).map((item) => typed(shape.item, item));
  if (shape.kind !== 'object') return value === 0 ? 0 : value;
  const object = value as Payload;
  const keys = shape.fields.map(([key]) => key);
  const rest = Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
  const extra = keys.includes('_extra') ? '_extra_' : '_extra';
  return {
    ...Object.fromEntries(shape.fields.map(([key, inner]) => [key, typed(inner, own(object, key))])),
    ...(shape.open && { [extra]: Object.keys(rest).length > 0 ? JSON.stringify(rest) : null }),
  };
}
