import { decode, endOfToken } from './parse-json.ts';

/** The members of an object given as JSON text, each with the text of its value. A key may occur twice. */
export function* membersOf(object: string): Generator<[name: string, text: string]> {
  let depth = 0;
  let key = '';
  let start = -1;
  for (let at = 0, end = 0; at < object.length; at = end) {
    end = endOfToken(object, at);
    const character = object[at] as string;
    if (depth === 1 && start < 0 && character === '"') key = decode(object.slice(at, end));
    else if (depth === 1 && character === ':') start = end;
    else if (depth === 1 && (character === ',' || character === '}')) {
      if (start >= 0) yield [key, object.slice(start, at).trim()];
      start = -1;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
  }
}

/** The text of the last member with that name. */
export const memberText = (object: string, name: string): string | undefined =>
  new Map(membersOf(object)).get(name);
