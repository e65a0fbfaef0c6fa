import { readTagged, writeTagged } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import { isText, type RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import { createSlices } from '../http/slices.ts';

/** Of the JSON text of a value. */
const valueLength = 200;
const mostValues = 100;
const mostMembers = 50;
const mostSenders = 20;

interface Asked {
  path?: string | undefined;
  property?: string | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function at(value: unknown, keys: string[]): unknown {
  let found = value;
  for (const key of keys) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    add: (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1),
    size: () => counts.size,
    most: (limit: number) => [...counts].sort(([, a], [, b]) => b - a).slice(0, limit),
  };
}

function createRange() {
  let range: { min: number; max: number } | undefined;
  return {
    add(value: number) {
      range = { min: Math.min(value, range?.min ?? value), max: Math.max(value, range?.max ?? value) };
    },
    get: () => range,
  };
}

/** Numbers have `n` before their text, texts have `s`: see `readTagged`. */
function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string' && value.startsWith('s')) return [...value.slice(1)].length;
  return Array.isArray(value) ? value.length : undefined;
}

function textOf(value: unknown): string {
  try {
    return writeTagged(value);
  } catch (error) {
    // It is nested too deeply.
    if (error instanceof RangeError) return '"…"';
    throw error;
  }
}

/** The JSON text of a value; of a long one, a string with its beginning. */
function shown(value: unknown): string {
  const text = textOf(value);
  return text.length <= valueLength ? text : JSON.stringify(`${text.slice(0, valueLength).toWellFormed()}…`);
}

/** By the name under which it was counted: neither an id nor a network has a space. */
function senderOf(name: string): { key?: string; network?: string } {
  if (name.startsWith('key ')) return { key: name.slice(4) };
  return name === '' ? {} : { network: name };
}

/** Counts what uploads have at a place, and who sent them. Returns JSON text, in which numbers keep their digits. */
export async function readValues(
  uploads: AsyncIterable<RefusedRecord>,
  { path = '', property }: Asked,
): Promise<string> {
  // A path that is no JSON Pointer selects no upload.
  const keys = path.startsWith('/') ? fromPointer(path) : [];
  const [values, members, senders] = [createCounts(), createCounts(), createCounts()];
  const [numbers, sizes] = [createRange(), createRange()];
  const slices = createSlices();
  let [read, missing] = [0, 0];
  for await (const upload of uploads) {
    await slices.rest();
    read += 1;
    senders.add(upload.key ? `key ${upload.key}` : (upload.network ?? ''));
    if (isText(upload)) continue;
    const around = at(readTagged(upload.payload), keys);
    if (property && isObject(around))
      for (const name of Object.keys(around)) members.add(name.slice(0, valueLength));
    const value = property ? at(around, [property]) : around;
    if (value === undefined) {
      missing += 1;
      continue;
    }
    values.add(shown(value));
    if (typeof value === 'string' && value.startsWith('n')) numbers.add(Number(value.slice(1)));
    const size = sizeOf(value);
    if (size !== undefined) sizes.add(size);
  }
  const facts = {
    read,
    missing,
    distinct: values.size(),
    numbers: numbers.get(),
    sizes: sizes.get(),
    members: members.most(mostMembers).map(([name, count]) => ({ name, count })),
    senders: senders.most(mostSenders).map(([sender, count]) => ({ ...senderOf(sender), count })),
  };
  const listed = values.most(mostValues).map(([value, count]) => `{"value":${value},"count":${count}}`);
  return `${JSON.stringify(facts).slice(0, -1)},"values":[${listed.join(',')}]}`;
}
