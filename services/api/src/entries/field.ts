import { fromPointer } from '@sluice/json/pointer.ts';
import { maxNesting } from '@sluice/json/read-payload.ts';

type Field = { ok: true; path: string[] } | { ok: false; message: string };

const wrong = (message: string): Field => ({ ok: false, message });

/** The keys that lead to what a filter calls by its column's name, or by a JSON Pointer. */
export function readField(name: string): Field {
  if (name === 'createdAt')
    return wrong('is the time of the entry: use from and to, or /createdAt for a member of that name');
  const isPointer = name.startsWith('/');
  if (isPointer && /~(?![01])/.test(name))
    return wrong('is not a JSON Pointer: ~ is written ~0, and / in a key ~1');
  const path = isPointer ? fromPointer(name) : name.split('.');
  if (path.length > maxNesting) return wrong(`is deeper than the ${maxNesting} levels of a payload`);
  return { ok: true, path };
}
