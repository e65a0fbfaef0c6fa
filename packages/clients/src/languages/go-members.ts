import type { Field, RecordType } from '../schema/model.ts';
import { literal } from '../texts.ts';
import type { Naming } from '../write/naming.ts';

const quote = literal.go;

/** `encoding/json` ignores a tag of other characters. */
export const hasTag = ({ key }: Field) =>
  key !== '-' && /^[A-Za-z0-9!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/.test(key);

/** Whether a record has members that a tag cannot name. */
export const addsMembers = ({ fields, isOpen }: RecordType) => isOpen || !fields.every(hasTag);

/** The methods that write and read the members that tags cannot name. */
export function members(record: RecordType, naming: Naming): string[] {
  const type = naming.type(record);
  const untagged = record.fields.filter((field) => !hasTag(field));
  const rest = record.isOpen ? naming.rest(record) : undefined;
  return [
    `func (entry ${type}) MarshalJSON() ([]byte, error) {`,
    `\ttype plain ${type}`,
    '\tmore := map[string]any{}',
    ...(rest ? [`\tfor key, value := range entry.${rest} {`, '\t\tmore[key] = value', '\t}'] : []),
    ...untagged.flatMap((field) => {
      const own = `entry.${naming.field(field)}`;
      const set = `more[${quote(field.key)}] = ${own}`;
      return field.isRequired ? [`\t${set}`] : [`\tif ${own} != nil {`, `\t\t${set}`, '\t}'];
    }),
    '\treturn withMembers(plain(entry), more)',
    '}',
    '',
    `func (entry *${type}) UnmarshalJSON(text []byte) error {`,
    `\ttype plain ${type}`,
    '\tif err := json.Unmarshal(text, (*plain)(entry)); err != nil {',
    '\t\treturn err',
    '\t}',
    '\tvar found map[string]json.RawMessage',
    '\tif err := json.Unmarshal(text, &found); err != nil {',
    '\t\treturn err',
    '\t}',
    ...untagged.flatMap((field) => [
      `\tif own, ok := found[${quote(field.key)}]; ok {`,
      `\t\tif err := json.Unmarshal(own, &entry.${naming.field(field)}); err != nil {`,
      '\t\t\treturn err',
      '\t\t}',
      '\t}',
    ]),
    ...(rest ? readRest(record, rest) : []),
    '\treturn nil',
    '}',
    '',
  ];
}

const readRest = ({ fields }: RecordType, rest: string) => [
  ...fields.map(({ key }) => `\tdelete(found, ${quote(key)})`),
  `\tentry.${rest} = map[string]any{}`,
  '\tfor key, own := range found {',
  '\t\tvar value any',
  '\t\tif err := json.Unmarshal(own, &value); err != nil {',
  '\t\t\treturn err',
  '\t\t}',
  `\t\tentry.${rest}[key] = value`,
  '\t}',
];

export const helper = [
  '// withMembers writes an object, and further members behind those of its fields.',
  'func withMembers(object any, more map[string]any) ([]byte, error) {',
  '\ttext, err := json.Marshal(object)',
  '\tif err != nil || len(more) == 0 {',
  '\t\treturn text, err',
  '\t}',
  '\tadded, err := json.Marshal(more)',
  '\tif err != nil || len(text) == len("{}") {',
  '\t\treturn added, err',
  '\t}',
  "\ttext[len(text)-1] = ','",
  '\treturn append(text, added[1:]...), nil',
  '}',
  '',
];
