import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatBytes, formatNumber, formatShare } from '../../components/formats.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { changeOf, hoursOfDay, longestGap, refusedShare, sumSteps, worstLoss } from './day.ts';
import { ratesQuery, usageQuery } from './queries.ts';

interface Props {
  label: string;
  /** The page that says more. */
  to: string;
  note?: ReactNode;
  /** The number. Undefined until it is known. */
  children: ReactNode | undefined;
}

const Figure = ({ label, to, note, children }: Props) => (
  <Link to={to} className="figure">
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <span className="number">{children ?? '–'}</span>
    <Text size="xs" c="dimmed" mih="1lh">
      {note}
    </Text>
  </Link>
);

/** What came, what did not, and what is stored. Each leads to its page. */
export function Figures() {
  const { domain } = useApplication();
  const isEditor = useMay('editor');
  const { data: usage, error: unread } = useQuery(usageQuery(domain));
  const { data: rates, error, refetch } = useQuery(ratesQuery(domain));
  const failure = error ?? unread;
  if (failure && !(usage && rates)) return <ErrorAlert error={failure} onRetry={refetch} />;
  const base = `/applications/${domain}`;
  const day = rates?.hours.slice(-hoursOfDay);
  const sums = day && sumSteps(day);
  const lastHour = rates && sumSteps(rates.minutes);
  const share = sums && refusedShare(sums);
  const worst = day && worstLoss(day);
  const entries = usage && formatNumber(usage.entries);
  return (
    <div className="figures">
      <Figure
        label={words.overview.lastHour}
        to={`${base}/entries?last=1h`}
        note={lastHour && words.overview.perMinute(lastHour.accepted / 60)}
      >
        {lastHour && formatNumber(lastHour.accepted)}
      </Figure>
      <Figure
        label={words.overview.lastDay}
        to={`${base}/entries?last=24h`}
        note={
          usage && rates && words.overview.change(changeOf(usage.entries_24h, rates.weekAgo), rates.weekAgo)
        }
      >
        {usage && formatNumber(usage.entries_24h)}
      </Figure>
      <Figure
        label={words.overview.refused}
        to={isEditor ? `${base}/refused` : `${base}/entries?last=24h`}
        note={sums && words.overview.ofUploads(sums.refused)}
      >
        {sums && formatShare(share ?? 0)}
      </Figure>
      <Figure
        label={words.overview.lost}
        to={`${base}/entries?last=24h`}
        note={sums && (worst ? words.overview.mostLost(...worst) : words.overview.noneLost)}
      >
        {sums && formatNumber(sums.lost)}
      </Figure>
      <Figure
        label={words.overview.lastEntry}
        to={`${base}/entries`}
        note={usage && rates && silenceOf(usage.last_entry_at, longestGap(rates.hours))}
      >
        {usage &&
          (usage.last_entry_at ? (
            <RelativeTime at={usage.last_entry_at} isShort />
          ) : (
            words.applications.noEntry
          ))}
      </Figure>
      <Figure
        label={words.overview.stored}
        to={`${base}/settings`}
        note={usage && words.overview.kept(entries ?? '', usage.retention_days)}
      >
        {usage && formatBytes(usage.bytes ?? 0)}
      </Figure>
    </div>
  );
}

const hourMs = 3_600_000;

/** Whether the silence since the last entry is longer than usual. */
function silenceOf(at: string | null, usual: number | undefined): ReactNode {
  if (!at || usual === undefined) return undefined;
  const silent = (Date.now() - Date.parse(at)) / hourMs;
  // An entry may be at the end of its hour, and the next one at the beginning.
  return silent > usual + 2 ? <b>{words.overview.unusual(usual)}</b> : words.overview.usual(usual);
}
