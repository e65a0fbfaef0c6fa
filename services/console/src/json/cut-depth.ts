import { endOfToken } from '@sluice/json/parse-json.ts';

/** More than the API takes, with what its answers have around a payload. */
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
