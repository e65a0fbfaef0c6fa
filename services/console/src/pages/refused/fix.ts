import { isJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Schemas } from '../../api/client.ts';

/** A change of one value in each payload, as it is typed in the form. */
export interface Change {
  id: number;
  path: string;
  to: 'number' | 'integer' | 'boolean' | 'string' | 'trim' | 'default';
  /** JSON, or a text without quotes. It is set where the value is missing. */
  value: string;
}

interface Fix {
  changes: Change[];
  /** JSON text; empty for none. */
  patch: string;
}

type Amendments = Pick<Schemas['ReplayRequest'], 'patch' | 'coerce'>;

const toJsonText = (value: string): string => (isJson(value) ? value : JSON.stringify(value));

function toCoercion({ path, to, value }: Change): string {
  const pointer = JSON.stringify(path);
  return to === 'default'
    ? `{"path":${pointer},"default":${toJsonText(value)}}`
    : `{"path":${pointer},"to":"${to}"}`;
}

/** JSON texts for the API: numbers keep their digits. */
export const toAmendments = ({ changes, patch }: Fix): Amendments => ({
  ...(changes.length > 0 && { coerce: `[${changes.map(toCoercion).join(',')}]` }),
  ...(patch.trim() !== '' && { patch }),
});

/** The change that is most likely to make a group conform. */
export function suggestChange({ path, keyword, property, message }: Schemas['RefusedGroup']): Change {
  const change = { id: 0, path, to: 'trim', value: '' } as const;
  const [, type] = /^must be (number|integer|boolean|string)$/.exec(message) ?? [];
  if (keyword === 'type' && type) return { ...change, to: type as Change['to'] };
  if (keyword !== 'required' || property === undefined) return change;
  return { ...change, path: path + toPointer([property]), to: 'default' };
}
