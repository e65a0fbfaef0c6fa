import { Refused } from './refusal.ts';

/** White space of ECMA-262, which knows more than RE2's `\s`. */
const space =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const controls: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const property = /^\\([pP])\{(?:(General_Category|gc|Script|sc|Script_Extensions|scx)=)?(\w+)\}/;
const longCategories: Record<string, string> = {
  digit: 'Nd',
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Currency_Symbol: 'Sc',
  Math_Symbol: 'Sm',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Control: 'Cc',
  Other: 'C',
};

/** An escape outside a class. */
export function readEscape(source: string, at: number): [text: string, next: number] {
  const char = source[at + 1] as string;
  if (char === 'b' || char === 'B') return [`\\${char}`, at + 2];
  const [set, afterSet] = readSetEscape(source, at);
  if (set !== undefined) return [`[${set}]`, afterSet];
  const [code, next] = readCharEscape(source, at);
  return [codePoint(code), next];
}

/** `\d`, `\s`, `\p{…}` and their like, as the inside of a class; undefined when the escape is one character. */
export function readSetEscape(source: string, at: number): [text: string | undefined, next: number] {
  const char = source[at + 1] as string;
  if ('dDwW'.includes(char)) return [`\\${char}`, at + 2];
  if (char === 's') return [space, at + 2];
  if (char === 'S') return [notSpace, at + 2];
  if (char !== 'p' && char !== 'P') return [undefined, at];
  const match = property.exec(source.slice(at, at + 64));
  if (!match) throw new Refused(`has a malformed property escape \\${char}`);
  return [`\\${char}{${longCategories[match[3] as string] ?? match[3]}}`, at + match[0].length];
}

/** An escape that stands for one character. */
export function readCharEscape(source: string, at: number): [code: number, next: number] {
  const rest = source.slice(at + 1, at + 14);
  const char = String.fromCodePoint(source.codePointAt(at + 1) as number);
  if (char in controls) return [controls[char] as number, at + 2];
  if (char === 'k' || /^[1-9]/.test(char)) {
    const advice = 'write out what may be repeated, such as aa|bb for ([ab])\\1';
    throw new Refused(`has a backreference \\${char}, which is not supported`, advice);
  }
  if (/^0(?!\d)/.test(rest)) return [0, at + 2];
  const pair = /^u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(rest);
  if (pair) return [(hex(pair[1]) - 0xd800) * 0x400 + hex(pair[2]) - 0xdc00 + 0x10000, at + 12];
  const coded = /^(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2}))/.exec(rest);
  if (coded) return [hex(coded[1] ?? coded[2] ?? coded[3]), at + 1 + coded[0].length];
  const control = /^c([a-zA-Z])/.exec(rest);
  if (control) return [(control[1] as string).charCodeAt(0) % 32, at + 3];
  if (/^[a-zA-Z\d]/.test(char)) throw new Refused(`has the unknown escape \\${char}`);
  return [char.codePointAt(0) as number, at + 1 + char.length];
}

export function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function hex(digits: string | undefined): number {
  return Number.parseInt(digits as string, 16);
}
