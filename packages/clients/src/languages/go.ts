import { pascal } from '../names.ts';
import type { Choice, Field, RecordType, Value } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import { createHoldsItself } from '../write/holds-itself.ts';
import type { Naming } from '../write/naming.ts';
import { createTypeOf } from '../write/type-of.ts';
import { columns } from './go-columns.ts';
import { addsMembers, hasTag, helper, members } from './go-members.ts';
import type { Language } from './language.ts';

const quote = literal.go;
const hasNil = ({ kind }: Value) => ['list', 'map', 'any', 'union'].includes(kind);
const { typeOf } = createTypeOf({
  scalars: { string: 'string', integer: 'int64', number: 'float64', boolean: 'bool' },
  any: 'any',
  list: (of) => `[]${of}`,
  map: (of) => `map[string]${of}`,
  nullable: (type, value) => (hasNil(value) ? type : `*${type}`),
});

export const go: Language = {
  name: 'Go',
  file: 'uploader.go',
  source: 'go/uploader.go',
  how: 'save it in a folder uploader/ of your module; it needs nothing else (Go 1.24)',
  comment: '//',
  program: {
    file: 'main.go',
    run: 'go run .',
    lines: ({ baseUrl }) => [
      `client, err := uploader.New(uploader.Options{BaseURL: ${quote(baseUrl)}, Spool: "spool"})`,
      'err = client.Send(ctx, uploader.Entry{})',
      'if err := client.Close(ctx); err != nil {',
      '    log.Fatal(err)',
      '}',
    ],
  },
  habits: { field: pascal, keywords: ['MarshalJSON', 'UnmarshalJSON'] },
  types({ records, choices }, naming) {
    const holdsItself = createHoldsItself();
    return [
      ...records.flatMap((record) => [
        // gofmt takes the comment of a type for more than text if it begins like a list.
        ...note(record.description, '', `${naming.type(record)}: `),
        `type ${naming.type(record)} struct {`,
        ...columns([
          ...record.fields.map((field) => ({
            before: note(field.description, '\t'),
            cells: [naming.field(field), fieldType(record, field), `\`${tagOf(field)}\``],
          })),
          ...(record.isOpen ? [{ cells: [naming.rest(record), 'map[string]any', '`json:"-"`'] }] : []),
        ]),
        '}',
        '',
        ...(addsMembers(record) ? members(record, naming) : []),
      ]),
      ...choices.flatMap((choice) => choiceOf(choice, naming)),
      ...(records.some(addsMembers) ? helper : []),
    ];

    function fieldType(record: RecordType, { value, isRequired }: Field): string {
      const type = typeOf(value, naming);
      const isPointer = !isRequired || (value.kind === 'record' && holdsItself(record, value.record));
      return isPointer && !hasNil(value) && !type.startsWith('*') ? `*${type}` : type;
    }
  },
  constants: (domain, version) => [
    'const (',
    `\tDOMAIN         = ${quote(domain)}`,
    `\tSCHEMA_VERSION = ${version}`,
    ')',
  ],
  typesOnly: {
    file: 'entry.go',
    before: (types) => [
      'package entry',
      '',
      ...(types.some((line) => line.includes('json.')) ? ['import "encoding/json"', ''] : []),
    ],
    after: [],
    usage: ['text, err := json.Marshal(entry.Entry{})'],
  },
};

function note(text: string | undefined, indent: string, begin = ''): string[] {
  // gofmt makes other quotes of these.
  const line = comment(text ?? '').replace(/``|''/g, '"');
  return line === '' ? [] : [`${indent}// ${begin}${line}`];
}

/** `omitzero` keeps an empty list, `omitempty` would not. */
const tagOf = (field: Field) =>
  hasTag(field) ? `json:"${field.key}${field.isRequired ? '' : ',omitzero'}"` : 'json:"-"';

function choiceOf(choice: Choice, naming: Naming): string[] {
  const type = naming.type(choice);
  const constants = choice.values.map((value) => ({
    cells: [naming.take(`${type}${pascal(value, 'value')}`), type, `= ${quote(value)}`],
  }));
  return [`type ${type} string`, '', 'const (', ...columns(constants), ')', ''];
}
