import { toNumber } from './numbers.ts';

/** JSON.parse makes a member of it, but code that copies the object would set a prototype instead. */
export const prototypeKey = '__proto__';

/** As that of JSON.parse. `source` is the text of the value; JSON.parse gives only those of numbers, strings and words. */
export type Revive = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;
type Members = Record<string, unknown>;

interface Open {
  value: unknown[] | Members;
  /** The key of the member whose value comes next. */
  key: string | undefined;
  /** Where it begins in the text. */
  start: number;
}

/**
 * JSON.parse for texts that others send. Throws as JSON.parse does. `revive` gets an object after its members.
 *
 * V8 can confuse escaped keys with other keys (https://github.com/nodejs/node/issues/63785).
 */
export function parseJson(text: string, revive?: Revive): unknown {
  const value = JSON.parse(text, revive);
  return hasEscapedKey(text) ? read(text, Number, revive) : value;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Like `parseJson`, with 64-bit integers beyond 2^53 as BigInt; see `toNumber`. */
export function parseExactJson(text: string, revive?: Revive): unknown {
  JSON.parse(text);
  return readExactJson(text, revive);
}

/** Like `parseJson`, with what `number` makes of the literals of numbers. `revive` gets the texts of objects and arrays too. */
export function parseJsonWith(text: string, number: (literal: string) => unknown, revive?: Revive): unknown {
  JSON.parse(text);
  return read(text, number, revive);
}

/** Like `parseExactJson`, for a text that is known to be valid. */
export const readExactJson = (text: string, revive?: Revive): unknown => read(text, toNumber, revive);

class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The value of a valid JSON text, with `n` and the literal for each number, and `s` and the text for each string.
 * So copies of the value lose no digit. `writeTagged` is the inverse.
 */
export const readTagged = (text: string): unknown =>
  read(
    text,
    (literal) => new Literal(literal),
    (_key, value) => {
      if (value instanceof Literal) return `n${value.text}`;
      return typeof value === 'string' ? `s${value}` : value;
    },
  );

/** The JSON text of a value from `readTagged`. Throws RangeError if it is nested too deeply. */
export function writeTagged(value: unknown): string {
  if (typeof value === 'string')
    return value.startsWith('n') ? value.slice(1) : JSON.stringify(value.slice(1));
  if (Array.isArray(value)) return `[${value.map(writeTagged).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${writeTagged(item)}`);
  return `{${members.join(',')}}`;
}

/** Whether any key of a valid text has an escape. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    do at += 1;
    while (isSpace(text[at]));
    if (text[at] === ':') return true;
  }
  return false;
}

const isSpace = (character: string | undefined) =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';

const words = { t: true, f: false, n: null };

const keyIn = (parent: Open | undefined): string =>
  Array.isArray(parent?.value) ? String(parent.value.length) : (parent?.key ?? '');

function read(text: string, number: (literal: string) => unknown, revive?: Revive): unknown {
  const open: Open[] = [];
  let root: unknown;
  let end = 0;

  function put(value: unknown, start: number): void {
    const parent = open.at(-1);
    const kept = revive
      ? revive.call(parent?.value, keyIn(parent), value, { source: text.slice(start, end) })
      : value;
    if (!parent) root = kept;
    else if (Array.isArray(parent.value)) parent.value.push(kept);
    else {
      define(parent.value, parent.key as string, kept);
      parent.key = undefined;
    }
  }

  function putString(value: string, start: number): void {
    const parent = open.at(-1);
    if (!parent || Array.isArray(parent.value) || parent.key !== undefined) put(value, start);
    else parent.key = value;
  }

  for (let start = 0; start < text.length; start = end) {
    end = endOfToken(text, start);
    const character = text[start] as string;
    if (character === '"') putString(decode(text.slice(start, end)), start);
    else if (isNumeric(character)) put(number(text.slice(start, end)), start);
    else if (character === '{') open.push({ value: {}, key: undefined, start });
    else if (character === '[') open.push({ value: [], key: undefined, start });
    else if (character === '}' || character === ']') {
      const { value, start: begin } = open.pop() as Open;
      put(value, begin);
    } else if (character in words) {
      const word = words[character as keyof typeof words];
      end = start + String(word).length;
      put(word, start);
    }
  }
  return root;
}

function define(members: Members, key: string, value: unknown): void {
  if (key !== prototypeKey) members[key] = value;
  else Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
}

/**
 * Where a token of a JSON text ends. Strings and numbers are tokens; every other character stands for itself.
 * An unterminated string ends beyond the text.
 */
export function endOfToken(text: string, start: number): number {
  let end = start + 1;
  if (text[start] === '"') {
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (isNumeric(text[start])) while (isNumeric(text[end]) || isExponent(text[end])) end++;
  return end;
}

export const isNumeric = (character = ''): boolean =>
  (character >= '0' && character <= '9') || character === '-' || character === '.' || character === '+';

const isExponent = (character: string | undefined) => character === 'e' || character === 'E';

/** The string that a token with its quotes stands for. */
export function decode(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
}
