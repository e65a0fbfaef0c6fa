import { Anchor, type ButtonVariant, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { client, type Schemas } from '../../api/client.ts';
import { ActButton } from '../../components/buttons.tsx';
import { Cards } from '../../components/cards.tsx';
import { JobItem } from '../../jobs/job-item.tsx';
import { jobsQuery, type ListedJob } from '../../jobs/jobs.ts';
import { exactDataOf } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

const skewMs = 1_000;

interface Props {
  request: Schemas['ReplayRequest'];
  label: string;
  variant?: ButtonVariant;
  disabled?: boolean;
  onStarted?: (replayId: string) => void;
}

export async function startReplay(domain: string, body: Schemas['ReplayRequest']): Promise<string> {
  const init = { params: { path: { domain } }, body, parseAs: 'text' } as const;
  return (await exactDataOf<ListedJob>(client.POST('/api/applications/{domain}/replays', init))).id;
}

export function ReplayButton({ request, label, variant = 'filled', disabled = false, onStarted }: Props) {
  const { domain } = useApplication();
  return (
    <ActButton {...{ variant, disabled }} act={() => startReplay(domain, request).then(onStarted)}>
      {label}
    </ActButton>
  );
}

export function ReplayOutcome({ job }: { job: ListedJob }) {
  const result = job.result as Schemas['ReplayResult'] | undefined;
  if (!result) return null;
  const { stored, still_refused, repeated = 0 } = result;
  return (
    <Text>
      {stored > 0 && job.finishedAt ? (
        <StoredLink from={job.createdAt} to={job.finishedAt} stored={stored} />
      ) : (
        words.refused.stored(stored)
      )}
      {words.refused.outcome(still_refused)}
      {repeated > 0 && words.refused.repeated(repeated)}
    </Text>
  );
}

/** Leads to the entries that were stored while a replay ran. */
function StoredLink({ from, to, stored }: { from: string; to: string; stored: number }) {
  const { domain } = useApplication();
  // The clocks of a replica and of MongoDB may differ.
  const shifted = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
  const period = new URLSearchParams({ from: shifted(from, -skewMs), to: shifted(to, skewMs) });
  return (
    <Anchor component={Link} inherit underline="always" to={`/applications/${domain}/entries?${period}`}>
      {words.refused.seeStored(stored)}
    </Anchor>
  );
}

/** The replay that was just started, beside its group of uploads. */
export function StartedReplay({ id }: { id: string }) {
  const { domain } = useApplication();
  const { data } = useQuery(jobsQuery(domain, 'replays'));
  const job = data?.find((each) => each.id === id);
  if (!job) return null;
  return (
    <Cards aria-label={words.refused.started}>
      <JobItem jobs="replays" job={job}>
        <ReplayOutcome job={job} />
      </JobItem>
    </Cards>
  );
}
