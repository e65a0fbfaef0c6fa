/** The first and the last byte of a part of a file. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Reads the header `Range` (RFC 9110, 14.1.2). Undefined for several ranges, other units and invalid headers:
 * then the whole file is sent.
 *
 * `range-parser` and `@fastify/send` refuse a suffix that is longer than the file.
 */
export function parseRange(header: string, bytes: number): Range | 'unsatisfiable' | undefined {
  const set = /^bytes=(.*)$/i.exec(header)?.[1] ?? '';
  const specs = set.split(',').filter((spec) => spec.trim() !== '');
  const [, first, last] = /^(\d*)-(\d*)$/.exec(specs[0]?.trim() ?? '') ?? [];
  if (specs.length > 1 || first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') {
    if (Number(last) === 0) return 'unsatisfiable';
    // Content-Range cannot describe a part of an empty file.
    return bytes === 0 ? undefined : { start: Math.max(bytes - Number(last), 0), end: bytes - 1 };
  }
  const range = { start: Number(first), end: last === '' ? Number.POSITIVE_INFINITY : Number(last) };
  if (range.end < range.start) return undefined;
  return range.start < bytes ? { ...range, end: Math.min(range.end, bytes - 1) } : 'unsatisfiable';
}

/** Whether a list has one of these tags, or is `*`. */
const hasAny = (list: string, tags: string[]): boolean =>
  list.split(',').some((each) => [...tags, '*'].includes(each.trim()));

/** Whether `If-Match` names this strong tag. Weak tags do not count. */
export const isMatched = (list: string, tag: string): boolean => hasAny(list, [tag]);

/** Whether `If-None-Match` names this tag. Weak tags count too. */
export const isNamedIn = (list: string, tag: string): boolean => hasAny(list, [tag, `W/${tag}`]);
