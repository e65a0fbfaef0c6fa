import { failureOf, RequestFailure } from '../../api/failure.ts';
import { queryClient } from '../../api/query-client.ts';
import { session } from '../../api/session.ts';
import { jobsQuery } from '../../jobs/jobs.ts';
import { transfers, useTransfer } from '../../jobs/transfers.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type FileType, fileTypes } from './preview.ts';

interface ImportChoices {
  file: File;
  type: FileType;
  /** Whether each line is an entry of an export, with its time. */
  isWrapped: boolean;
  /** Other names for columns of a CSV. */
  columns: string | undefined;
}

/** Sends a file and reports how much was sent, which `fetch` cannot. Throws RequestFailure. */
function sendFile(
  domain: string,
  { file, type, isWrapped, columns }: ImportChoices,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({ name: file.name });
  if (isWrapped && type !== 'csv') query.set('entries', 'wrapped');
  if (columns) query.set('columns', columns);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/applications/${domain}/imports?${query}`);
    request.responseType = 'json';
    request.setRequestHeader('authorization', `Bearer ${session.token()}`);
    request.setRequestHeader('content-type', fileTypes[type]);
    request.upload.onprogress = ({ loaded }) => onBytes(loaded);
    request.onload = () => {
      const { status, response } = request;
      if (status === 202) return resolve();
      const id = request.getResponseHeader('x-request-id');
      reject(failureOf(new Response(null, { status, headers: id ? { 'x-request-id': id } : {} }), response));
    };
    request.onerror = () => reject(new RequestFailure(words.imports.broken));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

/** Sends files to the application, one at a time, also while other pages are open. */
export function useSend() {
  const { domain } = useApplication();
  const id = `import ${domain}`;
  return {
    transfer: useTransfer(id),
    forget: () => transfers.drop(id),
    send: (choices: ImportChoices, onSent: () => void) =>
      transfers.start(
        { id, label: choices.file.name, total: choices.file.size, canResume: false },
        async (onBytes, signal) => {
          await sendFile(domain, choices, onBytes, signal);
          onSent();
          await queryClient.invalidateQueries(jobsQuery(domain, 'imports'));
        },
      ),
  };
}
