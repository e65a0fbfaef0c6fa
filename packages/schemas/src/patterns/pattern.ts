import { limits } from '../limits.ts';
import { Refused } from '../refusal.ts';
import { parses } from './parses.ts';
import { membersOf } from './property.ts';

const quantifier = /^\{(\d+)(?:,(\d*))?\}/;
const maxRepetition = 1_000;

/** White space of ECMA-262; RE2's `\s` has less. */
const space =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const controls: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const propertyEscape = /^\\[pP]\{[^}]*\}/;
const any = '\\x{0}-\\x{10ffff}';
const none = `[^${any}]`;

/**
 * Translates a regular expression of ECMA-262 to RE2's syntax. It takes flag `u` and the looser escapes without flags.
 * Groups become non-capturing, as nobody reads their matches. Throws Refused.
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

type Member = { set: string; next: number } | { code: number; next: number };

/** A class `[…]`. Characters become codes, so that none has a special meaning to RE2. */
function readClass(source: string, at: number): [text: string, next: number] {
  const negated = source[at + 1] === '^';
  let next = at + (negated ? 2 : 1);
  let members = '';
  while (source[next] !== ']') {
    const low = readMember(source, next);
    next = low.next;
    members += 'set' in low ? low.set : codePoint(low.code);
    if (source[next] !== '-' || source[next + 1] === ']') continue;
    const high = readMember(source, next + 1);
    next = high.next;
    if ('set' in high) members += `\\-${high.set}`;
    else members += 'set' in low ? `\\-${codePoint(high.code)}` : `-${codePoint(high.code)}`;
  }
  if (members === '') return [negated ? `[${any}]` : none, next + 1];
  return [`[${negated ? '^' : ''}${members}]`, next + 1];
}

function readMember(source: string, at: number): Member {
  if (source[at] !== '\\') {
    const code = source.codePointAt(at) as number;
    return { code, next: at + (code > 0xffff ? 2 : 1) };
  }
  if (source[at + 1] === 'b') return { code: 8, next: at + 2 };
  const [set, afterSet] = readSetEscape(source, at);
  if (set !== undefined) return { set, next: afterSet };
  const [code, next] = readCharEscape(source, at);
  return { code, next };
}

/** An escape outside a class. */
function readEscape(source: string, at: number): [text: string, next: number] {
  const char = source[at + 1] as string;
  if (char === 'b' || char === 'B') return [`\\${char}`, at + 2];
  const [set, afterSet] = readSetEscape(source, at);
  if (set !== undefined) return [set === '' ? none : `[${set}]`, afterSet];
  const [code, next] = readCharEscape(source, at);
  return [codePoint(code), next];
}

/** The members of `\d`, `\s`, `\p{…}` and the like; undefined if the escape is one character. */
function readSetEscape(source: string, at: number): [text: string | undefined, next: number] {
  const char = source[at + 1] as string;
  if ('dDwW'.includes(char)) return [`\\${char}`, at + 2];
  if (char === 's') return [space, at + 2];
  if (char === 'S') return [notSpace, at + 2];
  if (char !== 'p' && char !== 'P') return [undefined, at];
  const [property] = propertyEscape.exec(source.slice(at, at + 64)) ?? [];
  if (property === undefined) throw new Refused(`has a malformed property escape \\${char}`);
  const members = membersOf(property);
  if (members !== undefined) return [members, at + property.length];
  throw new Refused(
    parses(property, 'v')
      ? `has ${property}, which matches several characters at once and is not supported`
      : `has ${property}, which is no property of ECMA-262`,
  );
}

/** An escape that stands for one character. */
function readCharEscape(source: string, at: number): [code: number, next: number] {
  const rest = source.slice(at + 1, at + 14);
  const char = String.fromCodePoint(source.codePointAt(at + 1) as number);
  if (char in controls) return [controls[char] as number, at + 2];
  if (char === 'k' || /^[1-9]/.test(char)) {
    if (!parses(source, 'u'))
      throw new Refused(`has \\${char}, a backreference or an old escape, which is not supported`);
    const advice = 'write out what may be repeated, such as aa|bb for ([ab])\\1';
    throw new Refused(`has a backreference \\${char}, which is not supported`, advice);
  }
  if (/^0(?!\d)/.test(rest)) return [0, at + 2];
  const pair = /^u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(rest);
  if (pair) return [(hex(pair[1]) - 0xd800) * 0x400 + hex(pair[2]) - 0xdc00 + 0x10000, at + 12];
  const coded = /^(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2}))/.exec(rest);
  if (coded) {
    const code = hex(coded[1] ?? coded[2] ?? coded[3]);
    if (code > 0x10ffff) throw new Refused(`has \\${coded[0]}, which is no character`);
    return [code, at + 1 + coded[0].length];
  }
  const control = /^c([a-zA-Z])/.exec(rest);
  if (control) return [(control[1] as string).charCodeAt(0) % 32, at + 3];
  if (/^[a-zA-Z\d]/.test(char)) throw new Refused(`has the unknown escape \\${char}`);
  return [char.codePointAt(0) as number, at + 1 + char.length];
}

const codePoint = (code: number) => `\\x{${code.toString(16)}}`;
const hex = (digits: string | undefined) => Number.parseInt(digits as string, 16);
