import { snake } from '../names.ts';
import type { Field, RecordType, Value } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import type { Naming } from '../write/naming.ts';
import { createTypeOf } from '../write/type-of.ts';
import type { Language } from './language.ts';

const quote = literal.python;
const { typeOf } = createTypeOf({
  scalars: { string: 'str', integer: 'int', number: 'float', boolean: 'bool' },
  any: 'Any',
  list: (of) => `List[${of}]`,
  map: (of) => `Dict[str, ${of}]`,
  union: (kinds) => `Union[${kinds.join(', ')}]`,
  nullable: (type, { kind }) => (kind === 'any' ? type : `Optional[${type}]`),
});

export const python: Language = {
  name: 'Python',
  file: 'uploader.py',
  source: 'python/sluice_uploader/__init__.py',
  how: 'save it beside your code; it needs nothing else (Python 3.11)',
  comment: '#',
  program: {
    file: 'send.py',
    run: 'python3 send.py',
    lines: ({ baseUrl }) => [
      'from uploader import Entry, Uploader',
      '',
      `with Uploader(${quote(baseUrl)}, spool="spool") as uploader:`,
      '    uploader.send(Entry(...))',
    ],
  },
  habits: {
    field: snake,
    keywords: [
      ...'False None True and as assert async await break class continue def del elif else except'.split(' '),
      ...'finally for from global if import in is lambda nonlocal not or pass raise return try while'.split(
        ' ',
      ),
      ...'with yield match case type str int float bool list dict self data result to_dict from_dict'.split(
        ' ',
      ),
      ...'staticmethod dataclass'.split(' '),
    ],
  },
  types: ({ records, choices }, naming) => [
    ...choices.map((choice) => `${naming.type(choice)} = Literal[${choice.values.map(quote).join(', ')}]`),
    ...(choices.length > 0 ? ['', ''] : ['']),
    ...records.flatMap((record) => [...classOf(record, naming), '', '']),
  ],
  constants: (domain, version) => [`DOMAIN = ${quote(domain)}`, `SCHEMA_VERSION = ${version}`],
  typesOnly: {
    file: 'entry.py',
    before: () => [
      'from __future__ import annotations',
      '',
      'from dataclasses import dataclass',
      'from typing import Any, Dict, List, Literal, Optional, Union',
      '',
    ],
    after: [],
    usage: ['from entry import Entry', 'entry = Entry.from_dict(dictionary)'],
  },
};

function classOf(record: RecordType, naming: Naming): string[] {
  const name = naming.type(record);
  const isRequired = (field: Field) => field.isRequired;
  // Fields with a default come last.
  const fields = [
    ...record.fields.filter(isRequired),
    ...record.fields.filter((field) => !isRequired(field)),
  ];
  const rest = record.isOpen ? naming.rest(record) : undefined;
  return [
    '@dataclass',
    `class ${name}:`,
    ...note(record.description),
    ...fields.flatMap((field) => [...note(field.description), `    ${declared(field, naming)}`]),
    ...(rest ? [`    ${rest}: Optional[Dict[str, Any]] = None`] : []),
    ...(fields.length > 0 || rest ? [''] : []),
    '    def to_dict(self) -> Dict[str, Any]:',
    `        result: Dict[str, Any] = ${rest ? `dict(self.${rest} or {})` : '{}'}`,
    ...fields.flatMap((field) => write(field, naming)),
    '        return result',
    '',
    '    @staticmethod',
    `    def from_dict(data: Dict[str, Any]) -> ${name}:`,
    `        return ${name}(`,
    ...fields.map((field) => `            ${naming.field(field)}=${read(field, naming)},`),
    ...(rest ? [`            ${rest}=${membersBeside(fields)},`] : []),
    '        )',
  ];
}

const note = (text: string | undefined) => (text ? [`    # ${comment(text)}`] : []);

function declared(field: Field, naming: Naming): string {
  const type = typeOf(field.value, naming);
  if (field.isRequired) return `${naming.field(field)}: ${type}`;
  return `${naming.field(field)}: ${field.value.isNullable ? type : `Optional[${type}]`} = None`;
}

function write(field: Field, naming: Naming): string[] {
  const own = `self.${naming.field(field)}`;
  const isSure = !field.isRequired || !field.value.isNullable;
  const made = convert(field.value, own, isSure, (_type, at) => `${at}.to_dict()`);
  const set = `result[${quote(field.key)}] = ${made}`;
  return field.isRequired ? [`        ${set}`] : [`        if ${own} is not None:`, `            ${set}`];
}

function read({ key, value, isRequired }: Field, naming: Naming): string {
  const source = isRequired ? `data[${quote(key)}]` : `data.get(${quote(key)})`;
  const make: Make = (record, at) => `${naming.type(record)}.from_dict(${at})`;
  return convert(value, source, isRequired && !value.isNullable, make);
}

function membersBeside(fields: Field[]): string {
  if (fields.length === 0) return 'dict(data)';
  const keys = fields.map(({ key }) => `${quote(key)}, `).join('');
  return `{key: value for key, value in data.items() if key not in (${keys})}`;
}

type Make = (record: RecordType, at: string) => string;

/** The expression that converts the value at `at` to JSON, or from JSON. */
function convert(value: Value, at: string, isSure: boolean, make: Make, depth = 1): string {
  const made = convertSure(value, at, make, depth);
  return isSure || made === at ? made : `None if ${at} is None else ${made}`;
}

function convertSure(value: Value, at: string, make: Make, depth: number): string {
  if (value.kind === 'record') return make(value.record, at);
  if (value.kind !== 'list' && value.kind !== 'map') return at;
  const item = `v${depth}`;
  const made = convert(value.of, item, !value.of.isNullable, make, depth + 1);
  if (made === item) return at;
  if (value.kind === 'list') return `[${made} for ${item} in ${at}]`;
  return `{k${depth}: ${made} for k${depth}, ${item} in ${at}.items()}`;
}
