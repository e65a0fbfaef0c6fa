import { isExactNumber } from './exact-number.ts';
import { bsonTypeKey, maxNesting, prototypeKey, referenceKey } from './rules.ts';

const suspicious = -1;
// A decimal of at most 15 digits and no exponent always survives as a double.
const safeDigits = 15;

/**
 * Whether a parsed JSON text is certainly kept exactly; false means that it takes a closer look.
 * Fewer members in the value than in the text give a duplicate key away.
 */
export function isSurelyExact(json: Buffer, text: string, payload: unknown): boolean {
  const written = countWritten(json);
  return written !== suspicious && written === countKept(payload, text.includes('\\'), 0);
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Members in the text (colons outside strings). Bytes, because reading them is twice as fast as charCodeAt. */
function countWritten(json: Buffer): number {
  const { length } = json;
  let members = 0;
  let i = 0;
  while (i < length) {
    const byte = json[i++] as number;
    if (byte === quote) {
      for (let inside = json[i++]; inside !== quote; inside = json[i++]) if (inside === backslash) i++;
    } else if (byte === colon) {
      members++;
    } else if (isDigit(byte)) {
      const start = i - 1;
      let digits = 1;
      while (i < length) {
        const next = json[i] as number;
        if (isDigit(next)) digits++;
        else if (isExponent(next)) digits += safeDigits;
        else if (!isPointOrSign(next)) break;
        i++;
      }
      if (digits > safeDigits && !isExactNumber(json.toString('latin1', start, i))) return suspicious;
    }
  }
  return members;
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const isExponent = (byte: number) => (byte | 0x20) === 0x65;
const isPointOrSign = (byte: number) => byte === 0x2e || byte === 0x2d || byte === 0x2b;

/** Members in the value. Strings are looked at only where the text has escapes: valid UTF-8 can hold nothing bad. */
function countKept(value: unknown, escaped: boolean, level: number): number {
  if (typeof value === 'string') return escaped && !value.isWellFormed() ? suspicious : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (level === maxNesting) return suspicious;
  let members = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (needsNoLook(value[i], escaped)) continue;
      const inside = countKept(value[i], escaped, level + 1);
      if (inside === suspicious) return suspicious;
      members += inside;
    }
    return members;
  }
  for (const key in value) {
    if (key === prototypeKey || key === bsonTypeKey || key === referenceKey) return suspicious;
    if (escaped && (key.includes('\0') || !key.isWellFormed())) return suspicious;
    members++;
    const item = (value as Record<string, unknown>)[key];
    if (needsNoLook(item, escaped)) continue;
    const inside = countKept(item, escaped, level + 1);
    if (inside === suspicious) return suspicious;
    members += inside;
  }
  return members;
}

const needsNoLook = (value: unknown, escaped: boolean) =>
  typeof value !== 'object' && !(escaped && typeof value === 'string');
