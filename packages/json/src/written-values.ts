/** The character before the decimals of a number. */
export const decimalMarks = ['.', ','] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** The order of day, month and year in a date. */
export const dateOrders = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof dateOrders)[number];

export interface NumberStyle {
  decimal: DecimalMark;
  /** Before or behind the number, such as `kr`; absent: none. */
  unit?: string | undefined;
}

const isDigitOrMark = /[\d.,+\-−]/;

/** The number without its unit; undefined if it has another unit. */
function withoutUnit(text: string, unit: string): string | undefined {
  if (unit === '') return text;
  if (text.endsWith(unit)) return text.slice(0, -unit.length).trim();
  if (text.startsWith(unit)) return text.slice(unit.length).trim();
  return isDigitOrMark.test(text[0] ?? '') && isDigitOrMark.test(text.at(-1) ?? '') ? text : undefined;
}

/** What stands before or behind the digits of a text; undefined if it has no digits, or something between. */
export function unitOf(text: string): string | undefined {
  const [, before, behind] = /^([^\d.,+\-−]*)[\d.,+\-−'’\s]*\d[.,]?([^\d]*)$/.exec(text.trim()) ?? [];
  if (before === undefined || behind === undefined) return undefined;
  const units = [before.trim(), behind.trim()].filter((unit) => unit !== '');
  return units.length > 1 ? undefined : (units[0] ?? '');
}

const patterns: Record<DecimalMark, RegExp> = {
  '.': /^([+\-−]?)(\d+|\d{1,3}(?:[,\s'’]\d{3})+)(?:\.(\d+))?$/,
  ',': /^([+\-−]?)(\d+|\d{1,3}(?:[.\s'’]\d{3})+)(?:,(\d+))?$/,
};

/** A number as people write it, such as `1.234,50 kr`, as JSON. Undefined for other texts, and for `007`. */
export function toNumberText(text: string, { decimal, unit = '' }: NumberStyle): string | undefined {
  const bare = withoutUnit(text.trim(), unit.trim());
  const [, sign, grouped, decimals] = (bare !== undefined && patterns[decimal].exec(bare)) || [];
  if (grouped === undefined) return undefined;
  const whole = grouped.replace(/\D/g, '');
  if (whole.length > 1 && whole.startsWith('0')) return undefined;
  return `${sign === '-' || sign === '−' ? '-' : ''}${whole}${decimals === undefined ? '' : `.${decimals}`}`;
}

const datePattern = /^(\d{1,4})([./-])\s?(\d{1,2})\2\s?(\d{1,4})\.?$/;

/** A date such as `25.11.2026` as `2026-11-25`. Undefined for other texts, days that do not exist, and years of two digits. */
export function toDateText(text: string, order: DateOrder): string | undefined {
  const [, first = '', , second = '', third = ''] = datePattern.exec(text.trim()) ?? [];
  const parts = { [order[0] as string]: first, [order[1] as string]: second, [order[2] as string]: third };
  const { d = '', m = '', y = '' } = parts;
  if (y.length !== 4 || d === '' || d.length > 2 || m.length > 2) return undefined;
  const iso = `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`;
  const time = Date.parse(`${iso}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso) ? iso : undefined;
}

/** A JSON number divided by a power of ten, exactly. Undefined for numbers with an exponent. */
export function shiftPoint(literal: string, places: number): string | undefined {
  const [, sign, whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(literal) ?? [];
  if (sign === undefined) return undefined;
  const digits = whole.padStart(places + 1, '0');
  const at = digits.length - places;
  const rest = `${digits.slice(at)}${decimals}`.replace(/0+$/, '');
  return `${sign}${digits.slice(0, at)}${rest === '' ? '' : `.${rest}`}`;
}
