/** In every table: the id of the entry. */
export const entryColumn = 'entry';

/** What leads from an element to what it is within: its entry, the indexes of the outer elements, and its own. */
export function linkColumns(outer: string[]): string[] {
  return [entryColumn, ...outer.map((table) => `${table}.index`), 'index'];
}
