import { checkWalk } from './check-walk.ts';
import type { Draft } from './draft.ts';

/**
 * Ajv takes a dynamic reference whose anchor it has not met yet for a recursion, and then passes or refuses
 * the wrong payloads. Within one resource (./check-walk.ts refuses several) a dynamic reference is a plain
 * one, so it is written as one. Changes the schema.
 */
export function settleDynamicReferences(schema: Record<string, unknown>, draft: Draft): void {
  if (draft !== '2020-12' && draft !== '2019-09') return;
  const places = checkWalk(schema, draft);
  for (const place of places) {
    const { $dynamicAnchor, $dynamicRef, $recursiveRef } = place;
    if (typeof $dynamicAnchor === 'string') place.$anchor ??= $dynamicAnchor;
    for (const $ref of [$dynamicRef, $recursiveRef]) {
      if (typeof $ref !== 'string') continue;
      if (place.$ref === undefined) place.$ref = $ref;
      else place.allOf = [...(Array.isArray(place.allOf) ? place.allOf : []), { $ref }];
    }
    for (const keyword of ['$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef'])
      delete place[keyword];
  }
  settleRootAnchor(schema, places);
}

/** Ajv does not see an anchor at the root. Within one resource its name means the root. */
function settleRootAnchor(schema: Record<string, unknown>, places: Set<Record<string, unknown>>): void {
  if (typeof schema.$anchor !== 'string') return;
  for (const place of places) if (place !== schema && typeof place.$id === 'string') return;
  for (const place of places) if (place.$ref === `#${schema.$anchor}`) place.$ref = '#';
}
