import { Alert, Stack, Text, Title } from '@mantine/core';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { words } from '../../words/en.ts';
import { ChangeList } from './change-list.tsx';
import type { Draft } from './use-draft.ts';

function Content({ draft: { isChanged, changes, failure, problems } }: { draft: Draft }) {
  if (!isChanged) return <Text size="sm">{words.schema.unchanged}</Text>;
  if (failure && problems.length === 0) return <ErrorAlert error={failure} />;
  return (
    <>
      {problems.map(({ message, severity }) => (
        <Alert key={message} p="xs" color={severity === 'error' ? 'red' : 'orange'}>
          {message}
        </Alert>
      ))}
      {changes && <ChangeList changes={changes} />}
      {!changes && !failure && <Text size="sm">{words.schema.checking}</Text>}
    </>
  );
}

/** What would change if the draft were published, or what is wrong with it. */
export function Report({ draft }: { draft: Draft }) {
  return (
    <Stack gap="xs" aria-live="polite" role="region" aria-label={words.schema.report}>
      <Title order={3} size="h5">
        {words.schema.report}
      </Title>
      <Content draft={draft} />
    </Stack>
  );
}
