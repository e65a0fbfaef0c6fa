import { Group, Stack, Tabs, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, read } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { queryClient } from '../../api/query-client.ts';
import { ActButton } from '../../components/buttons.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { ConnectorButton } from './connector-button.tsx';
import { headProgram } from './head-program.ts';

/** The text of a client. */
const clientQuery = (domain: string, language: string) =>
  queryOptions({
    queryKey: ['client', domain, language],
    queryFn: async ({ signal }) => {
      const init = { params: { path: { domain, language } }, parseAs: 'text', signal } as const;
      const { data, error, response } = await client.GET(
        '/api/applications/{domain}/clients/{language}',
        init,
      );
      if (data === undefined) throw failureOf(response, error);
      return data;
    },
  });

/** A client in each language, to download: the types of the schema and an uploader. */
export function Clients({ apiKey }: { apiKey: string | undefined }) {
  const { domain } = useApplication();
  const mayChange = useMay('editor');
  const [downloaded, setDownloaded] = useState<string[]>([]);
  const { data, error } = useQuery(read('/api/applications/{domain}/clients', { path: { domain } }));
  async function get(language: string, file: string) {
    const text = await queryClient.fetchQuery({ ...clientQuery(domain, language), staleTime: 0 });
    saveFile(new Blob([text], { type: 'text/plain' }), file);
    setDownloaded((before) => [...before, language]);
  }
  if (error) return <ErrorAlert error={error} />;
  if (!data) return null;
  return (
    <Section title={words.send.clients} text={words.send.clientsText}>
      <Tabs defaultValue={data[0]?.language ?? null} keepMounted={false}>
        <Tabs.List>
          {data.map(({ language, name }) => (
            <Tabs.Tab key={language} value={language}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {data.map(({ language, name, file, how }) => (
          <Tabs.Panel key={language} value={language} pt="xs">
            <Stack gap="xs">
              <Group gap="sm">
                <ActButton variant="filled" act={() => get(language, file)}>
                  {words.send.download(file)}
                </ActButton>
                <Text flex={1} miw={200}>
                  {words.send.how(how)}
                </Text>
              </Group>
              {mayChange && (
                <ConnectorButton {...{ language, name }} isDownloaded={downloaded.includes(language)} />
              )}
              <Program {...{ language, name, apiKey }} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}

interface ProgramProps {
  language: string;
  name: string;
  apiKey: string | undefined;
}

/** The program that the head of the client shows. */
function Program({ language, name, apiKey }: ProgramProps) {
  const { domain } = useApplication();
  const { data, error } = useQuery(clientQuery(domain, language));
  if (error) return <ErrorAlert error={error} />;
  const code = data && headProgram(language, data, { origin: window.location.origin, key: apiKey });
  return code ? <CodeBlock code={code} label={words.send.use(name)} /> : null;
}
