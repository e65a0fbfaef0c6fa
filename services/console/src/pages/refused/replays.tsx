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
      {words.refused.outcome(stored, still_refused)}
      {repeated > 0 && words.refused.repeated(repeated)}
      {stored > 0 && <StoredLink job={job} stored={stored} />}
    </Text>
  );
}

/** Leads to the entries of the time of a replay. */
function StoredLink({ job: { createdAt, finishedAt }, stored }: { job: ListedJob; stored: number }) {
  const { domain } = useApplication();
  if (!finishedAt) return null;
  // The clocks of a replica and of MongoDB may differ.
  const from = new Date(Date.parse(createdAt) - skewMs).toISOString();
  const to = new Date(Date.parse(finishedAt) + skewMs).toISOString();
  return (
    <>
      {' · '}
      <Anchor
        component={Link}
        inherit
        to={`/applications/${domain}/entries?${new URLSearchParams({ from, to })}`}
      >
        {words.refused.seeStored(stored)}
      </Anchor>
    </>
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
