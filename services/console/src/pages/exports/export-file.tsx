import { Code, Group, Text } from '@mantine/core';
import { CopyText } from '../../components/copy-text.tsx';
import { formatBytes, formatNumber, formatTime } from '../../components/formats.ts';
import { DownloadButton } from '../../jobs/download-button.tsx';
import type { Job } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';

/** What is known of the file of an export, and its download. */
export function ExportFile({ domain, job }: { domain: string; job: Job }) {
  const { file } = job;
  if (!file) return null;
  const { rows, bytes, sha256, firstCreatedAt, lastCreatedAt, deleted_meanwhile } = file;
  return (
    <>
      <Text size="sm">
        {words.exports.rows(rows, formatNumber(rows))} · {formatBytes(bytes)}
        {firstCreatedAt &&
          lastCreatedAt &&
          ` · ${words.exports.period(formatTime(new Date(firstCreatedAt)), formatTime(new Date(lastCreatedAt)))}`}
      </Text>
      {deleted_meanwhile && <Text size="sm">{words.exports.deletedMeanwhile}</Text>}
      <Group gap="xs">
        <Text size="sm">SHA-256</Text>
        <Code style={{ overflowWrap: 'anywhere' }}>{sha256}</Code>
        <CopyText text={sha256} label={words.exports.copyChecksum} />
      </Group>
      <DownloadButton domain={domain} jobs="exports" job={job} label={words.jobs.download} />
    </>
  );
}
