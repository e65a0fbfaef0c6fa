import { Paper, Stack } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { SmallButton } from '../../components/buttons.tsx';
import { PageActions } from '../../components/page-actions.tsx';
import { Section } from '../../components/section.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { words } from '../../words/en.ts';
import { ExportFile } from './export-file.tsx';
import { ExportForm } from './export-form.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportOutcome } from './import-outcome.tsx';

const forms = {
  export: { title: words.exports.create, Form: ExportForm },
  import: { title: words.imports.create, Form: ImportForm },
};

/** Exports and imports; `new` in the URL opens the form of one of them. */
export function Page() {
  const [search, setSearch] = useSearchParams();
  const open = search.get('new') as keyof typeof forms | null;
  const form = open && forms[open];
  const toggle = (kind: string) => setSearch(kind === open ? {} : { new: kind }, { replace: true });
  return (
    <Stack gap="md">
      <PageActions>
        {Object.entries(forms).map(([kind, { title }]) => (
          <SmallButton key={kind} aria-expanded={kind === open} onClick={() => toggle(kind)}>
            {title}
          </SmallButton>
        ))}
      </PageActions>
      {form && (
        <Paper withBorder p="md">
          <Section title={form.title}>
            <form.Form />
          </Section>
        </Paper>
      )}
      <Section title={words.exports.history}>
        <JobList jobs="exports" empty={words.exports.empty}>
          {(job) => <ExportFile job={job} />}
        </JobList>
      </Section>
      <Section title={words.imports.history}>
        <JobList jobs="imports" empty={words.imports.empty}>
          {(job) => <ImportOutcome job={job} />}
        </JobList>
      </Section>
    </Stack>
  );
}
