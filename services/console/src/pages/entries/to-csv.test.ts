import { expect, it } from 'vitest';
import { fieldsOf } from './fields.ts';
import { toCsv } from './to-csv.ts';

it('has the columns of the table, and runs no formula', async () => {
  const { fieldAt } = fieldsOf({ properties: { n: { type: 'number' }, text: { type: 'string' } } });
  const entries = [
    { n: -1, text: '=1+1' },
    { n: 2.5, text: 'a "b", c' },
    { text: null, other: 1 },
  ].map((payload, at) => ({ id: `0${at}`, domain: 'd', createdAt: '2026-01-01T00:00:00.000Z', payload }));
  const csv = await toCsv(entries, [fieldAt('/n'), fieldAt('/text')]).text();
  expect(csv.split('\r\n')).toEqual([
    'id,createdAt,n,text',
    "00,2026-01-01T00:00:00.000Z,-1,'=1+1",
    '01,2026-01-01T00:00:00.000Z,2.5,"a ""b"", c"',
    '02,2026-01-01T00:00:00.000Z,,',
    '',
  ]);
});
