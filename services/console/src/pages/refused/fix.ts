import { isJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Schemas } from '../../api/client.ts';
import { typesAt } from './suggest.ts';

/** A change of one value in each payload, as it is typed in the form. */
export interface FixChange {
  id: number;
  path: string;
  to: 'number' | 'integer' | 'boolean' | 'string' | 'trim' | 'default';
  /** JSON, or a text without quotes. It is set where the value is missing. */
  value: string;
}

interface Fix {
  changes: FixChange[];
  /** JSON text; empty for none. */
  patch: string;
}

type Amendments = Pick<Schemas['ReplayRequest'], 'patch' | 'coerce'>;

const toJsonText = (value: string): string => (isJson(value) ? value : JSON.stringify(value));

function toCoercion({ path, to, value }: FixChange): string {
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

const convertible = ['number', 'integer', 'boolean', 'string'] as const;

/** The change that is most likely to make a group conform. */
export function suggestChange(
  { path, keyword, property }: Pick<Schemas['RefusedGroup'], 'path' | 'keyword' | 'property'>,
  schema: string,
): FixChange {
  const change = { id: 0, path, to: 'trim', value: '' } as const;
  const [type, ...others] = typesAt(schema, path);
  const to = others.length === 0 && convertible.find((each) => each === type);
  if (keyword === 'type' && to) return { ...change, to };
  if (keyword !== 'required' || property === undefined) return change;
  return { ...change, path: path + toPointer([property]), to: 'default' };
}
