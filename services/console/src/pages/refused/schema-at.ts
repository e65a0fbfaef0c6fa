import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import { type FormShape, nodeAt, type Path, rootOf, shapeOf } from '../../schema-form/shape.ts';

/** Where the schema says what is at a place of payloads, as far as `properties` and `items` lead there. */
export function schemaPath(text: string, keys: string[]): Path | undefined {
  const root = rootOf(text);
  let path: Path = [];
  for (const key of keys) {
    const below = [['properties', key], ['items']].map((each) => [...path, ...each]);
    const found = below.find((each) => root && nodeAt(root, each)?.type === 'object');
    if (!found) return undefined;
    path = found;
  }
  return path;
}

/** What the schema says at a place of payloads; undefined if it says nothing there. */
export function shapeAt(text: string, pointer: string): FormShape | undefined {
  const root = rootOf(text);
  const path = schemaPath(text, fromPointer(pointer));
  const node = root && path && nodeAt(root, path);
  return node && shapeOf(node, text);
}

export const allTypes = ({ types, isNullable }: Pick<FormShape, 'types' | 'isNullable'>): string[] => [
  ...types,
  ...(isNullable ? ['null'] : []),
];

/** Whether the schema requires the member at a place of payloads. */
export function isRequired(text: string, pointer: string): boolean {
  const keys = fromPointer(pointer);
  const last = keys.at(-1);
  return last !== undefined && !!shapeAt(text, toPointer(keys.slice(0, -1)))?.required.has(last);
}
