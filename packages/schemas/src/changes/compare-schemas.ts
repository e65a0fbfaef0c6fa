import type { Draft } from '../draft.ts';
import type { Schema } from '../schema.ts';
import { compareOpaque, createSameSchema } from './compare-opaque.ts';
import { compareValues } from './compare-values.ts';
import {
  additionalOf,
  conjunction,
  namesIn,
  patternsOf,
  requiredIn,
  schemasAfter,
  schemasAt,
  schemasOf,
  tupleLength,
  unnamedIn,
} from './parts.ts';
import { type ChangePlace, inside, memberOf, type Report } from './report.ts';

/** Payloads have at most 64 levels. */
const maxDepth = 64;

/** Reports the differences of two schemas whose references are all pointers. Throws OutOfSteps, and what `report` throws. */
export function compareSchemas(before: Schema, after: Schema, draft: Draft, report: Report): void {
  const isSame = createSameSchema(before, after, draft);
  const oncePerPair = createPairs();
  let depth = 0;
  let reported = 0;

  compare({ path: [] }, [before], [after]);

  function tell(...change: Parameters<Report>): void {
    reported += 1;
    report(...change);
  }

  function compare(place: ChangePlace, one: unknown[], other: unknown[]): void {
    const was = conjunction(before, one);
    const is = conjunction(after, other);
    if (was.never !== is.never)
      tell(place, is.never ? 'stricter' : 'looser', is.never ? 'refused now' : 'not refused any more');
    if (was.never || is.never || depth > maxDepth) return;
    if (was.parts.length + is.parts.length === 0) return;
    depth += 1;
    oncePerPair(was.parts, is.parts, () => {
      const reportedBefore = reported;
      compareParts(place, was.parts, is.parts);
      return reported - reportedBefore;
    });
    depth -= 1;
  }

  function compareParts(place: ChangePlace, was: Schema[], is: Schema[]): void {
    compareValues(was, is, (kind, text) => tell(place, kind, text));
    compareOpaque(was, is, isSame, (kind, text) => tell(place, kind, text));
    compareRequired(place, requiredIn(was), requiredIn(is));
    compareNamed(place, was, is);
    compareUnnamed(place, was, is);
    const places = Math.max(tupleLength(was), tupleLength(is));
    for (let at = 0; at < places; at++)
      compare(memberOf(place, String(at)), schemasAt(was, at), schemasAt(is, at));
    const others = places === 0 ? 'elements' : `elements from ${places} on`;
    compare(inside(place, others), schemasAfter(was), schemasAfter(is));
  }

  function compareRequired(place: ChangePlace, was: Set<string>, is: Set<string>): void {
    for (const name of is.difference(was)) tell(memberOf(place, name), 'stricter', 'is required now');
    for (const name of was.difference(is)) tell(memberOf(place, name), 'looser', 'is not required any more');
  }

  function compareNamed(place: ChangePlace, was: Schema[], is: Schema[]): void {
    const [old, current] = [namesIn(was), namesIn(is)];
    for (const name of current.union(old)) {
      const member = memberOf(place, name);
      const schemas = schemasOf(is, name);
      if (!old.has(name)) tell(member, 'added', 'property is new');
      else if (current.has(name)) compare(member, schemasOf(was, name), schemas);
      else {
        const isRefused = conjunction(after, schemas).never;
        const now = isRefused ? 'refused from now on' : 'still accepted as an additional property';
        tell(member, 'removed', `property is gone (${now})`);
      }
    }
  }

  function compareUnnamed(place: ChangePlace, was: Schema[], is: Schema[]): void {
    const patterns = new Map(patternsOf(is));
    const old = new Map(patternsOf(was));
    const [unnamed, current] = [unnamedIn(was), unnamedIn(is)];
    // With several parts, a name that matches a pattern of one may be an additional property of another.
    if (patterns.size + old.size > 0 && Math.max(unnamed.length, current.length) > 1) {
      if (!isSame(unnamed, current)) tell(place, 'changed', 'patternProperties is different');
      return;
    }
    for (const [pattern, schema] of patterns) {
      if (old.has(pattern))
        compare(inside(place, `properties matching ${pattern}`), [old.get(pattern)], [schema]);
      else tell(place, 'changed', `patternProperties ${pattern} is new`);
    }
    for (const pattern of old.keys())
      if (!patterns.has(pattern)) tell(place, 'changed', `patternProperties ${pattern} is gone`);
    compare(inside(place, 'other properties'), additionalOf(was), additionalOf(is));
  }
}

/** Compares each pair of lists only once if nothing differs, and never within its own comparison. */
function createPairs() {
  const numbers = new Map<Schema, number>();
  const unchanged = new Set<string>();
  const open = new Set<string>();
  /** How many comparisons were skipped because the pair was open. */
  let skipped = 0;

  function keyOf(schemas: Schema[]): string {
    return schemas
      .map((schema) => {
        if (!numbers.has(schema)) numbers.set(schema, numbers.size);
        return numbers.get(schema);
      })
      .join();
  }

  /** `compare` returns the number of changes. */
  return (before: Schema[], after: Schema[], compare: () => number): void => {
    const key = `${keyOf(before)}:${keyOf(after)}`;
    if (unchanged.has(key)) return;
    if (open.has(key)) {
      skipped += 1;
      return;
    }
    const skippedBefore = skipped;
    open.add(key);
    const found = compare();
    open.delete(key);
    if (found === 0 && skipped === skippedBefore) unchanged.add(key);
  };
}
