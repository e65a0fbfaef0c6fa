import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Unread } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { JsonDiff } from '../../json/json-view.tsx';
import { formatJson } from '../../json/place.ts';
import { words } from '../../words/en.ts';
import type { SchemaDraft } from './use-draft.ts';
import { versionsQuery } from './versions-query.ts';

export function Versions({ draft: { domain, take } }: { draft: SchemaDraft }) {
  const { data, error, refetch } = useQuery(versionsQuery(domain));
  const [compared, setCompared] = useState<number>();
  if (error || !data) return <Unread error={error} retry={refetch} />;
  return (
    <Stack gap="sm">
      <WideTable
        label={words.schema.versionList}
        head={words.schema.versionColumns}
        rows={data.map(({ version, note, createdBy, createdAt, raw_schema }) => ({
          key: version,
          cells: [
            version,
            note,
            createdBy,
            <RelativeTime key="createdAt" at={createdAt} />,
            <Group key="actions" gap="xs" wrap="nowrap">
              <SmallButton
                size="compact-xs"
                onClick={() => take(raw_schema)}
                aria-label={words.schema.editVersion(version)}
              >
                {words.schema.edit}
              </SmallButton>
              {version > 1 && (
                <SmallButton
                  size="compact-xs"
                  onClick={() => setCompared(version)}
                  aria-label={words.schema.showVersion(version)}
                >
                  {words.schema.show}
                </SmallButton>
              )}
            </Group>,
          ],
        }))}
      />
      {data.length > 1 && (
        <>
          <Title order={3}>{words.schema.compare}</Title>
          <Comparison key={compared} versions={data} initial={compared} />
        </>
      )}
      {data.length === 1 && <Text>{words.schema.onlyVersion}</Text>}
    </Stack>
  );
}

interface ComparisonProps {
  versions: Schemas['SchemaVersion'][];
  /** Is compared with the version before it; the newest unless given. */
  initial: number | undefined;
}

function Comparison({ versions, initial = versions[0]?.version ?? 1 }: ComparisonProps) {
  const [after, setAfter] = useState(initial);
  const [before, setBefore] = useState(initial - 1);
  const numbers = versions.map(({ version }) => String(version));
  const textOf = (wanted: number) =>
    formatJson(versions.find(({ version }) => version === wanted)?.raw_schema ?? '');
  return (
    <Stack gap="xs">
      <Group>
        {(
          [
            [words.schema.fromVersion, before, setBefore],
            [words.schema.toVersion, after, setAfter],
          ] as const
        ).map(([label, value, set]) => (
          <NativeSelect
            key={label}
            {...{ label, value }}
            data={numbers}
            onChange={({ currentTarget }) => set(Number(currentTarget.value))}
          />
        ))}
      </Group>
      <JsonDiff
        before={textOf(before)}
        after={textOf(after)}
        label={words.schema.difference(before, after)}
      />
    </Stack>
  );
}
