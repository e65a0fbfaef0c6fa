import type { AskedColumn } from './columns.ts';

export const firstQuestion = 'select * from entries order by createdAt desc limit 100';

interface Example {
  name: 'days' | 'top' | 'average' | 'newest';
  /** Which it is about. */
  column?: string;
  sql: string;
}

const isText = ({ kind }: AskedColumn) => kind === 'text' || kind === 'choice';

/** Questions to begin with, about the first text and the first number of an application. */
export function examplesOf(columns: AskedColumn[]): Example[] {
  const own = columns.filter(({ isField }) => isField);
  const text = own.find(isText)?.sql;
  const number = own.find(({ kind }) => kind === 'number')?.sql;
  return [
    {
      name: 'days',
      sql: "select date_trunc('day', createdAt) as day, count(*) as entries\nfrom entries\ngroup by day\norder by day",
    },
    ...(text === undefined
      ? []
      : [
          {
            name: 'top' as const,
            column: text,
            sql: `select ${text}, count(*) as entries\nfrom entries\ngroup by ${text}\norder by entries desc\nlimit 10`,
          },
        ]),
    ...(number === undefined
      ? []
      : [
          {
            name: 'average' as const,
            column: number,
            sql: `select date_trunc('day', createdAt) as day, avg(${number}) as average\nfrom entries\ngroup by day\norder by day`,
          },
        ]),
    { name: 'newest', sql: firstQuestion },
  ];
}
