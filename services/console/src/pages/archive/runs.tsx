import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read, type Schemas } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatBytes, formatNumber, formatTime } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { isOver, sayPace, sayProgress } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

const refreshMs = 3_000;

/** The runs of an archive, newest first, with why one failed. */
export function Runs({ id }: { id: string }) {
  const { domain } = useApplication();
  const { data, error, refetch } = useQuery({
    ...read('/api/applications/{domain}/archives/{id}/runs', { path: { domain, id } }),
    refetchInterval: refreshMs,
  });
  if (error || !data) return <Unread error={error} retry={refetch} />;
  if (data.length === 0) return <EmptyState {...words.archives.noRuns} />;
  return (
    <WideTable
      label={words.archives.runs}
      head={words.archives.columns}
      rows={data.map((run) => {
        const result = run.result as Schemas['ArchiveResult'] | undefined;
        return {
          key: run.id,
          cells: [
            formatTime(run.createdAt),
            words.jobs.states[run.state],
            result && formatNumber(result.entries),
            result && formatNumber(result.files),
            result && formatBytes(result.bytes),
            result && formatNumber(result.deletions ?? 0),
            run.error ? (
              <Text key="error" size="sm" c="var(--mantine-color-error)">
                {run.error}
              </Text>
            ) : isOver(run) ? (
              sayPace(run)[0]
            ) : (
              sayProgress(run)
            ),
          ],
        };
      })}
    />
  );
}
