import { SimpleGrid, Stack, Title } from '@mantine/core';
import { Section } from '../../components/section.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { JsonEditor } from '../../json/json-editor.tsx';
import { words } from '../../words/en.ts';
import { completeKeyword } from './keywords.ts';
import { PublishForm } from './publish-form.tsx';
import { RehearsalOutcome, RehearseForm } from './rehearsals.tsx';
import { Report } from './report.tsx';
import { useDraft } from './use-draft.ts';
import { Versions } from './versions.tsx';

export function Page() {
  const draft = useDraft();
  return (
    <Stack gap="xl">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="xs" miw={0}>
          <Title order={2}>{words.schema.edits(draft.version)}</Title>
          <JsonEditor
            value={draft.text}
            onChange={draft.setText}
            label={words.schema.schema}
            problems={draft.problems}
            complete={completeKeyword}
          />
        </Stack>
        <Stack gap="md" miw={0}>
          <Report draft={draft} />
          <PublishForm draft={draft} />
        </Stack>
      </SimpleGrid>
      <Section title={words.schema.rehearsals} text={words.schema.rehearsalText}>
        <RehearseForm draft={draft} />
        <JobList jobs="rehearsals" empty={words.schema.noRehearsals}>
          {(job) => <RehearsalOutcome job={job} />}
        </JobList>
      </Section>
      <Section title={words.schema.versions}>
        <Versions draft={draft} />
      </Section>
    </Stack>
  );
}
