/** A scalar at the root is level 0, `{}` is level 1. */
export const maxNesting = 64;

/** JSON.parse makes a member of it, but code that copies the object would set a prototype instead. */
export const prototypeKey = '__proto__';

/** The BSON serializer takes an object with this key for one of its own types. */
export const bsonTypeKey = '_bsontype';

/** The BSON reader makes a DBRef of an object with both, and splits a `$ref` that has exactly one dot. */
export const referenceKey = '$ref';
export const idKey = '$id';
