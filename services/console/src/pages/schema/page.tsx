import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { JobList } from '../../jobs/job-list.tsx';
import { JsonEditor } from '../../json/json-editor.tsx';
import { words } from '../../words/en.ts';
import { completeKeyword } from './keywords.ts';
import { PublishForm } from './publish-form.tsx';
import { RehearsalOutcome } from './rehearsal-outcome.tsx';
import { RehearseForm } from './rehearse-form.tsx';
import { Report } from './report.tsx';
import { useDraft } from './use-draft.ts';
import { Versions } from './versions.tsx';

/** The schema of an application: change it, see what that means, publish it. */
export function Page() {
  const draft = useDraft();
  const { domain, version, text, setText, problems } = draft;
  return (
    <Stack gap="xl">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="xs" miw={0}>
          <Title order={2} size="h4">
            {words.schema.edits(version)}
          </Title>
          <JsonEditor
            value={text}
            onChange={setText}
            label={words.schema.schema}
            problems={problems}
            complete={completeKeyword}
          />
        </Stack>
        <Stack gap="md" miw={0}>
          <Report draft={draft} />
          <PublishForm draft={draft} />
        </Stack>
      </SimpleGrid>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.schema.rehearsals}
        </Title>
        <Text size="sm">{words.schema.rehearsalText}</Text>
        <RehearseForm draft={draft} />
        <JobList domain={domain} jobs="rehearsals" empty={words.schema.noRehearsals}>
          {(job) => <RehearsalOutcome domain={domain} job={job} />}
        </JobList>
      </Stack>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.schema.versions}
        </Title>
        <Versions domain={domain} onTake={draft.take} />
      </Stack>
    </Stack>
  );
}
