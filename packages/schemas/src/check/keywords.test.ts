import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { drafts } from '../draft.ts';
import { keywordsOf } from './keywords.ts';

const docs = readFileSync(new URL('../../../../docs/schemas.md', import.meta.url), 'utf8');

it('has the keywords that docs/schemas.md says, in the drafts that it says', () => {
  const rows = docs
    .slice(docs.indexOf('| keyword |'))
    .split('\n\n')[0]
    ?.split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const [head = [], , ...body] = rows ?? [];
  expect(head.slice(2, 7)).toEqual(drafts);
  const documented = drafts.map((_, at) =>
    body
      .filter((cells) => cells[at + 2] === 'yes')
      .flatMap((cells) => [...(cells[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, keyword]) => keyword))
      .sort(),
  );
  const known = drafts.map((draft) =>
    [...keywordsOf(draft)].flatMap(([keyword, shape]) => (shape === 'note' ? [] : [keyword])).sort(),
  );
  expect(documented).toEqual(known);
});
