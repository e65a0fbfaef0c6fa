import { limits } from '../limits.ts';
import { readClass } from './pattern-class.ts';
import { readEscape } from './pattern-escape.ts';
import { Refused } from './refusal.ts';

const quantifier = /^\{(\d+)(?:,(\d*))?\}/;
const maxRepetition = 1_000;

/**
 * Translates a regular expression of ECMA-262 (flag `u`, with the looser escapes of no flag) to RE2's
 * syntax. Groups become non-capturing: only whether a text matches is ever asked. Throws Refused.
 */
export function translatePattern(source: string): string {
  if (source.length > limits.patternLength)
    throw new Refused(`is longer than ${limits.patternLength} characters`);
  if (!parses(source, 'u') && !parses(source, '')) throw new Refused('is not a regular expression');
  let out = '';
  for (let at = 0; at < source.length; ) {
    const [text, next] = readPart(source, at);
    out += text;
    at = next;
  }
  return out;
}

/** The engine parses when the object is made and compiles at the first match, which never comes. */
export function parses(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function readPart(source: string, at: number): [text: string, next: number] {
  const char = String.fromCodePoint(source.codePointAt(at) as number);
  switch (char) {
    case '\\':
      return readEscape(source, at);
    case '[':
      return readClass(source, at);
    case '(':
      return readGroup(source, at);
    case '{':
      return readBrace(source, at);
    case '.':
      return ['[^\\n\\r\\x{2028}\\x{2029}]', at + 1];
    case '^':
      return ['\\A', at + 1];
    case '$':
      return ['\\z', at + 1];
    case '}':
    case ']':
      return [`\\${char}`, at + 1];
    default:
      return [char, at + char.length];
  }
}

const withAllOf = 'combine patterns with "allOf"';
const withNot = 'say what must not match with "not": {"pattern": …}';
const lookarounds = [
  ['lookahead', '(?=', withAllOf],
  ['lookahead', '(?!', withNot],
  ['lookbehind', '(?<=', `match the text before it too, or ${withAllOf}`],
  ['lookbehind', '(?<!', withNot],
] as const;

function readGroup(source: string, at: number): [string, number] {
  const rest = source.slice(at, at + 4);
  if (!rest.startsWith('(?')) return ['(?:', at + 1];
  if (rest.startsWith('(?:')) return ['(?:', at + 3];
  for (const [what, start, advice] of lookarounds)
    if (rest.startsWith(start)) throw new Refused(`has a ${what} ${start}, which is not supported`, advice);
  if (rest.startsWith('(?<')) return ['(?:', source.indexOf('>', at) + 1];
  const flags = source.slice(at, source.indexOf(':', at) + 1);
  if (flags === '(?i:' || flags === '(?-i:') return [flags, at + flags.length];
  throw new Refused(`has the flags ${flags}, which are not supported`, 'the only flag is i, as in (?i:…)');
}

function readBrace(source: string, at: number): [string, number] {
  const match = quantifier.exec(source.slice(at, at + 32));
  if (!match) return ['\\{', at + 1];
  if (Math.max(Number(match[1]), Number(match[2] || 0)) > maxRepetition)
    throw new Refused(`repeats more than ${maxRepetition} times with ${match[0]}`);
  return [match[0], at + match[0].length];
}
