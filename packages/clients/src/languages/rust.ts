import { snake } from '../names.ts';
import type { Choice, Field, RecordType, Value } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import { createHoldsItself } from '../write/holds-itself.ts';
import type { Naming } from '../write/naming.ts';
import { createTypeOf } from '../write/type-of.ts';
import type { Language } from './language.ts';
import { isAny, isOption, programLines, variantsOf } from './rust-program.ts';

const quote = literal.rust;
const any = 'serde_json::Value';
const { plainType } = createTypeOf({
  scalars: { string: 'String', integer: 'i64', number: 'f64', boolean: 'bool' },
  any,
  list: (of) => `Vec<${of}>`,
  map: (of) => `Map<${of}>`,
  nullable: (type, value) => (isAny(value) ? type : `Option<${type}>`),
});
const mapAlias = [
  '/// An object with members of any names.',
  'pub type Map<T> = std::collections::BTreeMap<String, T>;',
  '',
];
/** serde_json writes null for a number that is not finite. */
const checked = 'serialize_with = "finite"';
const finiteHelper = [
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
  '        return Err(serde::ser::Error::custom(',
  '            "an entry cannot hold NaN or Infinity",',
  '        ));',
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
    'Hash',
  ],
  ...['Default', 'PartialEq', 'Eq', 'Finite', 'Map'],
];

export const rust: Language = {
  name: 'Rust',
  file: 'uploader.rs',
  source: 'rust/src/lib.rs',
  how: 'save it in src/, and run cargo add serde --features derive && cargo add serde_json ureq flate2 webpki-root-certs (Rust 1.89)',
  comment: '//',
  program: {
    file: 'src/main.rs',
    run: 'cargo run',
    lines: programLines,
  },
  habits: { field: snake, keywords },
  types({ records, choices }, naming) {
    const holdsItself = createHoldsItself();
    const lines = [
      ...records.flatMap((record) => structOf(record, naming, holdsItself)),
      ...choices.flatMap((choice) => enumOf(choice, naming)),
    ];
    if (lines.some((line) => /(?<!:)\bMap</.test(line))) lines.push(...mapAlias);
    if (lines.some((line) => line.includes(checked))) lines.push(...finiteHelper);
    return lines;
  },
  constants: (domain, version) => [
    `const DOMAIN: Option<&str> = Some(${quote(domain)});`,
    `const SCHEMA_VERSION: Option<u32> = Some(${version});`,
  ],
  typesOnly: { file: 'entry.rs', before: () => [], after: [], usage: ['serde_json::to_string(&entry)?;'] },
};

function structOf(
  record: RecordType,
  naming: Naming,
  holdsItself: ReturnType<typeof createHoldsItself>,
): string[] {
  const members = [
    ...record.fields.flatMap((field) => [
      ...doc(field.description, '    '),
      ...serde(
        ...(naming.field(field) === field.key ? [] : [`rename = ${quote(field.key)}`]),
        ...(field.isRequired ? [] : ['skip_serializing_if = "Option::is_none"']),
        ...(hasNumbers(field.value) ? [checked] : []),
      ),
      ...member(naming.field(field), fieldType(field)),
    ]),
    ...(record.isClosed
      ? []
      : [...serde('flatten'), ...member(naming.rest(record), `serde_json::Map<String, ${any}>`)]),
  ];
  const begin = `pub struct ${naming.type(record)} {`;
  return [
    ...doc(record.description, ''),
    `#[derive(Clone, Debug, ${hasDefault(record) ? 'Default, ' : ''}PartialEq, serde::Serialize, serde::Deserialize)]`,
    ...(members.length === 0 ? [`${begin}}`] : [begin, ...members, '}']),
    '',
  ];

  function fieldType(field: Field): string {
    const { value } = field;
    const isBoxed = value.kind === 'record' && holdsItself(record, value.record);
    const plain = plainType(value, naming);
    const type = isBoxed ? `Box<${plain}>` : plain;
    return isOption(field) ? `Option<${type}>` : type;
  }
}

/** An attribute of a member, as rustfmt writes it. */
function serde(...parts: string[]): string[] {
  const line = parts.join(', ');
  if (parts.length === 0) return [];
  if (line.length <= 70 || parts.length === 1) return [`    #[serde(${line})]`];
  return [
    '    #[serde(',
    ...parts.map((part, at) => `        ${part}${at + 1 < parts.length ? ',' : ''}`),
    '    )]',
  ];
}

function member(name: string, type: string): string[] {
  const line = `    pub ${name}: ${type},`;
  return line.length <= 100 ? [line] : [`    pub ${name}:`, `        ${type},`];
}

const doc = (text: string | undefined, indent: string) => (text ? [`${indent}/// ${comment(text)}`] : []);

function enumOf(choice: Choice, naming: Naming): string[] {
  return [
    '#[derive(',
    '    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,',
    ')]',
    `pub enum ${naming.type(choice)} {`,
    ...[...variantsOf(choice)].flatMap(([value, name], at) => [
      ...(at === 0 ? ['    #[default]'] : []),
      ...serde(`rename = ${quote(value)}`),
      `    ${name},`,
    ]),
    '}',
    '',
  ];
}

/** Whether a record can be made without values: a choice is then its first one, as a number is 0. */
function hasDefault(record: RecordType, within: RecordType[] = []): boolean {
  const inner = [...within, record];
  return record.fields.every(
    ({ isRequired, value }: Field) =>
      !isRequired ||
      value.isNullable ||
      value.kind !== 'record' ||
      (!inner.includes(value.record) && hasDefault(value.record, inner)),
  );
}
