import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from './byte-order-mark.ts';
import { findRepeatedKeys } from './find-issues.ts';
import { keptNumber } from './numbers.ts';
import { parseJson, readTagged } from './parse-json.ts';

/** Entries have at most 64 levels; the stack holds thousands. */
const mostLevels = 500;

/**
 * The same text for equal JSON values, whatever the white space, escapes, order of keys and spelling of numbers.
 * Undefined if the bytes are not JSON, repeat a key, or are nested deeper than 500 levels.
 */
export function canonicalJson(bytes: Buffer): string | undefined {
  const json = withoutByteOrderMark(bytes);
  if (!isUtf8(json)) return undefined;
  const text = json.toString();
  try {
    parseJson(text);
    return findRepeatedKeys(text).length === 0 ? canonicalText(readTagged(text)) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The canonical text of a value from `readTagged`. Throws RangeError beyond 500 levels. */
export function canonicalText(value: unknown, level = 0): string {
  if (level > mostLevels) throw new RangeError('nested too deeply');
  const inner = (item: unknown) => canonicalText(item, level + 1);
  if (typeof value === 'string') return (value.startsWith('n') ? numberText : stringText)(value.slice(1));
  if (Array.isArray(value)) return `[${value.map(inner).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, item]) => `${stringText(key)}:${inner(item)}`).join(',')}}`;
}

const stringText = (text: string) => JSON.stringify(text);
const numberText = (literal: string) => String(keptNumber(literal) ?? literal);
