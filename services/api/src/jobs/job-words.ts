import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import { exportFile, rehearsalFile, reportFile } from './describe-files.ts';

interface JobWords {
  tag: string;
  /** Ends the ids of its operations. */
  name: string;
  article: 'a' | 'an';
  retry: string;
  file?: {
    download: { operationId: string; summary: string };
    about: string;
    content: typeof exportFile | typeof reportFile;
  };
}

/** What the description of the API says of each kind of job. */
export const jobWords: Record<JobRecord['kind'], JobWords> = {
  export: {
    tag: 'Exports',
    name: 'Export',
    article: 'an',
    retry: 'The export resumes after the last part that was written. A streamed export cannot be retried.',
    file: {
      download: { operationId: 'downloadExport', summary: 'Download the file of an export job' },
      about: 'The file is there once the job is completed.',
      content: exportFile,
    },
  },
  import: {
    tag: 'Imports',
    name: 'Import',
    article: 'an',
    retry: 'Lines that are stored are not stored again.',
    file: {
      download: { operationId: 'downloadImportReport', summary: 'Download the report of an import job' },
      about: 'The report has the refused lines of a completed import, as NDJSON.',
      content: reportFile,
    },
  },
  rehearsal: {
    tag: 'Schemas',
    name: 'Rehearsal',
    article: 'a',
    retry: 'What is checked is not checked again.',
    file: {
      download: { operationId: 'downloadRehearsal', summary: 'Download the file of a rehearsal job' },
      about: 'The file has what does not conform, as NDJSON.',
      content: rehearsalFile,
    },
  },
  replay: {
    tag: 'Refused uploads',
    name: 'Replay',
    article: 'a',
    retry: 'What is stored is not stored again.',
  },
  deletion: {
    tag: 'Entries',
    name: 'Deletion',
    article: 'a',
    retry: 'The deletion continues with the entries that are left.',
  },
};
