import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { formatBytes } from '../components/formats.ts';
import { words } from '../words/en.ts';
import type { Job, JobsWithFile } from './jobs.ts';
import { useDownload } from './use-download.ts';

interface Props {
  domain: string;
  jobs: JobsWithFile;
  job: Job;
  /** What the button says. */
  label: string;
}

/** Downloads the file of a job; after a pause or a broken connection it continues where it was. */
export function DownloadButton({ domain, jobs, job, label }: Props) {
  const { isRunning, bytes, error, start, pause } = useDownload(domain, jobs, job);
  const total = job.file?.bytes ?? 0;
  const hasBegun = isRunning || bytes > 0 || error !== undefined;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        {isRunning ? (
          <Button size="xs" variant="default" onClick={pause}>
            {words.jobs.pause}
          </Button>
        ) : (
          <Button size="xs" onClick={start}>
            {hasBegun ? words.jobs.resume : label}
          </Button>
        )}
        {hasBegun && <Text size="sm">{words.jobs.ofBytes(formatBytes(bytes), formatBytes(total))}</Text>}
      </Group>
      {hasBegun && <Progress value={(100 * bytes) / total} aria-label={words.jobs.downloading} />}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error.message}
        </Text>
      )}
    </Stack>
  );
}
