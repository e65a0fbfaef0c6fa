import { isHostname } from '@hyperjump/json-schema-formats';
import { isIdnHostname } from 'idn-hostname';
import { spend } from '../budget.ts';
import { type TextCheck, textFormats } from './text-formats.ts';

type NumberCheck = (value: number | bigint) => boolean;
type Formats = Record<string, TextCheck | { type: 'number'; validate: NumberCheck }>;

/** The slowest expression (uri) tries several branches and takes 27 ns a character. */
const stepsACharacter = 3;

const texts: Record<string, TextCheck> = {
  ...textFormats,
  hostname: (text) =>
    text.length <= 253 && isHostname(text) && (!/(?:^|\.)xn--/i.test(text) || isPunycode(text)),
};

const numbers: Record<string, NumberCheck> = {
  int32: (value) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31,
  int64: (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
  float: () => true,
  double: () => true,
};

/** The formats that docs/schemas.md lists. */
export const formats: Formats = Object.create(null);
for (const [name, validate] of Object.entries(numbers)) formats[name] = { type: 'number', validate };
for (const [name, check] of Object.entries(texts))
  formats[name] = (text) => {
    spend(4 + text.length * stepsACharacter);
    return check(text);
  };

/** The library's own check of international names prints why a text is none. */
function isPunycode(hostname: string): boolean {
  try {
    return isIdnHostname(hostname);
  } catch {
    return false;
  }
}
