import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { Comparison } from './comparison.tsx';
import { versionsQuery } from './schemas.ts';

interface Props {
  domain: string;
  onTake: (raw: string) => void;
}

/** Who published what and when, and how two versions differ. */
export function Versions({ domain, onTake }: Props) {
  const { data, error, refetch } = useQuery(versionsQuery(domain));
  const [compared, setCompared] = useState<number>();
  if (error) return <ErrorAlert error={error} onRetry={() => refetch()} />;
  if (!data) return <Loading />;
  return (
    <Stack gap="sm">
      <WideTable label={words.schema.versions}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.schema.version}</Table.Th>
            <Table.Th>{words.schema.note}</Table.Th>
            <Table.Th>{words.schema.publishedBy}</Table.Th>
            <Table.Th>{words.schema.publishedAt}</Table.Th>
            <Table.Th>{words.schema.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map((each) => (
            <Table.Tr key={each.version}>
              <Table.Td>{each.version}</Table.Td>
              <Table.Td>{each.note}</Table.Td>
              <Table.Td>{each.createdBy}</Table.Td>
              <Table.Td>
                <RelativeTime at={each.createdAt} />
              </Table.Td>
              <Table.Td>
                <Actions
                  version={each.version}
                  onTake={() => onTake(each.raw_schema)}
                  onCompare={setCompared}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {data.length > 1 && (
        <>
          <Title order={3} size="h5">
            {words.schema.compare}
          </Title>
          <Comparison key={compared} versions={data} initial={compared} />
        </>
      )}
      {data.length === 1 && <Text size="sm">{words.schema.onlyVersion}</Text>}
    </Stack>
  );
}

interface ActionsProps {
  version: number;
  onTake: () => void;
  onCompare: (version: number) => void;
}

function Actions({ version, onTake, onCompare }: ActionsProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        size="compact-xs"
        variant="default"
        onClick={onTake}
        aria-label={words.schema.editVersion(version)}
      >
        {words.schema.edit}
      </Button>
      {version > 1 && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => onCompare(version)}
          aria-label={words.schema.showVersion(version)}
        >
          {words.schema.show}
        </Button>
      )}
    </Group>
  );
}
