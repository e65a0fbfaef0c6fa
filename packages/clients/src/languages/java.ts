import { camel, constant, createNames } from '../names.ts';
import type { Choice, Field, RecordType } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import type { Naming } from '../write/naming.ts';
import { createTypeOf } from '../write/type-of.ts';
import type { Language } from './language.ts';

const quote = literal.java;
const { typeOf } = createTypeOf({
  scalars: { string: 'String', integer: 'Long', number: 'Double', boolean: 'Boolean' },
  any: 'Object',
  list: (of) => `List<${of}>`,
  map: (of) => `Map<String, ${of}>`,
});
const primitives: Record<string, string> = { Long: 'long', Double: 'double', Boolean: 'boolean' };
const keywords = [
  ...'abstract assert boolean break byte case catch char class const continue default do double else'.split(
    ' ',
  ),
  ...'enum extends final finally float for goto if implements import instanceof int interface long'.split(
    ' ',
  ),
  ...'native new package private protected public return short static strictfp super switch'.split(' '),
  ...'synchronized this throw throws transient try void volatile while true false null'.split(' '),
  ...[
    'Object',
    'String',
    'Long',
    'Double',
    'Boolean',
    'Enum',
    'Record',
    'Uploader',
    'Types',
    'List',
    'Map',
    'LinkedHashMap',
  ],
  ...'JsonInclude JsonProperty JsonAnyGetter JsonAnySetter JsonValue Override'.split(' '),
];

export const java: Language = {
  name: 'Java',
  file: 'Uploader.java',
  source: 'java/src/main/java/Uploader.java',
  how: 'save it in your sources, and add com.fasterxml.jackson.core:jackson-databind:2.20.1 (Java 17)',
  comment: '//',
  program: {
    file: 'Send.java',
    run: 'java Send.java',
    lines: ({ baseUrl }) => [
      'var entry = new Uploader.Entry();',
      `try (var uploader = new Uploader(${quote(baseUrl)})) {`,
      '    uploader.send(entry);',
      '}',
    ],
  },
  habits: { field: camel, keywords },
  types: ({ records, choices }, naming) =>
    [
      ...records.flatMap((record) => classOf(record, naming)),
      ...choices.flatMap((choice) => enumOf(choice, naming)),
    ].map((line) => (line === '' ? '' : `    ${line}`)),
  constants: (domain, version) => [
    `    static final String DOMAIN = ${quote(domain)};`,
    `    static final int SCHEMA_VERSION = ${version};`,
  ],
  typesOnly: {
    file: 'Types.java',
    before: () => [
      'import com.fasterxml.jackson.annotation.*;',
      'import java.util.LinkedHashMap;',
      'import java.util.List;',
      'import java.util.Map;',
      '',
      'public final class Types {',
    ],
    after: ['    private Types() {}', '}'],
    usage: ['var entry = new Types.Entry();', 'new ObjectMapper().writeValueAsString(entry);'],
  },
};

function classOf(record: RecordType, naming: Naming): string[] {
  return [
    ...doc(record.description, ''),
    '@JsonInclude(JsonInclude.Include.NON_NULL)',
    `public static final class ${naming.type(record)} {`,
    ...record.fields
      .filter(hasName)
      .flatMap((field) => [
        ...doc(field.description, '    '),
        `    @JsonProperty(${quote(field.key)})`,
        ...(field.isRequired && field.value.isNullable
          ? ['    @JsonInclude(JsonInclude.Include.ALWAYS)']
          : []),
        `    public ${fieldType(field, naming)} ${naming.field(field)};`,
      ]),
    ...(record.isOpen || !record.fields.every(hasName)
      ? [
          '    @JsonAnyGetter',
          '    @JsonAnySetter',
          '    @JsonInclude(JsonInclude.Include.ALWAYS)',
          `    public Map<String, Object> ${naming.rest(record)} = new LinkedHashMap<>();`,
        ]
      : []),
    '}',
    '',
  ];
}

/** Jackson takes an empty name for none. */
const hasName = ({ key }: Field) => key !== '';

const doc = (text: string | undefined, indent: string) => (text ? [`${indent}/** ${comment(text)} */`] : []);

function fieldType({ value, isRequired }: Field, naming: Naming): string {
  const type = typeOf(value, naming);
  return (isRequired && !value.isNullable && primitives[type]) || type;
}

function enumOf(choice: Choice, naming: Naming): string[] {
  const names = createNames(keywords);
  const type = naming.type(choice);
  const constants = choice.values.map(
    (value) => `    ${names.take(constant(value, 'value'))}(${quote(value)})`,
  );
  return [
    `public enum ${type} {`,
    ...constants.map((line, at) => `${line}${at < constants.length - 1 ? ',' : ';'}`),
    '',
    `    @JsonValue`,
    '    public final String json;',
    '',
    `    ${type}(String json) {`,
    '        this.json = json;',
    '    }',
    '}',
    '',
  ];
}
