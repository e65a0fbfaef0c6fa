import { toJson } from '@sluice/json/numbers.ts';
import type { RecordType, Value } from '../schema/model.ts';
import { literal } from '../texts.ts';
import { type Literals, literalOf } from '../write/literal-of.ts';
import type { Naming } from '../write/naming.ts';
import type { SampleEntry } from '../write/sample.ts';
import { constantsOf, hasName, timeOf } from './java-names.ts';

const quote = literal.java;

/** An entry in code. */
export function entryOf(entry: RecordType, sample: SampleEntry, naming: Naming): string {
  const literals: Literals = {
    scalar: (kind, value) => (kind === 'number' ? double(value) : json(value)),
    choice: (choice, value) =>
      `Uploader.${naming.type(choice)}.${constantsOf(choice)[choice.values.indexOf(value)]}`,
    any: json,
    list: (items, of) =>
      items.length === 1
        ? `java.util.Collections.singletonList(${typed(of, items[0] as string)})`
        : `java.util.Arrays.asList(${items.map((item) => typed(of, item)).join(', ')})`,
    emptyMap: () => 'java.util.Map.of()',
    record: (record, members) => {
      const calls = members.map(({ field, text }) =>
        hasName(field)
          ? `.${naming.field(field)}(${typed(field.value, text)})`
          : `.additionalProperty("", ${text})`,
      );
      return `Uploader.${naming.type(record)}.builder()${calls.join('')}.build()`;
    },
  };
  return literalOf(literals, { kind: 'record', record: entry }, sample);
}

function typed(value: Value, text: string): string {
  const time = text === 'null' ? undefined : timeOf(value);
  return time ? `new Uploader.${time}(${text})` : text;
}

/** Any JSON in code. */
function json(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  const text = toJson(value);
  if (/^-?\d+$/.test(text)) return `${text}L`;
  return typeof value === 'number'
    ? text
    : `new com.fasterxml.jackson.databind.ObjectMapper().readTree(${quote(text)})`;
}

const double = (value: unknown) => toJson(value).replace(/^-?\d+$/, '$&.0');
