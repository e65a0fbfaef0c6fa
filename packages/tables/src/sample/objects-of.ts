import { endOfToken, isJson } from '@sluice/json/parse-json.ts';

const isBlank = (text: string) => text.trim() === '';

/** The texts of JSON objects that follow each other, each over any number of lines; empty for other texts. */
export function objectsOf(text: string): string[] {
  const found: string[] = [];
  let [level, start] = [0, 0];
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = endOfToken(text, at);
    if (text[at] === '{' || text[at] === '[') level += 1;
    else if (text[at] === '}' || text[at] === ']') {
      level -= 1;
      if (level > 0) continue;
      found.push(text.slice(start, end).trim());
      start = end;
    }
  }
  const isWhole = isBlank(text.slice(start)) && found.every((each) => each.startsWith('{') && isJson(each));
  return isWhole ? found : [];
}
