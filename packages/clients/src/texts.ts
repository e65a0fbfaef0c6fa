/** A text of a schema as one line of a comment, which it cannot end in any language. */
export function comment(text: string): string {
  const line = text
    .toWellFormed()
    // Controls, also those that turn the direction of text.
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replaceAll('\\', '/')
    .replaceAll('*/', '* /')
    .trim();
  return line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line;
}

/** A string in quotes. `written` writes a character that is neither printable ASCII, a quote nor a backslash. */
const quoted = (written: (character: string) => string) => (text: string) =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/[^ -~]/gu, written)}"`;

const code = (character: string) => (character.codePointAt(0) as number).toString(16);

const units = (character: string) =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

const short = (character: string) =>
  character.length > 1 ? `\\U${code(character).padStart(8, '0')}` : units(character);

/** A compiler of Java reads `\u000a` as the end of the line. */
const javaEscape = (character: string) =>
  character === '\n' ? '\\n' : character === '\r' ? '\\r' : units(character);

/** String literals. */
export const literal = {
  typescript: quoted(units),
  python: quoted(short),
  go: quoted(short),
  java: quoted(javaEscape),
  rust: quoted((character) => `\\u{${code(character)}}`),
};
