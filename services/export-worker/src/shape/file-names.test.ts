import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createFileNames } from './shape-tables.ts';

it.each<[string[], string]>([
  [['items'], 'items'],
  [['items', 'parts'], 'items.parts'],
  [['a/b\\c:d', '😀'], 'a_b_c_d._'],
  [['.hidden'], '_.hidden'],
  [['..', '..'], '_.....'],
  [[''], '_'],
  [['x'.repeat(300)], 'x'.repeat(100)],
  [['con'], '_con'],
  [['NUL', 'x'], '_NUL.x'],
  [['aux.'], '_aux.'],
  [['prn '], 'prn_'],
  [['Com1'], '_Com1'],
  [['lpt0', 'a'], '_lpt0.a'],
  [['com10'], 'com10'],
  [['console'], 'console'],
  [['items', 'con'], 'items.con'],
])('names the table of %j %s', (keys, name) => {
  expect(createFileNames()(keys)).toBe(name);
});

it('tells tables apart on every system, whatever their keys', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'A', 'a-2', '', '.', 'x'.repeat(120), 'con', 'CON', '_con', 'Lpt9', 'nul.', 'aux '),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(fc.array(key, { minLength: 1, maxLength: 3 }), { maxLength: 20 }), (tables) => {
      const fileName = createFileNames();
      const names = tables.map(fileName);
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(tables.length);
      for (const name of names) {
        expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/);
        expect(name.split('.')[0]).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
      }
    }),
    runs(),
  );
});
