import type { ScalarType, Value } from '../schema/model.ts';
import type { Naming } from './naming.ts';

export interface Forms {
  scalars: Record<ScalarType, string>;
  /** Types of strings by their `format`; absent: `scalars.string`. */
  formats?: Partial<Record<string, string>>;
  /** Of integers that may be beyond 2^53. Without it, they are integers. */
  largeInteger?: string;
  any: string;
  list(of: string): string;
  map(of: string): string;
  /** Without it, a union is any JSON. */
  union?(kinds: string[]): string;
  /** The type of a value that may be null. Without it, every type takes null. */
  nullable?(type: string, value: Value): string;
}

/** `typeOf` writes the type of a value, `plainType` the same as if it were never null. */
export function createTypeOf({ scalars, formats, largeInteger, any, list, map, union, nullable }: Forms) {
  function typeOf(value: Value, naming: Naming): string {
    const type = plainType(value, naming);
    return value.isNullable && nullable ? nullable(type, value) : type;
  }

  function plainType(value: Value, naming: Naming): string {
    switch (value.kind) {
      case 'record':
        return naming.type(value.record);
      case 'choice':
        return naming.type(value.choice);
      case 'list':
        return list(typeOf(value.of, naming));
      case 'map':
        return map(typeOf(value.of, naming));
      case 'any':
        return any;
      case 'union':
        return union ? union(value.of.map((kind) => integerOr(kind, value.isLarge))) : any;
      case 'integer':
        return integerOr(value.kind, value.isLarge);
      case 'string':
        return formats?.[value.format ?? ''] ?? scalars.string;
      default:
        return scalars[value.kind];
    }
  }

  const integerOr = (kind: ScalarType, isLarge: boolean) =>
    (kind === 'integer' && isLarge && largeInteger) || scalars[kind];

  return { typeOf, plainType };
}
