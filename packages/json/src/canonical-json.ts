import { isUtf8 } from 'node:buffer';
import { findIssues } from './find-issues.ts';
import { maxIssues } from './issues.ts';
import { keptNumber } from './numbers.ts';
import { readTagged } from './parse-json.ts';
import { withoutByteOrderMark } from './read-payload.ts';

/** Without them each object has one meaning, and the recursion below an end. */
const excluded = ['uniqueKeys', 'maxNesting'];

/**
 * One text for all JSON texts of the same value, whatever their spaces, escapes, order of keys and spelling of numbers. A number that
 * Sluice does not store stays as it is written. Undefined where the bytes are no JSON, repeat a key, or nest too deeply.
 */
export function canonicalJson(bytes: Buffer): string | undefined {
  const json = withoutByteOrderMark(bytes);
  const text = json.toString();
  if (!isUtf8(json) || !isJson(text)) return undefined;
  const issues = findIssues(text);
  if (issues === 'forbidden' || issues.length === maxIssues) return undefined;
  return issues.some(({ keyword }) => excluded.includes(keyword)) ? undefined : write(readTagged(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function write(value: unknown): string {
  if (typeof value === 'string') return value.startsWith('n') ? toNumberText(value.slice(1)) : toText(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${write((value as Record<string, unknown>)[key])}`).join(',')}}`;
}

const toText = (tagged: string) => JSON.stringify(tagged.slice(1));
const toNumberText = (literal: string) => String(keptNumber(literal) ?? literal);
