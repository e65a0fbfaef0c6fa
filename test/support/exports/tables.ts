import { createFileNames } from '@sluice/export-worker/shape/shape-tables.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import { baseOf, isFilledArray, isFilledObject, keysOf, valuesAt, withKey } from './arrays.ts';
import type { Entry, Payload } from './entries.ts';

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

export const isRows = (value: unknown): value is Payload[] => isFilledArray(value) && value.every(isObject);

const hasCell = (values: unknown[]) =>
  values.some((value) => value !== null && !isRows(value) && !isFilledObject(value)) ||
  values.every((value) => value === null);

/** The name of a field's column in a table with the columns `links`. */
export function nameOf(pointer: string, links: string[] = []): string {
  const keys = fromPointer(pointer);
  const name = keys.join('.');
  const isOdd = keys.some((key) => key.includes('.')) || ['', '/', "'", '\ufeff'].includes(name.slice(0, 1));
  return isOdd || links.includes(name) ? pointer : name;
}

/** The tables of entries, by looking at their values. */
export function expectedTables(list: Entry[]): TableShape[] {
  const fileName = createFileNames();
  const base = baseOf(list);
  const entries: TableShape = { name: fileName(['entries']), path: [], columns: [] };
  const tables = [entries];

  function addTable(path: string[], elements: Payload[], outer: string[]): void {
    const table: TableShape = { name: fileName(path.flatMap(fromPointer)), path, columns: [] };
    const links = ['entry', 'index', ...outer.map((other) => `${other}.index`)];
    const nested: [string, Payload[]][] = [];
    function addMembers(objects: Payload[], above: string): void {
      for (const key of keysOf(objects)) {
        const pointer = above + toPointer([key]);
        const values = withKey(objects, key);
        if (hasCell(values)) table.columns.push({ name: nameOf(pointer, links), pointer });
        const rows = values.filter(isRows).flat();
        if (rows.length > 0) nested.push([pointer, rows]);
        addMembers(values.filter(isFilledObject), pointer);
      }
    }
    tables.push(table);
    addMembers(elements, '');
    for (const [pointer, rows] of nested) addTable([...path, pointer], rows, [...outer, table.name]);
  }

  for (const { name, pointer } of base) {
    if (pointer === undefined) entries.columns.push({ name });
    else {
      const values = valuesAt(list, pointer);
      if (hasCell(values)) entries.columns.push({ name: name === 'entry' ? pointer : name, pointer });
      const rows = values.filter(isRows).flat();
      if (rows.length > 0) addTable([pointer], rows, []);
    }
  }
  return tables;
}
