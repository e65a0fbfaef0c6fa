import { createNames, pascal, snake } from '../names.ts';
import type { Choice, Field, RecordType, Value } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import { createHoldsItself } from '../write/holds-itself.ts';
import type { Naming } from '../write/naming.ts';
import { createTypeOf } from '../write/type-of.ts';
import type { Language } from './language.ts';

const quote = literal.rust;
const any = 'serde_json::Value';
/** It may be null itself. */
const isAny = ({ kind }: Value) => kind === 'any' || kind === 'union';
const { plainType } = createTypeOf({
  scalars: { string: 'String', integer: 'i64', number: 'f64', boolean: 'bool' },
  any,
  list: (of) => `Vec<${of}>`,
  map: (of) => `std::collections::BTreeMap<String, ${of}>`,
  nullable: (type, value) => (isAny(value) ? type : `Option<${type}>`),
});
/** serde_json writes null for a number that is not finite. */
const checked = ', serialize_with = "finite"';
const helper = [
  '/// JSON has no NaN and no infinity.',
  'trait Finite {',
  '    fn is_finite(&self) -> bool;',
  '}',
  '',
  ...[
    ['f64', 'f64::is_finite(*self)'],
    ['Option<T>', 'self.iter().all(T::is_finite)'],
    ['Vec<T>', 'self.iter().all(T::is_finite)'],
    ['std::collections::BTreeMap<String, T>', 'self.values().all(T::is_finite)'],
  ].flatMap(([type = '', test]) => [
    `impl${type.includes('T>') ? '<T: Finite>' : ''} Finite for ${type} {`,
    '    fn is_finite(&self) -> bool {',
    `        ${test}`,
    '    }',
    '}',
    '',
  ]),
  'fn finite<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>',
  'where',
  '    T: Finite + serde::Serialize,',
  '    S: serde::Serializer,',
  '{',
  '    if !value.is_finite() {',
  '        return Err(serde::ser::Error::custom("JSON has no such number"));',
  '    }',
  '    value.serialize(serializer)',
  '}',
  '',
];
const hasNumbers = (value: Value): boolean =>
  value.kind === 'list' || value.kind === 'map' ? hasNumbers(value.of) : value.kind === 'number';

const keywords = [
  ...'as async await break const continue crate dyn else enum extern false fn for if impl in let loop'.split(
    ' ',
  ),
  ...'match mod move mut pub ref return self static struct super trait true type unsafe use where while'.split(
    ' ',
  ),
  ...'abstract become box do final gen macro override priv try typeof unsized virtual yield'.split(' '),
  ...[
    'Self',
    'Box',
    'Option',
    'String',
    'Vec',
    'Some',
    'None',
    'Ok',
    'Err',
    'Result',
    'Clone',
    'Debug',
    'Copy',
  ],
  ...['Default', 'PartialEq', 'Eq', 'Finite'],
];

export const rust: Language = {
  name: 'Rust',
  file: 'uploader.rs',
  source: 'rust/src/lib.rs',
  how: 'save it in src/, and run cargo add serde --features derive && cargo add serde_json ureq (Rust 1.95)',
  comment: '//',
  program: {
    file: 'src/main.rs',
    run: 'cargo run',
    lines: ({ baseUrl }) => [
      'mod uploader;',
      'use uploader::{Options, Uploader};',
      `let uploader = Uploader::new(Options { base_url: ${quote(baseUrl)}.into(), ..Options::default() })?;`,
      'uploader.send(&entry)?;',
      'uploader.close()?;',
    ],
  },
  habits: { field: snake, keywords },
  types({ records, choices }, naming) {
    const holdsItself = createHoldsItself();
    const lines = [
      ...records.flatMap((record) => structOf(record, naming, holdsItself)),
      ...choices.flatMap((choice) => enumOf(choice, naming)),
    ];
    return lines.some((line) => line.includes(checked)) ? [...lines, ...helper] : lines;
  },
  constants: (domain, version) => [
    `const DOMAIN: &str = ${quote(domain)};`,
    `const SCHEMA_VERSION: u32 = ${version};`,
  ],
  typesOnly: { file: 'entry.rs', before: () => [], after: [], usage: ['serde_json::to_string(&entry)?;'] },
};

function structOf(
  record: RecordType,
  naming: Naming,
  holdsItself: ReturnType<typeof createHoldsItself>,
): string[] {
  return [
    ...doc(record.description, ''),
    `#[derive(Clone, Debug${hasDefault(record) ? ', Default' : ''}, serde::Serialize, serde::Deserialize)]`,
    `pub struct ${naming.type(record)} {`,
    ...record.fields.flatMap((field) => [
      ...doc(field.description, '    '),
      `    #[serde(rename = ${quote(field.key)}${field.isRequired ? '' : ', skip_serializing_if = "Option::is_none"'}${hasNumbers(field.value) ? checked : ''})]`,
      `    pub ${naming.field(field)}: ${fieldType(field)},`,
    ]),
    ...(record.isOpen
      ? [
          '    #[serde(flatten)]',
          `    pub ${naming.rest(record)}: std::collections::BTreeMap<String, ${any}>,`,
        ]
      : []),
    '}',
    '',
  ];

  function fieldType({ value, isRequired }: Field): string {
    const isBoxed = value.kind === 'record' && holdsItself(record, value.record);
    const plain = plainType(value, naming);
    const type = isBoxed ? `Box<${plain}>` : plain;
    const isOptional = !isRequired || (value.isNullable && !isAny(value));
    return isOptional ? `Option<${type}>` : type;
  }
}

const doc = (text: string | undefined, indent: string) => (text ? [`${indent}/// ${comment(text)}`] : []);

function enumOf(choice: Choice, naming: Naming): string[] {
  const names = createNames(['Self']);
  return [
    '#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]',
    `pub enum ${naming.type(choice)} {`,
    ...choice.values.flatMap((value) => [
      `    #[serde(rename = ${quote(value)})]`,
      `    ${names.take(pascal(value, 'value'))},`,
    ]),
    '}',
    '',
  ];
}

/** Whether a record can be made without values. No value of a choice goes without saying. */
function hasDefault(record: RecordType, within: RecordType[] = []): boolean {
  const inner = [...within, record];
  return record.fields.every(
    ({ isRequired, value }: Field) =>
      !isRequired ||
      value.isNullable ||
      (value.kind !== 'choice' &&
        (value.kind !== 'record' || (!inner.includes(value.record) && hasDefault(value.record, inner)))),
  );
}
