import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { ProblemList } from '../../schema-form/problem-list.tsx';
import { words } from '../../words/en.ts';
import { ByKey } from './by-key.tsx';
import type { SchemaDraft } from './use-draft.ts';

/** What the dry run found. */
export function Report({ draft: { report, failure, problems, retry } }: { draft: SchemaDraft }) {
  return (
    <Stack gap={4} aria-live="polite" flex="1 1 20rem" miw={0}>
      {failure && problems.length === 0 && <ErrorAlert error={failure} onRetry={retry} />}
      <ProblemList problems={problems} />
      {!report && !failure && <Text c="dimmed">{words.schema.checking}</Text>}
      {report && (
        <Text>
          <b>{summaryOf(report.changes)}</b>
          {report.refused !== undefined && `; ${refusedOf(report)}`}
        </Text>
      )}
      {report && report.changes.length > 0 && (
        <details>
          <summary>{words.schema.changeList}</summary>
          <ChangeList changes={report.changes} />
          <KeysOf report={report} />
        </details>
      )}
    </Stack>
  );
}

type SchemaChange = Schemas['SchemaChange'];

/** `3 changes, 1 stricter`. */
export const summaryOf = (changes: SchemaChange[]): string =>
  changes.length === 0
    ? words.schema.noChanges
    : words.schema.changes(changes.length, changes.filter(({ kind }) => kind === 'stricter').length);

type Publication = Schemas['Publication'];

const refusingKeys = ({ by_key = [] }: Publication) =>
  by_key.filter(({ key, refused }) => key !== null && refused > 0).length;

/** How many stored entries the schema would refuse. The dry run validates none if uploads can only become easier. */
export const refusedOf = (report: Publication): string =>
  words.schema.newestRefused(report.refused ?? 0, report.checked ?? 0, refusingKeys(report));

/** What would be refused of each key. */
export const KeysOf = ({ report }: { report: Publication }) =>
  refusingKeys(report) > 0 && <ByKey counts={report.by_key ?? []} />;

const colors: Record<SchemaChange['kind'], string> = {
  stricter: 'orange',
  looser: 'teal',
  added: 'blue',
  removed: 'gray',
  changed: 'violet',
};

export const ChangeList = ({ changes }: { changes: SchemaChange[] }) => (
  <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
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
