/**
 * Calls `visit` for each field of a payload in order: nested objects are descended;
 * arrays, empty objects and scalars (null too) are fields. The path is the visitor's to keep.
 */
export function eachField(
  payload: Record<string, unknown>,
  visit: (path: string[], value: unknown) => void,
): void {
  descend(toPlain(payload) as object, [], visit);
}

function descend(object: object, path: string[], visit: (path: string[], value: unknown) => void): void {
  for (const [key, value] of Object.entries(object)) {
    const here = [...path, key];
    const plain = toPlain(value);
    if (isNested(plain)) descend(plain, here, visit);
    else visit(here, plain);
  }
}

// The BSON reader makes a DBRef of {$ref, $id}; its toJSON is the object that was posted.
function toPlain(value: unknown): unknown {
  const toJSON = (value as { toJSON?: unknown } | null)?.toJSON;
  return typeof toJSON === 'function' ? toJSON.call(value) : value;
}

function isNested(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}
