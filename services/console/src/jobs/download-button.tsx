import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { client } from '../api/client.ts';
import { ApiFailure, failureOf } from '../api/failure.ts';
import { SmallButton } from '../components/buttons.tsx';
import { formatBytes } from '../components/formats.ts';
import { useApplication } from '../pages/application/use-application.ts';
import { words } from '../words/en.ts';
import { createDownload, type Download } from './download.ts';
import type { Job, Jobs } from './jobs.ts';

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser has taken the file.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

interface Props {
  jobs: Exclude<Jobs, 'replays' | 'deletions'>;
  job: Job;
  label: string;
}

/** Downloads the file of a job with the token, which a link could not send. */
function useDownload({ jobs, job: { id, file } }: Props) {
  const { domain } = useApplication();
  const [state, setState] = useState({ isRunning: false, bytes: 0 });
  const [error, setError] = useState<Error>();
  const download = useRef<Download>(undefined);
  const aborter = useRef<AbortController>(undefined);
  const name = useRef('');
  useEffect(() => () => aborter.current?.abort(), []);

  /** If the file is no longer the one with this hash, the answer is the whole new file. */
  async function open(sha256: string | undefined, bytes: number, signal: AbortSignal) {
    const { data, error, response } = await client.GET(`/api/applications/{domain}/${jobs}/{id}/file`, {
      params: { path: { domain, id } },
      parseAs: 'stream',
      headers: bytes > 0 ? { range: `bytes=${bytes}-`, 'if-range': `"${sha256}"` } : {},
      signal,
    });
    if (!data) throw failureOf(response, error);
    name.current = /filename="(.+?)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? id;
    const body = data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
    return { body, isRest: response.status === 206 };
  }

  async function start(): Promise<void> {
    const sha256 = file?.sha256;
    download.current ??= createDownload((bytes, signal) => open(sha256, bytes, signal));
    aborter.current = new AbortController();
    const { signal } = aborter.current;
    setError(undefined);
    setState(({ bytes }) => ({ isRunning: true, bytes }));
    try {
      const blob = await download.current.read((bytes) => setState({ isRunning: true, bytes }), signal);
      save(blob, name.current);
      download.current = undefined;
      setState({ isRunning: false, bytes: 0 });
    } catch (failure) {
      if (!signal.aborted) setError(failure instanceof ApiFailure ? failure : new Error(words.jobs.broken));
      setState(({ bytes }) => ({ isRunning: false, bytes }));
    }
  }

  return { ...state, error, start, pause: () => aborter.current?.abort() };
}

/** Downloads the file of a job. After a pause or a broken connection the download resumes where it stopped. */
export function DownloadButton(props: Props) {
  const { isRunning, bytes, error, start, pause } = useDownload(props);
  const total = props.job.file?.bytes ?? 0;
  const hasBegun = isRunning || bytes > 0 || error !== undefined;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        {isRunning ? (
          <SmallButton onClick={pause}>{words.jobs.pause}</SmallButton>
        ) : (
          <Button size="xs" onClick={start}>
            {hasBegun ? words.jobs.resume : props.label}
          </Button>
        )}
        {hasBegun && <Text size="sm">{words.jobs.ofTotal(formatBytes(bytes), formatBytes(total))}</Text>}
      </Group>
      {hasBegun && <Progress value={(100 * bytes) / total} aria-label={words.jobs.download} />}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error.message}
        </Text>
      )}
    </Stack>
  );
}
