import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { formatNumber } from '../../components/formats.ts';
import type { Job } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';

/** What became of the uploads of a replay. */
export function ReplayOutcome({ job }: { job: Job }) {
  const result = job.result as Schemas['ReplayResult'] | undefined;
  if (!result) return null;
  const { stored, still_refused, repeated = 0 } = result;
  return (
    <Text size="sm">
      {words.refused.outcome(formatNumber(stored), formatNumber(still_refused))}
      {repeated > 0 && words.refused.repeated(formatNumber(repeated))}
    </Text>
  );
}
