import { Stack, Title } from '@mantine/core';
import { JobList } from '../../jobs/job-list.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { ImportForm } from './import-form.tsx';
import { ImportOutcome } from './import-outcome.tsx';

export function Page() {
  const { domain } = useApplication();
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {words.imports.create}
      </Title>
      <ImportForm />
      <Title order={2} size="h4">
        {words.imports.history}
      </Title>
      <JobList domain={domain} jobs="imports" empty={words.imports.empty}>
        {(job) => <ImportOutcome domain={domain} job={job} />}
      </JobList>
    </Stack>
  );
}
