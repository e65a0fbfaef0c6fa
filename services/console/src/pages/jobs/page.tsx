import { Paper, Stack } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { SmallButton } from '../../components/buttons.tsx';
import { CardList } from '../../components/cards.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageActions } from '../../components/page-actions.tsx';
import { Section } from '../../components/section.tsx';
import { DownloadButton } from '../../jobs/download-button.tsx';
import { JobItem } from '../../jobs/job-item.tsx';
import { useJobs } from '../../jobs/job-list.tsx';
import { words } from '../../words/en.ts';
import { useMay } from '../application/use-application.ts';
import { ExportAsked } from './export-asked.tsx';
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
  const mayImport = useMay('editor');
  const form = open && forms[open];
  const toggle = (kind: string) => setSearch(kind === open ? {} : { new: kind }, { replace: true });
  return (
    <Stack gap="md">
      <PageActions>
        {Object.entries(mayImport ? forms : { export: forms.export }).map(([kind, { title }]) => (
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
      <AllJobs />
    </Stack>
  );
}

/** Exports and imports together, newest first. */
function AllJobs() {
  const mayImport = useMay('editor');
  const [exported, imported] = [useJobs('exports'), useJobs('imports', mayImport)];
  const imports = mayImport ? imported.data : [];
  const all = {
    data:
      exported.data &&
      imports &&
      [...exported.data, ...imports].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
    error: exported.error ?? imported.error,
    refetch: () => Promise.all([exported.refetch(), imported.refetch()]),
  };
  return (
    <CardList query={all} empty={<EmptyState {...words.jobs.none} />}>
      {(job) =>
        job.kind === 'export' ? (
          <JobItem
            key={job.id}
            jobs="exports"
            job={job}
            asked={<ExportAsked job={job} />}
            actions={job.file?.url && <DownloadButton jobs="exports" job={job} label={words.jobs.download} />}
          >
            <ExportFile job={job} />
          </JobItem>
        ) : (
          <JobItem key={job.id} jobs="imports" job={job}>
            <ImportOutcome job={job} />
          </JobItem>
        )
      }
    </CardList>
  );
}
