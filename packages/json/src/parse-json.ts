import { toNumber } from './numbers.ts';
import { prototypeKey } from './rules.ts';
import { decode, endOfToken, isNumeric } from './tokens.ts';

type Revive = (key: string, value: unknown) => unknown;
type Members = Record<string, unknown>;

interface Open {
  value: unknown[] | Members;
  /** Of the member whose value comes next. */
  key: string | undefined;
}

/**
 * JSON.parse for texts that others send. V8 takes a key with escapes for another one, whose text begins as the escaped one is written,
 * once an object of anyone had that in its place (https://github.com/nodejs/node/issues/63785). Throws as JSON.parse does. Each value
 * passes `revive`; the value of an object does so behind its members.
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

/** The same as `parseJson` with 64-bit integers beyond 2^53 as BigInt; see `toNumber`. */
export function parseExactJson(text: string, revive?: Revive): unknown {
  JSON.parse(text);
  return readExactJson(text, revive);
}

/** The same for a text that is valid JSON. */
export const readExactJson = (text: string, revive?: Revive): unknown => read(text, toNumber, revive);

class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The value of a valid JSON text with each number as `n` and its literal, and each string as `s` and itself. So no digit is lost, whoever
 * copies it. `writeTagged` is the inverse.
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

/** The JSON text of what `readTagged` gave. Throws RangeError where it is nested too deeply. */
export function writeTagged(value: unknown): string {
  if (typeof value === 'string')
    return value.startsWith('n') ? value.slice(1) : JSON.stringify(value.slice(1));
  if (Array.isArray(value)) return `[${value.map(writeTagged).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${writeTagged(item)}`);
  return `{${members.join(',')}}`;
}

/** Of a valid text. */
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

function read(
  text: string,
  number: (literal: string) => unknown,
  revive: Revive = (_key, value) => value,
): unknown {
  const open: Open[] = [];
  let root: unknown;

  function put(value: unknown): void {
    const parent = open.at(-1);
    if (!parent) root = revive('', value);
    else if (Array.isArray(parent.value)) parent.value.push(revive(String(parent.value.length), value));
    else {
      define(parent.value, parent.key as string, revive(parent.key as string, value));
      parent.key = undefined;
    }
  }

  function putString(value: string): void {
    const parent = open.at(-1);
    if (!parent || Array.isArray(parent.value) || parent.key !== undefined) put(value);
    else parent.key = value;
  }

  for (let start = 0, end = 0; start < text.length; start = end) {
    end = endOfToken(text, start);
    const character = text[start] as string;
    if (character === '"') putString(decode(text.slice(start, end)));
    else if (isNumeric(character)) put(number(text.slice(start, end)));
    else if (character === '{') open.push({ value: {}, key: undefined });
    else if (character === '[') open.push({ value: [], key: undefined });
    else if (character === '}' || character === ']') put(open.pop()?.value);
    // The other letters of these words begin none.
    else if (character === 't' || character === 'f') put(character === 't');
    else if (character === 'n') put(null);
  }
  return root;
}

function define(members: Members, key: string, value: unknown): void {
  if (key !== prototypeKey) members[key] = value;
  else Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
}
