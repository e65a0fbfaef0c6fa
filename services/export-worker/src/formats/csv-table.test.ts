import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { int32, type Memory, string } from './bson-walk.ts';
import { takeBytes } from './byte-sink.ts';
import { createCsvTable } from './csv-table.ts';

/** The value of the one member, whose key has one letter: behind 4 bytes of length, its type and its key. */
function memoryOf(member: Record<string, unknown>): Memory {
  const bytes = Buffer.from(BSON.serialize(member));
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}
const valueAt = 7;

it('writes rows cell by cell, from BSON and from strings', () => {
  const table = createCsvTable({ header: ['id', '=n', 'a,b', ''], formulas: 'escape' });
  table.writeHeader();
  table.text('0a');
  table.value(memoryOf({ n: 7 }), int32, valueAt);
  table.value(memoryOf({ s: 'x,"y"' }), string, valueAt);
  table.empty();
  table.endRow();
  for (const text of ['10', '+ü', 'a\nb', '']) table.text(text);
  table.endRow();
  const csv = takeBytes(table.sink).toString();
  expect(csv).toBe(`id,'=n,"a,b",""\r\n0a,7,"x,""y""",\r\n"10",'+ü,"a\nb",""\r\n`);
});

it('leaves formulas as they are when asked', () => {
  const table = createCsvTable({ header: ['=n'], formulas: 'raw' });
  table.writeHeader();
  table.text('@a');
  table.endRow();
  expect(takeBytes(table.sink).toString()).toBe('=n\r\n@a\r\n');
});
