import type { Meta } from '@sluice/tables/columns.ts';
import type { SchemaElement } from 'hyparquet-writer';
import type { FileColumns, Leaf, LeafKind, Node } from './nodes.ts';

/** A string for JSON text too: some readers make bytes of Parquet's own type for it. */
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
const scalars: Record<LeafKind, Partial<SchemaElement>> = {
  string: text,
  json: text,
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};
const ofEntry: Record<Meta, Partial<SchemaElement>> = { id: text, schema_version: { type: 'INT32' } };
const createdAt = {
  type: 'INT64',
  repetition_type: 'REQUIRED',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const;
const json: Leaf = { kind: 'json' };

/** The elements of each column of a file, in the order of Parquet: each followed by those within it. */
export function schemaElements({ time, meta = [], tree, others, rest }: FileColumns): SchemaElement[][] {
  return [
    ...(time === undefined ? [] : [[{ name: time, ...createdAt }]]),
    ...meta.map((name): SchemaElement[] => [{ name, repetition_type: 'REQUIRED', ...ofEntry[name] }]),
    ...[...tree.fields.values(), ...others].map(({ name, node }) => elements(name, node)),
    ...(rest === undefined ? [] : [elements(rest, json)]),
  ];
}

function elements(name: string, node: Node): SchemaElement[] {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL' };
  if (node.kind === 'struct') {
    const fields = [...node.fields.values()].map((field) => elements(field.name, field.node));
    if (node.extra) fields.push(elements(node.extra, json));
    return [{ ...element, num_children: fields.length }, ...fields.flat()];
  }
  if (node.kind === 'list') {
    return [
      { ...element, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elements('element', node.item),
    ];
  }
  return [{ ...element, ...scalars[node.kind] }];
}
