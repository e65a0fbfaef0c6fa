import { decode, endOfToken } from './tokens.ts';

/** The text of a member of an object, as it stands in the JSON text of the object; the last one where there are several. */
export function memberText(object: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let key: string | undefined;
  let start = -1;
  for (let at = 0, end = 0; at < object.length; at = end) {
    end = endOfToken(object, at);
    const character = object[at] as string;
    if (depth === 1 && start < 0 && character === '"') key = decode(object.slice(at, end));
    else if (depth === 1 && character === ':') start = end;
    else if (depth === 1 && (character === ',' || character === '}')) {
      if (key === name) found = object.slice(start, at).trim();
      start = -1;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
  }
  return found;
}
