import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/client.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { snippets, type Upload } from './snippets.ts';
import { Uploader } from './uploader.tsx';

/** For each language a program that uploads one entry, an uploader, or both. */
export function Languages({ upload }: { upload: Upload }) {
  const { domain } = useApplication();
  const { data, error } = useQuery(read('/api/applications/{domain}/clients', { path: { domain } }));
  if (error) return <ErrorAlert error={error} />;
  if (!data) return <Loading />;
  const programs = snippets(upload);
  const names = new Set([...programs.map(({ label }) => label), ...data.map(({ name }) => name)]);
  return (
    <Tabs defaultValue={programs[0]?.label ?? null} keepMounted={false}>
      <Tabs.List>
        {[...names].map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {[...names].map((name) => {
        const program = programs.find(({ label }) => label === name);
        const client = data.find((each) => each.name === name);
        return (
          <Tabs.Panel key={name} value={name} pt="md">
            <Stack>
              {program && (
                <Section title={words.send.programs} text={words.send.programsText}>
                  <CodeBlock code={program.code} label={name} />
                </Section>
              )}
              {client && <Uploader client={client} apiKey={upload.key} />}
            </Stack>
          </Tabs.Panel>
        );
      })}
    </Tabs>
  );
}
