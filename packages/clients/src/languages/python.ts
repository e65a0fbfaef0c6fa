import { isObject } from '@sluice/schemas/schema.ts';
import { snake } from '../names.ts';
import { literal } from '../texts.ts';
import { type Literals, literalOf } from '../write/literal-of.ts';
import type { Language, Sending } from './language.ts';
import { choiceOf, classOf, timesOf } from './python-types.ts';

const quote = literal.python;

export const python: Language = {
  name: 'Python',
  file: 'uploader.py',
  source: 'python/sluice_uploader/__init__.py',
  how: 'save it beside your code; it needs nothing else (Python 3.10)',
  comment: '#',
  program: {
    file: 'send.py',
    run: 'python3 send.py',
    lines: programOf,
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
      ...'staticmethod dataclass DateTime'.split(' '),
    ],
  },
  types: ({ records, choices }, naming) => [
    ...choices.flatMap((choice) => choiceOf(choice, naming)),
    ...(choices.length > 0 ? ['', ''] : ['']),
    ...timesOf(records),
    ...records.flatMap((record) => [...classOf(record, naming), '', '']),
  ],
  constants: (domain, version) => [
    `DOMAIN: str | None = ${quote(domain)}`,
    `SCHEMA_VERSION: int | None = ${version}`,
  ],
  typesOnly: {
    file: 'entry.py',
    before: (types) => {
      const isUsed = (name: string) => types.some((line) => line.includes(name));
      return [
        '"""The types of an application."""',
        '',
        'from __future__ import annotations',
        '',
        ...(isUsed('_datetime.') ? ['import datetime as _datetime'] : []),
        ...(isUsed('re.fullmatch(') ? ['import re'] : []),
        'from dataclasses import dataclass',
        `from typing import TYPE_CHECKING, Any${isUsed('= Literal[') ? ', Literal' : ''}`,
        '',
        'if TYPE_CHECKING:',
        '    from collections.abc import Mapping',
        '',
      ];
    },
    after: [],
    usage: ['from entry import Entry', 'entry = Entry.from_dict(dictionary)'],
  },
};

function programOf({ entry, sample, naming, baseUrl }: Sending): string[] {
  const types = new Set(['Uploader']);
  const times = new Set<string>();
  const literals: Literals = {
    scalar(_kind, value, format) {
      if (format !== 'date' && format !== 'date-time') return json(value);
      times.add(format);
      return format === 'date' ? 'date.today()' : 'datetime.now(timezone.utc)';
    },
    choice: (_choice, value) => quote(value),
    any: json,
    list: (items) => `[${items.join(', ')}]`,
    emptyMap: () => '{}',
    record(record, members) {
      types.add(naming.type(record));
      return `${naming.type(record)}(${members.map(({ field, text }) => `${naming.field(field)}=${text}`).join(', ')})`;
    },
  };
  const made = literalOf(literals, { kind: 'record', record: entry }, sample);
  const names = [
    ...(times.has('date') ? ['date'] : []),
    ...(times.has('date-time') ? ['datetime', 'timezone'] : []),
  ];
  return [
    ...(names.length > 0 ? [`from datetime import ${names.join(', ')}`, ''] : []),
    `from uploader import ${[...types].sort().join(', ')}`,
    '',
    `with Uploader(${quote(baseUrl)}, spool="spool") as uploader:`,
    `    uploader.send(${made})`,
  ];
}

function json(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(json).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([key, one]) => `${quote(key)}: ${json(one)}`);
  return `{${members.join(', ')}}`;
}
