import { laterMark } from './byte-order-mark.ts';
import { endOfToken, isNumeric } from './parse-json.ts';

/** Common mistakes, by what the text has at the place of the error. */
const hints: [pattern: RegExp, hint: string][] = [
  [/^-?(NaN|Infinity)/, 'JSON has no NaN and no Infinity: send null'],
  [/^(undefined|None)/, 'in JSON it is null'],
  [/^True/, 'in JSON it is true'],
  [/^False/, 'in JSON it is false'],
  [/^'/, 'strings are in double quotes'],
  [/^(\/\/|\/\*|#)/, 'JSON has no comments'],
  [/^[\n\r\t]/, 'in a string it is written \\n, \\r or \\t'],
  [/^[+.]/, 'a number begins with a digit or -'],
  [/^\ufeff/, `this is a byte order mark: ${laterMark}`],
];
const afterEnd = 'text after the end of the JSON value';
/** Explanations, by the message of JSON.parse. */
const reasons: [pattern: RegExp, reason: string][] = [
  [/after JSON/, afterEnd],
  [/^Expected ','/, 'a comma is missing'],
  [/^Expected ':'/, 'a colon is missing'],
  [/property name/, 'a name in double quotes is missing'],
  [/escape/, 'a backslash begins no escape that JSON has'],
  [/number/i, 'a number that JSON does not have'],
];
const bareWord = /^-?\w{1,20}(?!\w)/;

const curlHint = '; with curl use --data-binary, as -d removes line ends';

/** Why a text is not JSON. `ofLine`: the same for a text that is one line of many. */
export interface SyntaxFault {
  message: string;
  ofLine: string;
}

/** Says why JSON.parse refused a text, such as "unexpected `NaN` at line 1, column 45; JSON has no …". */
export const explainSyntax = (text: string, error: unknown): string => findSyntaxFault(text, error).message;

/** It quotes only the words of `hints`, as other text may be private data. V8 has no codes, only messages. */
export function findSyntaxFault(text: string, error: unknown): SyntaxFault {
  const { message } = error as SyntaxError;
  if (message === 'Unexpected end of JSON input' || message.startsWith('Unterminated string'))
    return { message: 'it ends too early', ofLine: 'it ends too early' };
  const position = positionOf(text, message);
  const before = text.slice(0, position);
  const column = before.length - before.lastIndexOf('\n');
  const line = before.split('\n').length;
  const at = (what: string, hint = '', lineHint = hint): SyntaxFault => ({
    message: `${what} at line ${line}, column ${column}${hint}`,
    ofLine: `${what} at ${line === 1 ? '' : `line ${line}, `}column ${column}${lineHint}`,
  });
  const rest = text.slice(position, position + 30);
  if (/^[}\]]/.test(rest) && endsWithComma(before)) return at(`a comma before \`${rest[0]}\``);
  const hint = hints.find(([pattern]) => pattern.test(rest))?.[1];
  const word = hint && bareWord.exec(rest)?.[0];
  if (hint) return at(`unexpected ${word ? `\`${word}\`` : 'character'}`, `; ${hint}`);
  const reason = reasons.find(([pattern]) => pattern.test(message))?.[1] ?? 'unexpected text';
  return reason === afterEnd ? at(reason, '', curlHint) : at(reason);
}

function positionOf(text: string, message: string): number {
  const given = / at position (\d+)/.exec(message)?.[1];
  if (given === undefined) return endOfTokens(text);
  const position = Number(given);
  return text[position - 1] === '-' ? position - 1 : position;
}

const endsWithComma = (text: string) => /,[ \t\r\n]*$/.test(text.slice(-100));
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const words = ['true', 'false', 'null'];

/** The place of the first token that JSON does not have. */
function endOfTokens(text: string): number {
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (character === '"' || isNumeric(character)) {
      const end = endOfToken(text, at);
      if (character !== '"' && !jsonNumber.test(text.slice(at, end))) return at;
      at = end;
    } else if ((character === ']' || character === '}') && endsWithComma(text.slice(0, at))) return at;
    else if (' \t\r\n{}[]:,'.includes(character)) at += 1;
    else {
      const word = words.find((word) => text.startsWith(word, at));
      if (!word) return at;
      at += word.length;
    }
  }
  return text.length;
}
