/**
 * Where the token of a JSON text ends, a string without an end behind that of the text. Strings and numbers are tokens; every other
 * character stands for itself.
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

export function isNumeric(character = ''): boolean {
  return (
    (character >= '0' && character <= '9') || character === '-' || character === '.' || character === '+'
  );
}

function isExponent(character: string | undefined): boolean {
  return character === 'e' || character === 'E';
}

/** The string that a token is, quotes and escapes as in JSON. */
export function decode(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
}
