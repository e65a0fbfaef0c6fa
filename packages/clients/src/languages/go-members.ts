import type { Field, RecordType } from '../schema/model.ts';
import { literal } from '../texts.ts';
import type { Naming } from '../write/naming.ts';

const quote = literal.go;

/** `encoding/json` ignores a tag of other characters. */
export const hasTag = ({ key }: Field) =>
  key !== '-' && /^[A-Za-z0-9!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/.test(key);

/** Whether a record may have members without a field. */
export const hasRest = ({ isOpen, isClosed }: RecordType) => isOpen || !isClosed;

/** Whether a record has members that a tag cannot name. */
export const addsMembers = (record: RecordType) => hasRest(record) || !record.fields.every(hasTag);

/** The methods that write and read the members that tags cannot name. */
export function members(record: RecordType, naming: Naming): string[] {
  const type = naming.type(record);
  const untagged = record.fields.filter((field) => !hasTag(field));
  const rest = hasRest(record) ? `entry.${naming.rest(record)}` : undefined;
  const own = record.fields.map((field) => `${quote(field.key)}: &entry.${naming.field(field)}`);
  return [
    '// MarshalJSON writes also the members that no tag names.',
    `func (entry ${type}) MarshalJSON() ([]byte, error) {`,
    `\ttype plain ${type}`,
    ...(untagged.length > 0 ? gathered(untagged, naming, rest) : []),
    `\treturn writeMembers(plain(entry), ${untagged.length > 0 ? 'more' : rest})`,
    '}',
    '',
    '// UnmarshalJSON reads also the members that no tag names.',
    `func (entry *${type}) UnmarshalJSON(text []byte) (err error) {`,
    `\t${rest ?? '_'}, err = readMembers(text, map[string]any{${own.join(', ')}})`,
    '\treturn err',
    '}',
    '',
  ];
}

const gathered = (untagged: Field[], naming: Naming, rest: string | undefined) => [
  '\tmore := map[string]any{}',
  ...(rest ? [`\tfor name, value := range ${rest} {`, '\t\tmore[name] = value', '\t}'] : []),
  ...untagged.flatMap((field) => {
    const own = `entry.${naming.field(field)}`;
    const set = `more[${quote(field.key)}] = ${own}`;
    return field.isRequired ? [`\t${set}`] : [`\tif ${own} != nil {`, `\t\t${set}`, '\t}'];
  }),
];

export const helper = [
  '// Writes an object, and further members behind those of its fields.',
  'func writeMembers(object any, more map[string]any) ([]byte, error) {',
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
  '// Reads the members of an object into fields. Returns those that have no field; numbers keep their digits.',
  'func readMembers(text []byte, fields map[string]any) (map[string]any, error) {',
  '\tvar found map[string]json.RawMessage',
  '\tif err := json.Unmarshal(text, &found); err != nil {',
  '\t\treturn nil, err',
  '\t}',
  '\trest := map[string]any{}',
  '\tfor name, value := range found {',
  '\t\tif field := fields[name]; field != nil {',
  '\t\t\tif err := json.Unmarshal(value, field); err != nil {',
  '\t\t\t\treturn nil, fmt.Errorf("%s: %w", name, err)',
  '\t\t\t}',
  '\t\t\tcontinue',
  '\t\t}',
  '\t\tvar other any',
  '\t\tdecoder := json.NewDecoder(bytes.NewReader(value))',
  '\t\tdecoder.UseNumber()',
  '\t\tif err := decoder.Decode(&other); err != nil {',
  '\t\t\treturn nil, err',
  '\t\t}',
  '\t\trest[name] = other',
  '\t}',
  '\treturn rest, nil',
  '}',
  '',
];
