import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

it('shows the lines that differ, and no others', () => {
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual(['- b', '+ x', '+ d']);
  expect(lineDiff('a\nb', 'a\nb')).toEqual([]);
});

it('removes and adds as many lines as the texts differ by', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = lineDiff(before.join('\n'), after.join('\n'));
      const count = (sign: string) => diff.filter((line) => line.startsWith(sign)).length;
      const size = (all: string[]) => Math.max(all.length, 1);
      expect(count('+') - count('-')).toBe(size(after) - size(before));
    }),
  );
});
