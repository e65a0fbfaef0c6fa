import { nearestNumber } from '@sluice/json/numbers.ts';
import { isObject, parseSchema, type Schema } from '@sluice/schemas/schema.ts';
import { type Kind, kindsOf, listedBy } from './kinds.ts';
import type { Choice, Field, Model, RecordType, ScalarType, Type, Value } from './model.ts';
import { type All, createParts } from './parts.ts';
import { elementsOf } from './read-list.ts';
import { type ObjectShape, readObject } from './read-object.ts';
import { isLargeInteger, sampleIn } from './read-scalar.ts';

/** A larger schema has values of any type from here on. */
const most = { values: 10_000, depth: 64, choices: 500, notes: 50 };

/** Where a value is in payloads, and what its type may be called. */
interface SchemaPlace {
  path: string;
  hint: string;
}

/** The types of a schema that `checkSchema` accepted. */
export function readSchema(rawSchema: string): Model {
  const root = parseSchema(rawSchema);
  const parts = createParts(root);
  const records = new Map<string, RecordType>();
  const choices = new Map<string, Choice>();
  const notes = new Set<string>();
  /** Lists and maps that are being read: one that holds itself has no end. */
  const open = new Set<string>();
  /** Fields are read later, so that long chains of records do not overflow the stack. */
  const pending: (() => void)[] = [];
  let values = 0;

  const entry = readRecord(parts.allOf(root) || [], { path: '', hint: 'Entry' });
  for (const read of pending) read();
  return {
    entry,
    records: [...records.values()],
    choices: [...choices.values()],
    notes: [...notes].slice(0, most.notes),
  };

  function any(place: SchemaPlace, why: string, sample: unknown = null): Type {
    notes.add(`${place.path}: any JSON, ${why}`);
    return { kind: 'any', sample };
  }

  function readValue(schema: unknown, { path, hint }: SchemaPlace): Value {
    const place = { path, hint: parts.nameOf(schema) ?? hint };
    values += 1;
    if (values > most.values || path.split('/').length > most.depth)
      return { ...any(place, 'as the schema is large or deep'), isNullable: true };
    const all = parts.allOf(schema) || [];
    const kinds = kindsOf(parts, all);
    const type = readType(all, kinds, place);
    return { ...type, isNullable: type.kind === 'any' || kinds.has('null') };
  }

  function readType(all: Schema[], kinds: Set<Kind>, place: SchemaPlace): Type {
    if (all.some(parts.isDynamic)) return any(place, 'as a reference depends on the way to it');
    const found = kinds.difference(new Set(['null']));
    if (found.size > 4 && found.has('object') && found.has('array')) return readUntyped(all, place);
    if (found.has('object') && found.size === 1) return readAnObject(all, place);
    if (found.has('array') && found.size === 1) return readNested(all, place, () => readList(all, place));
    const sample = sampleIn(parts, all, found);
    if (found.has('object') || found.has('array'))
      return any(place, `one of ${[...found].join(', ')}`, sample);
    if (found.has('number')) found.delete('integer');
    const [first, ...others] = found as Set<ScalarType>;
    if (first === undefined) return { kind: 'any', sample };
    const isLarge = isLargeInteger(parts, all);
    if (others.length > 0) return { kind: 'union', of: [first, ...others], isLarge, sample };
    if (first === 'string') return readString(all, place);
    return first === 'integer' ? { kind: first, isLarge, sample } : { kind: first, sample };
  }

  /** A schema without a type is probably meant for the values that its keywords speak of. */
  function readUntyped(all: Schema[], place: SchemaPlace): Type {
    if (all.some(({ properties }) => isObject(properties))) return readAnObject(all, place);
    const element = elementsOf(parts, all);
    if (element !== undefined) return readNested(all, place, () => readList(all, place));
    return { kind: 'any', sample: sampleIn(parts, all, kindsOf(parts, all)) };
  }

  function readString(all: Schema[], { hint }: SchemaPlace): Type {
    const listed = listedBy(parts, all)?.filter((value) => typeof value === 'string');
    const values = [...new Set(listed)].filter((value) => value.isWellFormed());
    if (values.length === 0 || values.length > most.choices) return readText(all);
    const key = JSON.stringify(values);
    const choice = choices.get(key) ?? { hint, values };
    choices.set(key, choice);
    return { kind: 'choice', choice };
  }

  function readText(all: Schema[]): Type {
    const formats = all.map((schema) => schema.format);
    const format = (['date-time', 'date'] as const).find((one) => formats.includes(one));
    return { kind: 'string', format, sample: sampleIn(parts, all, new Set(['string'])) };
  }

  function readNested(all: Schema[], place: SchemaPlace, read: () => Type): Type {
    const key = parts.keyOf(all);
    if (open.has(key)) return any(place, 'as it may hold itself');
    open.add(key);
    const type = read();
    open.delete(key);
    return type;
  }

  function readList(all: Schema[], { path, hint }: SchemaPlace): Type {
    const place = { path: `${path}/*`, hint: `${hint} item` };
    const element = elementsOf(parts, all);
    const least = all.map(({ minItems }) => nearestNumber(minItems) ?? 1);
    return { kind: 'list', of: readValue(element ?? true, place), sampleLength: Math.max(...least) };
  }

  function readAnObject(all: Schema[], place: SchemaPlace): Type {
    const shape = readObject(parts, all);
    if (shape.properties.size > 0 || shape.isClosed || shape.required.size > 0)
      return { kind: 'record', record: readRecord(all, place, shape) };
    return readNested(all, place, () => {
      const inner = { path: `${place.path}/*`, hint: `${place.hint} value` };
      const others = shape.others.length === 0 ? true : parts.combine('anyOf', shape.others);
      return { kind: 'map', of: readValue(others, inner) };
    });
  }

  function readRecord(
    all: Schema[],
    { path, hint }: SchemaPlace,
    shape = readObject(parts, all),
  ): RecordType {
    const key = parts.keyOf(all);
    const known = records.get(key);
    if (known) return known;
    const record: RecordType = {
      hint,
      description: textIn(all),
      fields: [],
      isOpen: shape.others.length > 0 || (shape.properties.size === 0 && !shape.isClosed),
      isClosed: shape.isClosed,
    };
    records.set(key, record);
    if (record.isOpen && shape.properties.size > 0) notes.add(`${path}/*: any JSON, under any other name`);
    pending.push(() => {
      record.fields = readFields(shape, path);
    });
    return record;
  }

  function readFields({ properties, required }: ObjectShape, path: string): Field[] {
    const keys = new Set([...properties.keys(), ...required]);
    return [...keys].flatMap((key) => {
      const inner = { path: `${path}/${key}`, hint: key };
      const schema = properties.get(key) ?? true;
      const all: All = parts.allOf(schema);
      if (!all || kindsOf(parts, all).size === 0) return [];
      if (!key.isWellFormed()) return [];
      const value = readValue(schema, inner);
      return [{ key, value, isRequired: required.has(key), description: textIn([schema, ...all]) }];
    });
  }
}

function textIn(schemas: unknown[]): string | undefined {
  const texts = schemas.filter(isObject).flatMap(({ description, title }) => [description, title]);
  return texts.find((text) => typeof text === 'string' && text.trim() !== '') as string | undefined;
}
