import { exactNumber } from '@sluice/json/numbers.ts';
import { endOfToken, parseJsonWith } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import { failureOf } from '../api/failure.ts';
import { formatJson } from './place.ts';

/** More levels than an upload may have, plus those around a payload in an answer. */
const mostLevels = 100;

/** Cuts deeper levels out of a JSON text: they could overflow the stack. */
export function cutDepth(text: string): string {
  let level = 0;
  let kept = '';
  let from = 0;
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = endOfToken(text, at);
    const character = text[at];
    if (character === '{' || character === '[') {
      level += 1;
      if (level === mostLevels + 1) kept += `${text.slice(from, at)}"…"`;
    } else if (character === '}' || character === ']') {
      if (level === mostLevels + 1) from = end;
      level -= 1;
    }
  }
  return kept + text.slice(from);
}

/** Whether a value is a number that only its text can show. */
export const isRawNumber = (value: object): boolean => 'rawJSON' in value && Object.isFrozen(value);

function toExactNumber(literal: string): unknown {
  const value = Number(literal);
  return String(value) === literal ? value : exactNumber(literal);
}

/** The members of answers that people sent. */
const sentMembers = new Set(['payload', 'example', 'before', 'after']);
const sentTexts = new WeakMap<object, string>();

function noteSent(key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (sentMembers.has(key) && typeof value === 'object' && value !== null) sentTexts.set(value, source);
  return value;
}

/** `JSON.parse` that keeps what people sent for `toText` and `toLine`, and cuts off levels that are too deep to show. */
export const parseExact = (text: string): unknown => parseJsonWith(cutDepth(text), toExactNumber, noteSent);

function withoutSpaces(text: string): string {
  let kept = '';
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = endOfToken(text, at);
    if (text[at]?.trim()) kept += text.slice(at, end);
  }
  return kept;
}

/** The JSON of a payload on one line. It also has keys that came twice, in the order in which they came. */
export function toLine(payload: unknown): string {
  if (typeof payload === 'string') return payload;
  const sent = typeof payload === 'object' && payload !== null ? sentTexts.get(payload) : undefined;
  return sent === undefined ? (JSON.stringify(payload) ?? '') : withoutSpaces(sent);
}

/** A payload as people read it. A payload that was cut off is a string: the beginning of its JSON text. */
export function toText(payload: unknown): string {
  if (typeof payload === 'string') return payload;
  const line = toLine(payload);
  // What was sent in another form than JavaScript writes is shown as it was sent.
  return line === (JSON.stringify(payload) ?? '')
    ? (JSON.stringify(payload, null, 2) ?? '')
    : formatJson(line);
}

/** The value at a JSON Pointer; undefined where there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of fromPointer(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

interface Sent {
  data?: string;
  error?: unknown;
  response: Response;
}

/** The data of an answer with payloads, read with `parseAs: 'text'`. Throws RequestFailure. */
export async function exactDataOf<T>(sent: Promise<Sent>): Promise<T> {
  const { data, error, response } = await sent;
  if (data === undefined) throw failureOf(response, error);
  return (parseExact(data) as { data: T }).data;
}

/** For queries of exact data: TanStack Query would merge equal values, and make plain objects of exact numbers. */
export const unshared = { structuralSharing: false } as const;
