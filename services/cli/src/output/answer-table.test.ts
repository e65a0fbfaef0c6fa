import { expect, it } from 'vitest';
import { answerTable } from './answer-table.ts';

it('puts numbers on the right with all their digits, and shows NULL', () => {
  const rows = '[["Oslo", -3.50, null], ["a\\tb\\u001b", 12345678901234567890, true]]';
  expect(answerTable(['place', 'n', 'x'], rows)).toEqual([
    'place                          n  x',
    'Oslo                       -3.50  NULL',
    'a\\tb\\u001b  12345678901234567890  true',
  ]);
});

it('cuts the longest values to the width of the terminal, and no others', () => {
  const rows = `[["Oslo", "${'x'.repeat(100)}", {"a":[1,2]}]]`;
  expect(answerTable(['place', 'text', 'json'], rows, 30)).toEqual([
    'place  text        json',
    'Oslo   xxxxxxxxx…  {"a":[1,2]}',
  ]);
  expect(answerTable(['a', 'b'], '[["1234567890","1234567890"]]', 5)).toEqual([
    'a         b',
    '1234567…  1234567…',
  ]);
});

it('shows the columns of an answer without rows', () => {
  expect(answerTable(['a', 'b'], '[]')).toEqual(['a  b']);
});
