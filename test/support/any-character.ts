import fc from 'fast-check';

const surrogates = { from: 0xd800, count: 0x800 };

function toCharacter(n: number): string {
  return String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count);
}

/** Throws a TypeError unless `text` is one character. */
function fromCharacter(text: unknown): number {
  const code = typeof text === 'string' ? (text.codePointAt(0) ?? 0) : 0;
  const n = code < surrogates.from ? code : code - surrogates.count;
  if (toCharacter(n) !== text) throw new TypeError('not one character');
  return n;
}

/** As the unit `binary` of fast-check, for which each process fills a table of a million characters. */
export const anyCharacter = fc.nat(0x10ffff - surrogates.count).map(toCharacter, fromCharacter);
