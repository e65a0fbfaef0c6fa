import { toPointer } from '@sluice/json/pointer.ts';
import { judge } from '../judge/judge.ts';
import { rulesWithin } from '../judge/rules-of.ts';
import { isObject, type Schema } from '../schema.ts';
import type { Issue } from './issue.ts';

/** Keywords that are read with others of their schema. */
const together: Record<string, string[]> = {
  if: ['then', 'else'],
  items: ['prefixItems'],
  additionalItems: ['items'],
  additionalProperties: ['properties', 'patternProperties'],
  contains: ['minContains', 'maxContains'],
  minimum: ['exclusiveMinimum'],
  maximum: ['exclusiveMaximum'],
};

/**
 * Where a payload does not conform, for what Ajv does not see. It asks the judge about one keyword after the other.
 * Undefined if the payload conforms.
 */
export function findPlace(root: Schema, payload: unknown): Issue | undefined {
  const rulesOf = rulesWithin(root);
  const isRefused = (part: unknown, value: unknown) =>
    judge(rulesOf(part), value, Number.POSITIVE_INFINITY) === 'does not conform';
  const target = (reference: string): unknown =>
    reference === '#' ? root : (root.definitions as Schema)[reference.replace('#/definitions/', '')];
  return isRefused(root, payload) ? find(root, payload, []) : undefined;

  function find(part: unknown, value: unknown, path: string[]): Issue {
    if (!isObject(part)) return issue('false schema', path);
    for (const [keyword, own] of Object.entries(part)) {
      const names = [keyword, ...(together[keyword] ?? [])].filter((name) => name in part);
      const alone = Object.fromEntries(names.map((name) => [name, part[name]]));
      if (keyword.startsWith('unevaluated') || !isRefused(alone, value)) continue;
      return within(keyword, own, value, path, names.length === 1) ?? issue(keyword, path);
    }
    // All keywords hold alone, so it is one that looks at what others left.
    const keyword = Object.keys(part).find((name) => name.startsWith('unevaluated')) ?? 'schema';
    return within(keyword, part[keyword], value, path, false) ?? issue(keyword, path);
  }

  /** Goes on where a part of the value, or of the schema, is surely the cause. `isForAll`: no other keyword takes members out. */
  function within(
    keyword: string,
    own: unknown,
    value: unknown,
    path: string[],
    isForAll: boolean,
  ): Issue | undefined {
    if (keyword === '$ref') return find(target(own as string), value, path);
    if (keyword === 'allOf')
      return find(
        (own as unknown[]).find((part) => isRefused(part, value)),
        value,
        path,
      );
    if (keyword === 'properties' && isObject(own) && isObject(value)) {
      const name = Object.keys(own).find(
        (key) => Object.hasOwn(value, key) && isRefused(own[key], value[key]),
      );
      return name === undefined ? undefined : find(own[name], value[name], [...path, name]);
    }
    if (!forMembers.has(keyword) || !isObject(own) || typeof value !== 'object' || value === null)
      return undefined;
    const members = value as Record<string, unknown>;
    const refused: string[] = [];
    for (const name in members) {
      if (!isRefused(own, members[name])) continue;
      refused.push(name);
      if (isForAll || refused.length > 1) break;
    }
    const [first] = refused;
    if (first === undefined || (refused.length > 1 && !isForAll)) return undefined;
    return find(own, members[first], [...path, first]);
  }
}

/** Their value is the schema of members. */
const forMembers = new Set(['items', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties']);

const issue = (keyword: string, path: string[]): Issue => ({
  path: toPointer(path),
  keyword,
  message: `does not conform to ${keyword} of the schema`,
});
