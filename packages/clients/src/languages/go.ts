import type { Choice, Field, RecordType } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import type { Naming } from '../write/naming.ts';
import { columns } from './go-columns.ts';
import { dateTimeHelper, pointerHelper } from './go-helpers.ts';
import { withLock } from './go-lock.ts';
import { addsMembers, hasRest, hasTag, helper, members } from './go-members.ts';
import { goName } from './go-names.ts';
import { program } from './go-program.ts';
import { createIsPointerField, inside } from './go-types.ts';
import type { Language } from './language.ts';

const quote = literal.go;

export const go: Language = {
  name: 'Go',
  file: 'uploader.go',
  source: 'go/uploader.go',
  how: 'save it as uploader/uploader.go in your module, such as one of `go mod init app`; it needs nothing else (Go 1.24)',
  comment: '//',
  program: { file: 'main.go', run: 'go run .', lines: program },
  habits: {
    type: goName,
    field: goName,
    keywords: ['MarshalJSON', 'UnmarshalJSON'],
    reserved: ['Ptr', 'DateTime', 'NewDateTime'],
  },
  complete: (template, { os }) => withLock(template, os ?? 'unix'),
  types({ records, choices }, naming) {
    const isPointerField = createIsPointerField();
    const structs = records.flatMap((record) => [
      ...note(record.description, '', `${naming.type(record)} is an object of the schema`),
      `type ${naming.type(record)} struct {`,
      ...columns([
        ...record.fields.map((field) => ({
          before: note(field.description, '\t'),
          cells: [naming.field(field), typeIn(record, field), `\`${tagOf(field)}\``],
        })),
        ...(hasRest(record) ? [{ cells: [naming.rest(record), 'map[string]any', '`json:"-"`'] }] : []),
      ]),
      '}',
      '',
      ...(addsMembers(record) ? members(record, naming) : []),
    ]);
    return [
      ...structs,
      ...choices.flatMap((choice) => choiceOf(choice, naming)),
      ...(structs.some((line) => /^\t\w+ +[^`]*\*/.test(line)) ? pointerHelper : []),
      ...(structs.some((line) => /\bDateTime\b/.test(line)) ? dateTimeHelper : []),
      ...(records.some(addsMembers) ? helper : []),
    ];

    function typeIn(record: RecordType, field: Field): string {
      const { typeOf, plainType } = inside;
      return isPointerField(record, field)
        ? `*${plainType(field.value, naming)}`
        : typeOf(field.value, naming);
    }
  },
  constants: (domain, version) => [
    'const (',
    '\t// Domain is the application, unless the options name another.',
    `\tDomain = ${quote(domain)}`,
    '\t// SchemaVersion is the version of the schema that the types were made from.',
    `\tSchemaVersion = ${version}`,
    ')',
  ],
  typesOnly: {
    file: 'entry.go',
    before: (types) => [
      '// Package entry has the types of entries.',
      'package entry',
      '',
      ...importsOf(types),
    ],
    after: [],
    usage: ['text, err := json.Marshal(entry.Entry{})'],
  },
};

function importsOf(types: string[]): string[] {
  const used = ['bytes', 'encoding/json', 'fmt', 'time'].filter((path) =>
    types.some((line) => line.includes(`${path.split('/').at(-1)}.`)),
  );
  return used.length > 0 ? ['import (', ...used.map((path) => `\t${quote(path)}`), ')', ''] : [];
}

/** A comment of one line: `begin`, which linters want, then the text. */
function note(text: string | undefined, indent: string, begin = ''): string[] {
  // gofmt makes other quotes of these.
  const line = comment(text ?? '').replace(/``|''/g, '"');
  if (line === '') return begin === '' ? [] : [`${indent}// ${begin}.`];
  return [`${indent}// ${begin}${begin === '' ? '' : ': '}${line}`];
}

/** `omitzero` keeps an empty list, `omitempty` would not. */
const tagOf = (field: Field) =>
  hasTag(field) ? `json:"${field.key}${field.isRequired ? '' : ',omitzero'}"` : 'json:"-"';

function choiceOf(choice: Choice, naming: Naming): string[] {
  const type = naming.type(choice);
  const constants = choice.values.map((value) => ({
    cells: [naming.take(`${type}${goName(value, 'value')}`), type, `= ${quote(value)}`],
  }));
  return [
    `// ${type} is one of these strings.`,
    `type ${type} string`,
    '',
    `// The values of ${type}.`,
    'const (',
    ...columns(constants),
    ')',
    '',
  ];
}
