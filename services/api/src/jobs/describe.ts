import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import Type from 'typebox';
import { Success } from '../http/answers.ts';
import { overLimit } from '../http/route-parts.ts';
import { Named, Query } from '../http/schemas.ts';
import { JobAnswer, jobExamples } from './contract.ts';

const Text = Type.String();
const Binary = Type.String({ format: 'binary' });

// The schemas here only describe files and streams: what is sent is not made from them.

export const exportFile = {
  'text/csv': { schema: Text, example: 'createdAt,celsius\r\n2026-11-21T04:00:00.000Z,21.5\r\n' },
  'application/x-ndjson': {
    schema: Text,
    example: '{"createdAt":"2026-11-21T04:00:00.000Z","payload":{"celsius":21.5}}\n',
  },
  'application/vnd.apache.parquet': { schema: Binary },
  'application/zip': { schema: Binary },
};

const reportFile = {
  'application/x-ndjson': {
    schema: Text,
    example:
      '{"line":2,"name":"SchemaValidationError","message":"/celsius must be number","details":[{"path":"/celsius","keyword":"type","message":"must be number"}],"payload":{"celsius":"warm"}}\n',
  },
  'text/csv': {
    schema: Text,
    example:
      'line,name,message,path,payload\r\n2,SchemaValidationError,the payload does not conform,/celsius,"{""celsius"":""warm""}"\r\n',
  },
};

export const ReportQuery = Query({
  format: Type.Enum(['ndjson', 'csv'], {
    title: 'ReportFormat',
    default: 'ndjson',
    description:
      '`csv` has the columns line, name, message, path (that of the first detail) and payload. It has no ranges and no `Content-Length`.',
  }),
});

const rehearsalFile = {
  'application/x-ndjson': {
    schema: Text,
    example:
      '{"id":"0192f0c1a2b30a0b0c0d00000001","createdAt":"2026-11-21T04:00:00.000Z","name":"SchemaValidationError","message":"/celsius must be <= 60","details":[{"path":"/celsius","keyword":"maximum","message":"must be <= 60"}],"payload":{"celsius":61}}\n',
  },
};

/** A range of a file, which has the types of the file. */
export const partOf = (file: NonNullable<JobWords['file']>['content']) =>
  Object.fromEntries(Object.entries(file).map(([type, { schema }]) => [type, { schema }]));

/** An event, for clients that read events; a string, for those that read the stream as text. */
export const Events = Type.Union([
  Named('JobEvent', {
    event: Type.Enum(['progress', 'end'], { title: 'JobEventName' }),
    data: Type.String({ contentMediaType: 'application/json', contentSchema: JobAnswer }),
  }),
  Type.String(),
]);

/** The responses of a route that makes a job. */
export const madeJob = (kind: JobRecord['kind']) => ({
  202: Success(JobAnswer, 'The job is waiting.', jobExamples.waiting(kind)),
  ...overLimit,
});

interface JobWords {
  tag: string;
  /** In routes; absent: the kind in the plural. */
  path?: string;
  /** In names of operations; absent: the kind. */
  name?: string;
  retry: string;
  cancelled: string;
  file?: {
    download: { operationId: string; summary: string };
    about: string;
    content: typeof exportFile | typeof reportFile | typeof rehearsalFile;
    query?: typeof ReportQuery;
  };
}

/** The kinds with the routes of jobs. Runs are listed with their archive; the records of erasures stay. */
export type RoutedKind = Exclude<JobRecord['kind'], 'archive' | 'erasure'>;

/** Texts of the API's description about each kind of job. */
export const jobWords: Record<RoutedKind, JobWords> = {
  export: {
    tag: 'Exports',
    retry: 'The export resumes after the last part that was written. A streamed export cannot be retried.',
    cancelled: 'Nothing of its file is kept.',
    file: {
      download: { operationId: 'downloadExport', summary: 'Download the file of an export job' },
      about: 'The file is there once the job is completed.',
      content: exportFile,
    },
  },
  import: {
    tag: 'Imports',
    retry: 'Lines that are stored are not stored again.',
    cancelled:
      'Lines under way are stored first. Then the job is `cancelled`, and `accepted` is exactly what is stored.',
    file: {
      download: { operationId: 'downloadImportReport', summary: 'Download the report of an import job' },
      about: 'The report has the refused lines of a completed import, as NDJSON or CSV.',
      query: ReportQuery,
      content: reportFile,
    },
  },
  rehearsal: {
    tag: 'Schemas',
    retry: 'What is checked is not checked again.',
    cancelled:
      'Entries under way are checked first. Then the job is `cancelled`, and `progress.done` is exactly what was checked.',
    file: {
      download: { operationId: 'downloadRehearsal', summary: 'Download the file of a rehearsal job' },
      about: 'The file has what does not conform, as NDJSON.',
      content: rehearsalFile,
    },
  },
  replay: {
    tag: 'Refused uploads',
    retry: 'What is stored is not stored again.',
    cancelled: 'What is stored by then stays stored, and `result` is exactly that.',
  },
  deletion: {
    tag: 'Entries',
    retry: 'The deletion continues with the entries that are left.',
    cancelled: 'What is deleted by then stays deleted, and `progress.done` is exactly that.',
  },
  unique: {
    tag: 'Applications',
    path: 'unique',
    name: 'UniqueCheck',
    retry: 'The count continues where it stopped.',
    cancelled: '`result` has what was counted by then.',
  },
  verification: {
    tag: 'Archives',
    retry: 'The verification continues with the file at which it stopped.',
    cancelled: 'It changes nothing.',
  },
};
