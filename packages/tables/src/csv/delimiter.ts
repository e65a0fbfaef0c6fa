/** In the order of preference. */
export const delimiters = [',', ';', '\t', '|'] as const;

export type Delimiter = (typeof delimiters)[number];

/** The delimiter that the header has most often outside of quotes. */
export function findDelimiter(header: string): Delimiter {
  const unquoted = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: Delimiter) => unquoted.split(delimiter).length;
  return delimiters.reduce((best, other) => (count(other) > count(best) ? other : best));
}
