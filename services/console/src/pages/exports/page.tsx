import { Stack, Title } from '@mantine/core';
import { JobList } from '../../jobs/job-list.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { ExportFile } from './export-file.tsx';
import { ExportForm } from './export-form.tsx';

export function Page() {
  const { domain } = useApplication();
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {words.exports.create}
      </Title>
      <ExportForm />
      <Title order={2} size="h4">
        {words.exports.history}
      </Title>
      <JobList domain={domain} jobs="exports" empty={words.exports.empty}>
        {(job) => <ExportFile domain={domain} job={job} />}
      </JobList>
    </Stack>
  );
}
