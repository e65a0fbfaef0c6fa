import { Stack, Title } from '@mantine/core';
import { Section } from '../../components/section.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { SchemaEditor } from '../../schema-form/schema-editor.tsx';
import { words } from '../../words/en.ts';
import { PublishForm } from './publish-form.tsx';
import { RehearsalOutcome, RehearseForm } from './rehearsals.tsx';
import { Report } from './report.tsx';
import { useDraft } from './use-draft.ts';
import { Versions } from './versions.tsx';

export function Page() {
  const draft = useDraft();
  return (
    <Stack gap="xl">
      <Stack gap="xs">
        <Title order={2}>{words.schema.edits(draft.version)}</Title>
        <SchemaEditor text={draft.text} onText={draft.setText} problems={draft.problems}>
          <Report draft={draft} />
          <PublishForm draft={draft} />
        </SchemaEditor>
      </Stack>
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
