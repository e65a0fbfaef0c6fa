import { Code, Group, Text } from '@mantine/core';
import { CopyText } from '../../components/copy-text.tsx';
import { formatBytes, formatTime } from '../../components/formats.ts';
import type { ListedJob } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';

const shownDigits = 12;

export function ExportFile({ job }: { job: ListedJob }) {
  if (!job.file) return null;
  const { bytes, sha256, firstCreatedAt: first, lastCreatedAt: last, deleted_meanwhile } = job.file;
  return (
    <>
      <Text>
        {formatBytes(bytes)}
        {first && last && ` · ${words.exports.period(formatTime(first), formatTime(last))}`}
      </Text>
      {deleted_meanwhile && <Text>{words.exports.deletedMeanwhile}</Text>}
      <Group gap="xs">
        <Text size="xs">SHA-256</Text>
        <Code title={sha256}>{sha256.slice(0, shownDigits)}…</Code>
        <CopyText text={sha256} label={words.exports.copyChecksum} />
      </Group>
    </>
  );
}
