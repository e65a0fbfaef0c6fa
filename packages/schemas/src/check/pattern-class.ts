import { codePoint, readCharEscape, readSetEscape } from './pattern-escape.ts';

const any = '\\x{0}-\\x{10ffff}';

type Member = { set: string; next: number } | { code: number; next: number };

/** A class `[…]`; every character is written as its code, so nothing in it can mean more to RE2. */
export function readClass(source: string, at: number): [text: string, next: number] {
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
  if (members === '') return [negated ? `[${any}]` : `[^${any}]`, next + 1];
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
