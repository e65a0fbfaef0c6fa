import { Alert, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { words } from '../words/en.ts';
import { ReloadButton } from './errors.tsx';
import { versionQuery } from './version.ts';

/** Stands above a page that is older than Sluice. */
export function UpdateNotice() {
  const { data: isUpdated } = useQuery(versionQuery);
  if (!isUpdated) return null;
  return (
    <Alert mb="md" role="alert" title={words.errors.updated}>
      <Group justify="space-between">
        {words.errors.updatedText}
        <ReloadButton />
      </Group>
    </Alert>
  );
}
