import { nearestNumber } from '@sluice/json/numbers.ts';
import { exampleOf } from '@sluice/schemas/example-of.ts';
import { isObject, type Schema } from '@sluice/schemas/schema.ts';
import { type Kind, kindsOfValue, listedBy } from './kinds.ts';
import type { SchemaParts } from './parts.ts';

/** From simple to nested. */
const simplest: Kind[] = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/** A sample value of one of these kinds: one that the schemas list, else a made one that most likely conforms. */
export function sampleIn(parts: SchemaParts, all: Schema[], kinds: ReadonlySet<Kind>): unknown {
  const given = [...(listedBy(parts, all) ?? []), ...all.flatMap(({ examples }) => examples ?? [])];
  const known = given.find((value) => kindsOfValue(value).some((kind) => kinds.has(kind)));
  if (known !== undefined) return known;
  const kind = simplest.find((one) => kinds.has(one));
  if (kind === undefined) return null;
  if (kind === 'array') return [];
  const {
    enum: _enum,
    const: _const,
    examples: _examples,
    properties: _properties,
    ...limits
  } = mergeAll(all);
  return exampleOf({ ...limits, type: kind });
}

/** Whether the schemas speak of integers beyond 2^53. */
export function isLargeInteger(parts: SchemaParts, all: Schema[]): boolean {
  const limits = all.flatMap(({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }) => [
    ...[minimum, maximum, exclusiveMinimum, exclusiveMaximum],
  ]);
  const values = [...(listedBy(parts, all) ?? []), ...limits].map(nearestNumber);
  return (
    values.some((value) => Math.abs(value ?? 0) > Number.MAX_SAFE_INTEGER) ||
    all.some(({ format }) => format === 'int64')
  );
}

const mergeAll = (all: Schema[]): Schema => Object.assign({}, ...all.filter(isObject));
