import { Anchor, Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { read, type Schemas } from '../../api/client.ts';
import { groupsQuery, waitingIn } from '../../api/refused.ts';
import { webhooksQuery } from '../../api/webhooks.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { isOver, jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { usageQuery } from './queries.ts';

type State = 'well' | 'failing' | 'unused';

const colors = { well: 'teal', failing: 'yellow', unused: 'gray' };

/** How a part of an application is, in a row that leads to its page. */
function Part({
  of,
  state,
  children,
}: {
  of: 'refused' | 'jobs' | 'webhooks' | 'archive';
  state: State;
  children: ReactNode;
}) {
  const { domain } = useApplication();
  return (
    <li>
      <Anchor component={Link} to={`/applications/${domain}/${of === 'webhooks' ? 'settings' : of}`} fz="sm">
        {words.overview.parts[of]}
      </Anchor>
      <Badge color={colors[state]} variant="dot" size="sm" tt="none">
        {words.overview.states[state]}
      </Badge>
      <Text>{children}</Text>
    </li>
  );
}

const stateOf = (count: number, failing: number): State => {
  if (failing > 0) return 'failing';
  return count > 0 ? 'well' : 'unused';
};

/** Whether the parts of an application work. */
export function Health() {
  const isEditor = useMay('editor');
  return (
    <Section title={words.overview.health}>
      <ul className="parts">
        {isEditor && <Refused />}
        <Jobs />
        {isEditor && <Webhooks />}
        {isEditor && <Archives />}
      </ul>
    </Section>
  );
}

function Refused() {
  const { data } = useQuery(groupsQuery(useApplication().domain));
  if (!data) return null;
  const waiting = waitingIn(data);
  return (
    <Part of="refused" state={waiting > 0 ? 'failing' : 'well'}>
      {waiting > 0 ? words.layout.waiting(waiting) : words.overview.noneWaits}
    </Part>
  );
}

const dayMs = 86_400_000;
const isRecent = ({ createdAt }: { createdAt: string }) => Date.now() - Date.parse(createdAt) < dayMs;

function Jobs() {
  const { domain } = useApplication();
  const isEditor = useMay('editor');
  const { data: usage } = useQuery(usageQuery(domain));
  const exports = useQuery(jobsQuery(domain, 'exports')).data;
  const imports = useQuery({ ...jobsQuery(domain, 'imports'), enabled: isEditor }).data;
  if (!usage || !exports || (isEditor && !imports)) return null;
  const jobs = [...exports, ...(imports ?? [])];
  const running = jobs.filter((job) => !isOver(job)).length;
  const seen = jobs.filter((job) => job.state === 'failed' && isRecent(job)).length;
  // Editors are told of all kinds of jobs.
  const failed = usage.failing?.jobs ?? seen;
  return (
    <Part of="jobs" state={stateOf(jobs.length, failed)}>
      {words.overview.jobs(running, failed)}
    </Part>
  );
}

function Webhooks() {
  const { domain } = useApplication();
  const { data: usage } = useQuery(usageQuery(domain));
  const { data } = useQuery(webhooksQuery(domain));
  if (!usage?.failing || !data) return null;
  const off = data.filter(({ state }) => state === 'disabled').length;
  const failing = Math.max(usage.failing.webhooks - off, 0);
  return (
    <Part of="webhooks" state={stateOf(data.length, off + failing)}>
      {words.overview.webhooks(data.length, failing, off)}
    </Part>
  );
}

const refetchInterval = 30_000;

function Archives() {
  const { domain } = useApplication();
  const archives = read('/api/applications/{domain}/archives', { path: { domain } });
  const { data } = useQuery({ ...archives, refetchInterval });
  if (!data) return null;
  const failing = data.filter(({ state }) => state === 'failing');
  return (
    <Part of="archive" state={stateOf(data.length, failing.length)}>
      {failing[0]?.reason ?? <LastRun archives={data} />}
    </Part>
  );
}

function LastRun({ archives }: { archives: Schemas['Archive'][] }) {
  const [last] = archives
    .flatMap(({ last_run }) => last_run?.at ?? [])
    .toSorted()
    .reverse();
  return (
    <>
      {words.overview.archives(archives.length)}
      {last && (
        <>
          , {words.overview.lastRun} <RelativeTime at={last} />
        </>
      )}
    </>
  );
}
