import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { ProblemList } from '../../schema-form/problem-list.tsx';
import { words } from '../../words/en.ts';
import { ByKey } from './by-key.tsx';
import type { SchemaDraft } from './use-draft.ts';

export function Report({ draft }: { draft: SchemaDraft }) {
  return (
    <Stack gap="xs" aria-live="polite" role="region" aria-label={words.schema.report}>
      <Title order={3}>{words.schema.report}</Title>
      <Content draft={draft} />
    </Stack>
  );
}

function Content({ draft: { isChanged, changes, report, failure, problems } }: { draft: SchemaDraft }) {
  if (!isChanged) return <Text>{words.schema.unchanged}</Text>;
  if (failure && problems.length === 0) return <ErrorAlert error={failure} />;
  return (
    <>
      <ProblemList problems={problems} />
      {changes && <ChangeList changes={changes} />}
      {report && <NewestRefused report={report} />}
      {!changes && !failure && <Text>{words.schema.checking}</Text>}
    </>
  );
}

/** What the dry run found; it validates nothing if uploads can only become easier. */
function NewestRefused({ report: { checked, refused, by_key } }: { report: Schemas['Publication'] }) {
  if (checked === undefined || refused === undefined) return null;
  return (
    <>
      <Text>{words.schema.newestRefused(refused, checked)}</Text>
      {by_key && refused > 0 && <ByKey counts={by_key} />}
    </>
  );
}

type SchemaChange = Schemas['SchemaChange'];

const colors: Record<SchemaChange['kind'], string> = {
  stricter: 'orange',
  looser: 'teal',
  added: 'blue',
  removed: 'gray',
  changed: 'violet',
};

function ChangeList({ changes }: { changes: SchemaChange[] }) {
  if (changes.length === 0) return <Text>{words.schema.noChanges}</Text>;
  return (
    <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
      {changes.map(({ path, kind, message }) => (
        <Group component="li" key={`${path} ${kind} ${message}`} gap="xs">
          <Badge color={colors[kind]} variant="dot">
            {words.schema.kinds[kind]}
          </Badge>
          <Code>{path || '/'}</Code>
          <Text>{message}</Text>
        </Group>
      ))}
    </Stack>
  );
}
