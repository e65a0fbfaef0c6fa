import type { Measured } from '../support/measure.ts';
import { type Ratio, ratios, spread, table } from '../support/table.ts';

/** The rounds of a contestant under the load of a column. */
export interface Compared {
  name: string;
  column: string;
  results: Measured[];
}

type Key = 'rate' | 'cpu';
/** Targets of the columns, by ratio: `sluice / insert-one`. */
export type Targets = Record<Key, Record<string, NonNullable<Ratio['target']>[]>>;

const heads: Record<Key, { head: string; digits: number }> = {
  rate: { head: 'answers a second', digits: 0 },
  cpu: { head: 'µs of processor time an answer', digits: 1 },
};

/** Tables of answers a second and of processor time, each with its ratios. */
export function tablesOf(compared: Compared[], targets: Targets): string {
  const names = [...new Set(compared.map(({ name }) => name))];
  const columns = [...new Set(compared.map(({ column }) => column))];
  const of = (key: Key, name: string | undefined, column: string) =>
    compared
      .find((each) => each.name === name && each.column === column)
      ?.results.map((result) => result[key]) ?? [];

  function section(key: Key): string {
    const { head, digits } = heads[key];
    const rows = names.map((name) => [
      name,
      ...columns.map((column) => spread(of(key, name, column), digits)),
    ]);
    const all = Object.entries(targets[key]).flatMap(([name, wanted]) =>
      columns.map((column, i): Ratio => {
        const [over, under] = name.split(' / ');
        const target = wanted[i];
        return {
          name: `${name}, ${column}`,
          over: of(key, over, column),
          under: of(key, under, column),
          ...(target && { target }),
        };
      }),
    );
    return `${table([head, ...columns], rows)}\n\n${ratios(all.filter(({ under }) => under.length > 0))}`;
  }

  return `${section('rate')}\n\n${section('cpu')}`;
}
