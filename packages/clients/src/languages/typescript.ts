import { isObject } from '@sluice/schemas/schema.ts';
import { comment, literal } from '../texts.ts';
import { createTypeOf } from '../write/type-of.ts';
import type { Language } from './language.ts';

const quote = literal.typescript;
const { typeOf } = createTypeOf({
  scalars: { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' },
  // Numbers lose digits beyond 2^53.
  largeInteger: 'number | bigint',
  // JSON.stringify writes a Date as text; reading gives the text.
  formats: { 'date-time': 'Date | string' },
  any: 'unknown',
  list: (of) => `(${of})[]`.replace(/^\((\w+)\)/, '$1'),
  map: (of) => `{ [name: string]: ${of} }`,
  union: (kinds) => kinds.join(' | '),
  nullable: (type, { kind }) => (kind === 'any' ? type : `${type} | null`),
});

export const typescript: Language = {
  name: 'TypeScript',
  file: 'uploader.ts',
  source: 'typescript/uploader.ts',
  how: 'save it beside your code; it needs nothing else (Node.js 20 or a browser)',
  comment: '//',
  program: {
    file: 'send.ts',
    run: 'npx tsx send.ts (from Node.js 22.18 on: node send.ts), where package.json has "type": "module"',
    lines: ({ sample, baseUrl }) => [
      "import { Uploader } from './uploader.ts';",
      '',
      `const uploader = new Uploader({ baseUrl: ${quote(baseUrl)}, spool: "spool" });`,
      `await uploader.send(${json(sample)});`,
      'await uploader.close();',
    ],
  },
  // Fields have the names of the schema.
  habits: {
    field: (text) => text,
    keywords: ['Array', 'Date', 'Record', 'String', 'Number', 'Boolean', 'Object'],
  },
  types({ records, choices }, naming) {
    const lines = records.flatMap((record) => [
      ...doc(record.description, ''),
      `export interface ${naming.type(record)} {`,
      ...record.fields.flatMap((field) => [
        ...doc(field.description, '  '),
        `  ${keyOf(field.key)}${field.isRequired ? '' : '?'}: ${typeOf(field.value, naming)};`,
      ]),
      ...(record.isOpen ? ['  [name: string]: unknown;'] : []),
      '}',
      '',
    ]);
    const unions = choices.flatMap((choice) => [
      `export type ${naming.type(choice)} = ${choice.values.map(quote).join(' | ')};`,
      '',
    ]);
    return [...lines, ...unions];
  },
  constants: (domain, version) => [`const DOMAIN = ${quote(domain)};`, `const SCHEMA_VERSION = ${version};`],
  typesOnly: {
    file: 'entry.ts',
    before: () => [],
    after: [],
    usage: ["import type { Entry } from './entry.ts';"],
  },
};

const doc = (text: string | undefined, indent: string) => (text ? [`${indent}/** ${comment(text)} */`] : []);

const json = (value: unknown): string => {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(json).join(', ')}]`;
  return isObject(value)
    ? object(Object.entries(value).map(([key, one]) => [key, json(one)]))
    : String(value);
};

const object = (members: [key: string, text: string][]) =>
  members.length === 0 ? '{}' : `{ ${members.map(([key, text]) => `${keyOf(key)}: ${text}`).join(', ')} }`;

const keyOf = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key));
