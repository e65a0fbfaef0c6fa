import { Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Unread } from '../../components/loading.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { DownloadButton } from '../../jobs/download-button.tsx';
import type { ListedJob } from '../../jobs/jobs.ts';
import { parseExact, toLine, unshared } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

export function ImportOutcome({ job }: { job: ListedJob }) {
  const [isOpen, setIsOpen] = useState(false);
  const { accepted = 0, rejected = 0, file } = job;
  return (
    <>
      <Text>{words.imports.outcome(accepted, rejected)}</Text>
      {file && rejected > 0 && (
        <>
          <Group gap="xs">
            <SmallButton aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? words.imports.hideRefused : words.imports.showRefused}
            </SmallButton>
            <DownloadButton jobs="imports" job={job} label={words.imports.downloadReport} />
            <DownloadButton jobs="imports" job={job} label={words.imports.downloadCsvReport} format="csv" />
          </Group>
          {isOpen && <RefusedLines id={job.id} />}
        </>
      )}
    </>
  );
}

interface RefusedLine {
  line: number;
  message: string;
  details?: { path: string; message: string }[];
  payload: unknown;
}

const headBytes = 256 * 1024;
const mostLines = 100;

async function readReport(domain: string, id: string, signal: AbortSignal): Promise<RefusedLine[]> {
  const { data, error, response } = await client.GET('/api/applications/{domain}/imports/{id}/file', {
    params: { path: { domain, id } },
    headers: { range: `bytes=0-${headBytes - 1}` },
    parseAs: 'text',
    signal,
  });
  if (data === undefined) throw failureOf(response, error);
  // The text behind the last line break is empty, or only the beginning of a line.
  const lines = String(data).split('\n').slice(0, -1);
  return lines.slice(0, mostLines).map((line) => parseExact(line) as RefusedLine);
}

const sayDetail = ({ path, message }: { path: string; message: string }) => `${path} ${message}`.trim();

function RefusedLines({ id }: { id: string }) {
  const { domain } = useApplication();
  const { data, error, refetch } = useQuery({
    queryKey: ['report', domain, id],
    queryFn: ({ signal }) => readReport(domain, id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    ...unshared,
  });
  if (error || !data) return <Unread error={error} retry={refetch} />;
  return (
    <>
      <WideTable
        label={words.imports.refusedLines}
        head={words.imports.columns}
        rows={data.map(({ line, message, details = [], payload }) => ({
          key: line,
          cells: [
            line,
            details.map(sayDetail).join('; ') || message,
            <Code key="payload">{toLine(payload).slice(0, 200)}</Code>,
          ],
        }))}
      />
      {data.length === mostLines && <Text>{words.imports.firstLines(mostLines)}</Text>}
    </>
  );
}
