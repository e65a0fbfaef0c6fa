import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { parses } from '../check/pattern.ts';
import { limits } from '../limits.ts';
import type { Spend } from './budget.ts';

type Check = (text: string) => boolean;
type NumberCheck = (value: number | bigint) => boolean;
export type Formats = Record<string, Check | { type: 'number'; validate: NumberCheck }>;

const isInt64: NumberCheck = (value) => typeof value === 'bigint' || Number.isSafeInteger(value);

/** The slowest expression (uri) tries several branches and takes 27 ns a character. */
const stepsACharacter = 3;

/**
 * All formats of ajv-formats, whose expressions were reviewed: all take linear time, except `url` and `regex`.
 * These two have linear replacements here.
 */
export function createFormats(spend: Spend): Formats {
  const formats: Formats = Object.create(null);
  for (const [name, format] of Object.entries<Format>(fullFormats)) {
    if (typeof format === 'object' && !(format instanceof RegExp) && format.type === 'number')
      formats[name] = {
        type: 'number',
        validate: name === 'int64' ? isInt64 : (format.validate as NumberCheck),
      };
    else if (format !== true) formats[name] = paid(own[name] ?? toCheck(format));
  }
  return formats;

  function paid(check: Check): Check {
    return (text) => {
      spend(4 + text.length * stepsACharacter);
      return check(text);
    };
  }
}

// `\S+(?::\S*)?@` of the original means the same as `\S+@`, but takes quadratic time.
// Without white space, the path matches the whole rest, so no start is tried to the end twice.
const url = new RegExp(
  (fullFormats.url as RegExp).source.replace('(?:\\S+(?::\\S*)?@)?', '(?:\\S+@)?'),
  'iu',
);

const own: Record<string, Check> = {
  url: (text) => !/\s/.test(text) && url.test(text),
  regex: (text) => text.length <= limits.regexFormatLength && parses(text, 'u'),
};

function toCheck(format: Format): Check {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format as Check;
  if (typeof format === 'object' && 'validate' in format) {
    const { validate } = format;
    if (validate instanceof RegExp) return (text) => validate.test(text);
    return validate as Check;
  }
  throw new TypeError('a format of an unknown shape');
}
