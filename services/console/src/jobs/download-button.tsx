import { client } from '../api/client.ts';
import { failureOf, RequestFailure } from '../api/failure.ts';
import { SmallButton } from '../components/buttons.tsx';
import { saveFile } from '../components/save-file.ts';
import { useApplication } from '../pages/application/use-application.ts';
import { words } from '../words/en.ts';
import { createDownload } from './download.ts';
import type { Jobs, ListedJob } from './jobs.ts';
import { transfers, useTransfer } from './transfers.ts';

type JobsWithFile = Exclude<Jobs, 'replays' | 'deletions'>;

type Format = 'csv' | undefined;

const transferOf = (id: string, format: Format) => (format ? `${id} ${format}` : id);

/** Downloads with the token, which a link could not send. */
function startDownload(
  domain: string,
  jobs: JobsWithFile,
  id: string,
  file: NonNullable<ListedJob['file']>,
  format: Format,
): void {
  const name = format ? file.name.replace(/\w+$/, format) : file.name;
  /** If the file is no longer the one with this hash, the answer is the whole new file. */
  async function open(bytes: number, signal: AbortSignal) {
    const { data, error, response } = await client.GET(`/api/applications/{domain}/${jobs}/{id}/file`, {
      params: { path: { domain, id }, query: format ? { format } : {} },
      parseAs: 'stream',
      headers: bytes > 0 ? { range: `bytes=${bytes}-`, 'if-range': `"${file.sha256}"` } : {},
      signal,
    });
    if (!data) throw failureOf(response, error);
    const body = data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
    return { body, isRest: response.status === 206 };
  }
  const download = createDownload(open);
  transfers.start(
    { id: transferOf(id, format), label: name, total: file.bytes, canResume: true },
    async (onBytes, signal) => {
      try {
        saveFile(await download.read(onBytes, signal), name);
      } catch (error) {
        throw error instanceof RequestFailure ? error : new Error(words.transfers.broken);
      }
    },
  );
}

interface Props {
  jobs: JobsWithFile;
  job: ListedJob;
  label: string;
  /** Of a report; absent: as it is stored. */
  format?: Format;
}

/** Downloads the file of a job; the tray of transfers shows how far it is. */
export function DownloadButton({ jobs, job: { id, file }, label, format }: Props) {
  const { domain } = useApplication();
  const transfer = useTransfer(transferOf(id, format));
  return (
    <SmallButton
      disabled={!file || transfer !== undefined}
      onClick={() => file && startDownload(domain, jobs, id, file, format)}
    >
      {transfer ? words.transfers.running : label}
    </SmallButton>
  );
}
