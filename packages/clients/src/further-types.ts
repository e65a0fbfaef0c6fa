import type { Wanted } from './client.ts';
import type { Model, RecordType, Value } from './schema/model.ts';
import { readSchema } from './schema/read-schema.ts';
import { headOf } from './write/head.ts';

/** Languages that have types and no uploader, by the names of quicktype. */
export const furtherLanguages = {
  csharp: { name: 'C#', types: 'Entry.cs', comment: '//' },
  cplusplus: { name: 'C++', types: 'entry.hpp', comment: '//' },
  dart: { name: 'Dart', types: 'entry.dart', comment: '//' },
  elixir: { name: 'Elixir', types: 'entry.ex', comment: '#' },
  kotlin: { name: 'Kotlin', types: 'Entry.kt', comment: '//' },
  php: { name: 'PHP', types: 'Entry.php', comment: '//' },
  ruby: { name: 'Ruby', types: 'entry.rb', comment: '#' },
  scala3: { name: 'Scala', types: 'Entry.scala', comment: '//' },
  swift: { name: 'Swift', types: 'Entry.swift', comment: '//' },
} as const;

export type FurtherLanguage = keyof typeof furtherLanguages;

/** quicktype writes names and values into code, so it gets only harmless ones, and no descriptions. */
const isHarmless = (text: string) => /^[A-Za-z0-9_][A-Za-z0-9_ .:/-]{0,79}$/.test(text);

/** The types alone, by quicktype, which is loaded when it is first needed. */
export async function makeFurtherTypes(wanted: Wanted<FurtherLanguage>): Promise<string> {
  const { InputData, JSONSchemaInput, quicktype } = await import('quicktype-core');
  const model = readSchema(wanted.rawSchema);
  const source = new JSONSchemaInput(undefined);
  await source.addSource({ name: 'Entry', schema: JSON.stringify(schemaOf(model)) });
  const inputData = new InputData();
  inputData.addInput(source);
  const { lines } = await quicktype({ inputData, lang: wanted.language });
  const head = headOf(furtherLanguages[wanted.language], { ...wanted, usage: [], notes: model.notes });
  const [first, ...others] = lines;
  // Nothing stands before the mark of PHP.
  const all = first?.startsWith('<?') ? [first, ...head, ...others] : [...head, '', ...lines];
  return `${all.join('\n').trimEnd()}\n`;
}

/** A plain schema of what a model says. */
function schemaOf({ entry, records }: Model): object {
  const definitions = Object.fromEntries(
    records.map((record, at) => [`${record.hint.replace(/\W/g, '_')}_${at}`, record]),
  );
  const names = new Map(Object.entries(definitions).map(([name, record]) => [record, name]));
  return {
    ...objectOf(entry),
    definitions: Object.fromEntries(
      Object.entries(definitions).map(([name, record]) => [name, { title: name, ...objectOf(record) }]),
    ),
  };

  function objectOf({ fields, isOpen }: RecordType): object {
    const known = fields.filter(({ key }) => isHarmless(key));
    return {
      type: 'object',
      properties: Object.fromEntries(known.map(({ key, value }) => [key, schemaOfValue(value)])),
      required: known.filter(({ isRequired }) => isRequired).map(({ key }) => key),
      additionalProperties: isOpen || known.length < fields.length,
    };
  }

  function schemaOfValue(value: Value): object | true {
    const plain = plainSchema(value);
    return value.isNullable && plain !== true ? { anyOf: [plain, { type: 'null' }] } : plain;
  }

  function plainSchema(value: Value): object | true {
    switch (value.kind) {
      case 'record':
        return value.record === entry ? { $ref: '#' } : { $ref: `#/definitions/${names.get(value.record)}` };
      case 'choice':
        return value.choice.values.every(isHarmless)
          ? { type: 'string', enum: value.choice.values }
          : { type: 'string' };
      case 'list':
        return { type: 'array', items: schemaOfValue(value.of) };
      case 'map':
        return { type: 'object', additionalProperties: schemaOfValue(value.of) };
      case 'any':
        return true;
      case 'union':
        return { type: value.of };
      default:
        return { type: value.kind };
    }
  }
}
