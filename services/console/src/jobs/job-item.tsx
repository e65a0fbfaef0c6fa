import { Badge, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { client, dataOf } from '../api/client.ts';
import { ActButton, SmallButton } from '../components/buttons.tsx';
import { formatDistance, formatTime } from '../components/formats.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import { useUndoable } from '../components/use-undoable.tsx';
import { useApplication } from '../pages/application/use-application.ts';
import { words } from '../words/en.ts';
import { isOver, type Jobs, type ListedJob, sayPace, sayProgress } from './jobs.ts';

const colors: Record<ListedJob['state'], string> = {
  waiting: 'gray',
  active: 'blue',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
};

/** What is known of any job, as parts of a line. */
const factsOf = (job: ListedJob): ReactNode[] => [
  ...(job.format ? [words.jobs.formats[job.format]] : []),
  <RelativeTime key="made" at={job.createdAt} />,
  ...sayPace(job),
  ...(job.expiresAt
    ? [
        <time key="expires" dateTime={job.expiresAt} title={formatTime(job.expiresAt)}>
          {words.jobs.expires(formatDistance(new Date(job.expiresAt), new Date()))}
        </time>,
      ]
    : []),
];

interface Props {
  jobs: Jobs;
  job: ListedJob;
  /** What else can be done with it. */
  actions?: ReactNode;
  /** Filter, period and columns of an export. */
  asked?: ReactNode;
  children: ReactNode;
}

/** The card of a job. `children` tell how it ended. */
export function JobItem({ jobs, job, actions, asked, children }: Props) {
  const { domain } = useApplication();
  const { done, total } = job.progress;
  const request = { params: { path: { domain, id: job.id } } };
  const remove = () => dataOf(client.DELETE(`/api/applications/{domain}/${jobs}/{id}`, request));
  const retry = () => dataOf(client.POST(`/api/applications/{domain}/${jobs}/{id}/retry`, request));
  const removal = useUndoable(remove, words.jobs.removed);
  if (removal.isUnderWay) return null;
  const name = [words.jobs.kinds[jobs], job.name ?? job.file?.name].filter(Boolean).join(' ');
  return (
    <Paper component="li" withBorder px="sm" py="xs">
      <Stack gap={4}>
        <Group justify="space-between" gap="xs">
          <Group gap="xs" miw={0}>
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            <Badge color={colors[job.state]} variant="dot" size="sm" tt="none">
              {words.jobs.states[job.state]}
            </Badge>
          </Group>
          <Group gap={4}>
            {isOver(job) && actions}
            {job.state === 'failed' && <ActButton act={retry}>{words.common.retry}</ActButton>}
            {isOver(job) ? (
              <SmallButton onClick={removal.begin}>{words.jobs.remove}</SmallButton>
            ) : (
              <ActButton act={remove}>{words.common.cancel}</ActButton>
            )}
          </Group>
        </Group>
        <Text size="xs" c="dimmed">
          {factsOf(job).map((fact, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: facts stay in their order
            <Fragment key={index}>
              {index > 0 && ' · '}
              {fact}
            </Fragment>
          ))}
        </Text>
        {asked}
        {!isOver(job) && (
          <Stack gap={4}>
            <Progress
              value={total > 0 ? (100 * done) / total : 0}
              animated
              aria-label={words.jobs.progress}
            />
            <Text>{sayProgress(job)}</Text>
          </Stack>
        )}
        {job.error && <Text c="var(--mantine-color-error)">{job.error}</Text>}
        {isOver(job) && children}
      </Stack>
    </Paper>
  );
}
