import { isObject } from '@sluice/schemas/schema.ts';
import { createNames, pascal } from '../names.ts';
import type { Choice, Field, RecordType, ScalarType, Value } from '../schema/model.ts';
import { literal } from '../texts.ts';
import { createHoldsItself } from '../write/holds-itself.ts';
import { type Literals, literalOf } from '../write/literal-of.ts';
import type { Naming } from '../write/naming.ts';
import type { Sending } from './language.ts';

const quote = literal.rust;

/** It may be null itself. */
export const isAny = ({ kind }: Value) => kind === 'any' || kind === 'union';
export const isOption = ({ isRequired, value }: Field) => !isRequired || (value.isNullable && !isAny(value));

/** The names of the values. */
export function variantsOf({ values }: Choice): Map<string, string> {
  const names = createNames(['Self']);
  return new Map(values.map((value) => [value, names.take(pascal(value, 'value'))]));
}

/** The program of the head. */
export function programLines({ entry, sample, naming, baseUrl }: Sending): string[] {
  const code = literalOf(literalsOf(naming), { kind: 'record', record: entry }, sample);
  return [
    'mod uploader;',
    'use uploader::{Entry, Error, Options, Uploader};',
    'fn main() -> Result<(), Error> {',
    `    let (base_url, spool) = (${quote(baseUrl)}.into(), Some("spool".into()));`,
    '    let uploader = Uploader::new(Options { base_url, spool, ..Options::default() })?;',
    `    uploader.send(&${code})?;`,
    '    uploader.close()',
    '}',
  ];
}

function literalsOf(naming: Naming): Literals {
  const holdsItself = createHoldsItself();

  function nameOf(record: RecordType): string {
    const name = naming.type(record);
    return name === 'Entry' ? name : `uploader::${name}`;
  }

  function optional(text: string, value: Value, isOptional: boolean): string {
    const whole = value.kind === 'union' ? `serde_json::json!(${text})` : text;
    return isOptional ? `Some(${whole})` : whole;
  }

  return {
    scalar: (kind, value) => (kind === 'string' ? `${json(value)}.to_string()` : number(kind, value)),
    choice: (choice, value) => `uploader::${naming.type(choice)}::${variantsOf(choice).get(value)}`,
    any: (value) => `serde_json::json!(${json(value)})`,
    list: (items, of) =>
      `vec![${items.map((item) => optional(item, of, of.isNullable && !isAny(of))).join(', ')}]`,
    emptyMap: () => 'uploader::Map::new()',
    record(record, members) {
      const given = members.map(({ field, text }) => {
        const { value } = field;
        const isBoxed = value.kind === 'record' && holdsItself(record, value.record);
        return `${naming.field(field)}: ${optional(isBoxed ? `Box::new(${text})` : text, value, isOption(field))}`;
      });
      const isWhole = record.isClosed && members.length === record.fields.length;
      if (!isWhole) given.push(`..${nameOf(record)}::default()`);
      return `${nameOf(record)} { ${given.join(', ')} }`;
    },
  };
}

function number(kind: ScalarType, value: unknown): string {
  if (kind === 'number') return /[.e]/.test(`${value}`) ? `${value}` : `${value}.0`;
  return json(value);
}

/** JSON in the code of `json!`, where a whole number has 32 bits unless it says more. */
function json(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(json).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, one]) => `${quote(key)}: ${json(one)}`);
    return `{ ${members.join(', ')} }`;
  }
  const isLong = (typeof value === 'bigint' || Number.isInteger(value)) && Math.abs(Number(value)) >= 2 ** 31;
  return isLong ? `${value}_i64` : `${value}`;
}
