import Type from 'typebox';
import { Job } from './contract.ts';

const Text = Type.String();
const Binary = Type.String({ format: 'binary' });

/** The file of an export, for the description of the API. */
export const exportFile = {
  'text/csv': { schema: Text, example: 'createdAt,celsius\r\n2026-11-21T04:00:00.000Z,21.5\r\n' },
  'application/x-ndjson': {
    schema: Text,
    example: '{"createdAt":"2026-11-21T04:00:00.000Z","payload":{"celsius":21.5}}\n',
  },
  'application/vnd.apache.parquet': { schema: Binary },
  'application/zip': { schema: Binary },
};

/** The report of an import. */
export const reportFile = {
  'application/x-ndjson': {
    schema: Text,
    example:
      '{"line":2,"name":"SchemaValidationError","message":"/celsius must be number","details":[{"path":"/celsius","keyword":"type","message":"must be number"}],"payload":{"celsius":"warm"}}\n',
  },
};

/** What does not conform in a rehearsal. */
export const rehearsalFile = {
  'application/x-ndjson': {
    schema: Text,
    example:
      '{"id":"0192f0c1a2b30a0b0c0d00000001","createdAt":"2026-11-21T04:00:00.000Z","name":"SchemaValidationError","message":"/celsius must be <= 60","details":[{"path":"/celsius","keyword":"maximum","message":"must be <= 60"}],"payload":{"celsius":61}}\n',
  },
};

/** A part of a file is described by the types of the whole. */
export const partOf = (file: typeof exportFile | typeof reportFile) =>
  Object.fromEntries(Object.entries(file).map(([type, { schema }]) => [type, { schema }]));

/** An event, or what clients see that read the stream as a text. Only described: what is sent is not made from it. */
export const Events = Type.Union([
  Type.Object(
    {
      event: Type.Enum(['progress', 'end'], { title: 'JobEventName' }),
      data: Type.String({ contentMediaType: 'application/json', contentSchema: Job }),
    },
    { title: 'JobEvent' },
  ),
  Type.String(),
]);
