import { expect, it } from 'vitest';
import { RequestFailure } from '../../api/failure.ts';
import { faultOf } from './answer.ts';

const failureAt = (place: { line?: number; column?: number }, path = '/sql') =>
  new RequestFailure('wrong', {
    details: [{ in: 'body', path, keyword: 'sql', message: 'wrong', ...place }],
  });
const sql = 'select n\nfrom entries\nwher "a b" = 1';
const marked = (line?: number, column?: number) => {
  const found = faultOf(sql, failureAt(line && column ? { line, column } : {}));
  return found && sql.slice(found.from, found.to);
};

it('marks the word that the API names', () => {
  expect([marked(3, 1), marked(3, 6), marked(3, 12), marked(1, 8)]).toEqual(['wher', '"a b"', '=', 'n']);
});

it('marks the first word where no place is named, and nothing beyond the end', () => {
  expect([marked(), marked(3, 99)]).toEqual(['select', '']);
});

it('leaves other failures', () => {
  expect(faultOf(sql, failureAt({}, '/params'))).toBeUndefined();
  expect(faultOf(sql, null)).toBeUndefined();
});
