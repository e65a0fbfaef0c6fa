import type { RefusedGroup } from '../../api/refused.ts';
import { toLine, valueAt } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { allTypes, shapeAt } from './schema-at.ts';

/** Of a value, in the list of groups. */
const gotLength = 60;

interface Mismatch {
  field: string;
  expected: string;
  /** Empty where nothing came. */
  got: string;
}

const nameOf = (path: string) => path.slice(1) || '/';

function ruleOf({ path, keyword, message }: RefusedGroup, schema: string): string {
  const shape = shapeAt(schema, path);
  if (keyword === 'type' && shape && shape.types.length > 0) return allTypes(shape).join(', ');
  if (keyword === 'format' && shape?.format) return shape.format;
  return message;
}

function gotIn({ path, example }: RefusedGroup): string {
  const value = valueAt(example, path);
  if (value === undefined) return '';
  const text = typeof value === 'string' ? JSON.stringify(value) : toLine(value);
  return text.length > gotLength ? `${text.slice(0, gotLength).toWellFormed()}…` : text;
}

/** What a group says in one line: the field, what was expected, and an example of what came. */
export function mismatchOf(group: RefusedGroup, schema: string): Mismatch {
  const { reason, path, keyword, property } = group;
  if (reason === 'not_json' || reason === 'too_large')
    return { field: words.refused.reasons[reason], expected: '', got: '' };
  if (property !== undefined) {
    const field = path === '' ? property : `${path.slice(1)}/${property}`;
    if (keyword === 'required')
      return { field, expected: words.refused.required, got: words.refused.missing };
    if (keyword === 'additionalProperties') return { field, expected: words.refused.unknown, got: '' };
  }
  const expected = reason === 'duplicate' ? words.refused.reasons.duplicate : ruleOf(group, schema);
  return { field: nameOf(path), expected, got: gotIn(group) };
}
