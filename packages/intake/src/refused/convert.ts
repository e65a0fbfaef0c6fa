import { canonicalText } from '@sluice/json/canonical-json.ts';
import { type NumberStyle, shiftPoint, toDateText, toNumberText } from '@sluice/json/written-values.ts';
import type { Conversion } from './amendments.ts';

/** The result of a conversion that removes the value. */
export const removed = Symbol('removed');

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const integer = /^-?(0|[1-9]\d*)$/;

/** The JSON text of a number that is written as text. */
function numberIn(
  text: string,
  to: 'number' | 'integer',
  style: NumberStyle | undefined,
): string | undefined {
  const literal = style ? toNumberText(text, style) : text;
  const pattern = to === 'number' ? number : integer;
  return literal !== undefined && pattern.test(literal) ? literal : undefined;
}

/** Of the text of a string. Undefined: it cannot be converted. */
function convertText(text: string, conversion: Extract<Conversion, { to: string }>): unknown {
  switch (conversion.to) {
    case 'trim':
      return `s${text}`;
    case 'date': {
      const date = toDateText(text, conversion.order);
      return date && `s${date}`;
    }
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined;
    case 'string':
      return undefined;
    default: {
      const literal = numberIn(text, conversion.to, 'style' in conversion ? conversion.style : undefined);
      return literal && `n${literal}`;
    }
  }
}

/** Returns a value that cannot be converted unchanged, so that the schema refuses it. Values are tagged as by `readTagged`. */
export function convert(value: unknown, conversion: Conversion): unknown {
  if ('equals' in conversion) {
    if (canonicalText(value) !== canonicalText(conversion.equals)) return value;
    return 'becomes' in conversion ? structuredClone(conversion.becomes) : removed;
  }
  const isText = typeof value === 'string' && value.startsWith('s');
  if ('places' in conversion) {
    const shifted =
      typeof value === 'string' && !isText ? shiftPoint(value.slice(1), conversion.places) : undefined;
    return shifted === undefined ? value : `n${shifted}`;
  }
  if (isText) return convertText(value.slice(1).trim(), conversion) ?? value;
  if (conversion.to !== 'string') return value;
  if (typeof value === 'string') return `s${value.slice(1)}`;
  return typeof value === 'boolean' ? `s${value}` : value;
}
