import './schema.css';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { profileQuery } from '../../api/profile.ts';
import { Unread } from '../../components/loading.tsx';
import { Section } from '../../components/section.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { SchemaEditor } from '../../schema-form/schema-editor.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { DraftBar } from './draft-bar.tsx';
import { RehearsalOutcome, RehearseForm, useRehearsal } from './rehearsals.tsx';
import { readable, useDraft } from './use-draft.ts';
import { useFacts } from './use-facts.ts';
import { Versions } from './versions.tsx';

export function Page() {
  const { domain } = useApplication();
  const mayEdit = useMay('editor');
  const { data: user, error, refetch } = useQuery(profileQuery);
  if (!mayEdit) return <SchemaInForce />;
  if (!user) return <Unread error={error} retry={refetch} />;
  return <EditedSchema key={`${domain} ${user.username}`} username={user.username} />;
}

/** For readers. */
function SchemaInForce() {
  const { template } = useApplication();
  return (
    <SchemaEditor text={readable(template.raw_schema)} facts={useFacts()}>
      <Text c="dimmed">{words.schema.version(template.version)}</Text>
    </SchemaEditor>
  );
}

function EditedSchema({ username }: { username: string }) {
  const draft = useDraft(username);
  const facts = useFacts();
  const rehearsal = useRehearsal(draft);
  const { text, setText, problems, steps, version, isChanged, changes } = draft;
  return (
    <Stack gap="xl">
      <SchemaEditor {...{ text, problems, steps, facts, changes }} onText={setText}>
        <Text c="dimmed">{words.schema.version(version)}</Text>
        {isChanged && <Text fw={600}>{words.schema.unpublished}</Text>}
      </SchemaEditor>
      {isChanged && <DraftBar draft={draft} rehearsal={rehearsal} />}
      <Section title={words.schema.rehearsals} text={words.schema.rehearsalText}>
        <RehearseForm rehearsal={rehearsal} />
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
