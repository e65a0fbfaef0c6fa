import { limits } from '../limits.ts';
import { shown } from '../pointer.ts';
import { Refused } from './refusal.ts';

const types = ['integer', 'number', 'string', 'boolean', 'object', 'array', 'null'];

/** The meta-schema says only that it is not one of the allowed values. */
export function checkTypes(value: unknown, at: string): void {
  const unknown = [value].flat().find((type) => typeof type === 'string' && !types.includes(type));
  if (unknown === undefined) return;
  const use = `use ${types.slice(0, -1).join(', ')} or ${types.at(-1)}`;
  throw new Refused(
    `\`${String(unknown).slice(0, limits.shownName)}\` is not a type, at ${shown(at)}: ${use}`,
  );
}
