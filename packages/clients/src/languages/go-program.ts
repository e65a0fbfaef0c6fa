import type { Value } from '../schema/model.ts';
import { literal } from '../texts.ts';
import { literalOf } from '../write/literal-of.ts';
import type { Naming } from '../write/naming.ts';
import { createIsPointerField, isPointer, outside } from './go-types.ts';
import type { Sending } from './language.ts';

const quote = literal.go;

/** A whole program that sends a sample. */
export function program({ entry, sample, naming, baseUrl }: Sending): string[] {
  const qualified: Naming = { ...naming, type: (type) => `uploader.${naming.type(type)}` };
  const isPointerField = createIsPointerField();
  const text = literalOf(
    {
      scalar: (kind, value) => {
        if (kind === 'string') return quote(value as string);
        return kind === 'number' && /^-?\d+$/.test(String(value)) ? `${value}.0` : String(value);
      },
      choice: (_, value) => quote(value),
      any: anyOf,
      list: (items, of) =>
        `[]${outside.typeOf(of, qualified)}{${items.map((item) => (isPointer(of) ? pointer(of, item) : item)).join(', ')}}`,
      emptyMap: (of) => `map[string]${outside.typeOf(of, qualified)}{}`,
      record: (record, members) =>
        `${qualified.type(record)}{${members
          .map(({ field, text }) => {
            const value = isPointerField(record, field) ? pointer(field.value, text) : text;
            return `${naming.field(field)}: ${value}`;
          })
          .join(', ')}}`,
    },
    { kind: 'record', record: entry },
    sample,
  );

  /** Only variables have an address, apart from structs. */
  function pointer(value: Value, text: string): string {
    if (value.kind === 'record') return `&${text}`;
    const type = outside.plainType(value, qualified);
    return `uploader.Ptr(${type === 'string' ? text : `${type}(${text})`})`;
  }

  return [
    'package main',
    '',
    'import (',
    '\t"context"',
    '\t"log"',
    '',
    '\t"app/uploader"',
    ')',
    '',
    'func main() {',
    `\tclient, err := uploader.New(uploader.Options{BaseURL: ${quote(baseUrl)}, Spool: "spool"})`,
    '\tif err == nil {',
    `\t\terr = client.Send(context.Background(), ${text})`,
    '\t}',
    '\tif err == nil {',
    '\t\terr = client.Close(context.Background())',
    '\t}',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '}',
  ];
}

function anyOf(json: unknown): string {
  if (json === null) return 'nil';
  if (typeof json === 'string') return quote(json);
  if (Array.isArray(json)) return `[]any{${json.map(anyOf).join(', ')}}`;
  if (typeof json !== 'object') return String(json);
  const members = Object.entries(json).map(([key, value]) => `${quote(key)}: ${anyOf(value)}`);
  return `map[string]any{${members.join(', ')}}`;
}
