import { isJson } from '@sluice/json/parse-json.ts';
import type { DateOrder, DecimalMark } from '@sluice/json/written-values.ts';
import type { Schemas } from '../../api/client.ts';

/** A change of one value in each payload, as it is typed in the form. Empty: not chosen. */
export interface FixChange {
  id: number;
  path: string;
  to:
    | 'number'
    | 'written'
    | 'integer'
    | 'boolean'
    | 'string'
    | 'trim'
    | 'date'
    | 'divide'
    | 'replace'
    | 'remove'
    | 'default';
  /** JSON, or a text without quotes: what is set. Of `divide`: by what. */
  value: string;
  /** Which value is replaced or removed, likewise. */
  from: string;
  /** Of a number as people write it. */
  decimal: DecimalMark | '';
  unit: string;
  order: DateOrder | '';
}

export interface Fix {
  changes: FixChange[];
  /** JSON text; empty for none. */
  patch: string;
}

type Amendments = Pick<Schemas['ReplayRequest'], 'patch' | 'coerce'>;

export const newChange = (given: Partial<FixChange>): FixChange => ({
  id: 0,
  path: '',
  to: 'number',
  value: '',
  from: '',
  decimal: '',
  unit: '',
  order: '',
  ...given,
});

export const toJsonText = (value: string): string => (isJson(value) ? value : JSON.stringify(value));

function toCoercion({ path, to, value, from, decimal, unit, order }: FixChange): string {
  const members = {
    default: () => `"default":${toJsonText(value)}`,
    replace: () => `"if":${toJsonText(from)},"set":${toJsonText(value)}`,
    remove: () => `"if":${toJsonText(from)},"remove":true`,
    divide: () => `"divide":${value}`,
    date: () => `"to":"date","order":"${order}"`,
    written: () => `"to":"number","decimal":"${decimal}"${unit && `,"unit":${JSON.stringify(unit)}`}`,
  };
  const more = to in members ? members[to as keyof typeof members]() : `"to":"${to}"`;
  return `{"path":${JSON.stringify(path)},${more}}`;
}

/** JSON texts for the API: numbers keep their digits. */
export const toAmendments = ({ changes, patch }: Fix): Amendments => ({
  ...(changes.length > 0 && { coerce: `[${changes.map(toCoercion).join(',')}]` }),
  ...(patch.trim() !== '' && { patch }),
});

/** Whether everything of a change is chosen that only people can know. */
function isChosen({ to, value, decimal, order }: FixChange): boolean {
  if (to === 'date') return order !== '';
  if (to === 'written') return decimal !== '';
  return !['default', 'replace', 'divide'].includes(to) || value !== '';
}

/** Whether it changes something, and nothing of it is open. */
export const isComplete = ({ changes, patch }: Fix): boolean =>
  (changes.length > 0 || patch.trim() !== '') && changes.every(isChosen);
