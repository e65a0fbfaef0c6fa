import { Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, read } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { ActButton } from '../../components/buttons.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { clientSnippet } from './client-snippets.ts';
import { ConnectorButton } from './connector-button.tsx';

async function download(domain: string, language: string, file: string): Promise<void> {
  const { data, error, response } = await client.GET('/api/applications/{domain}/clients/{language}', {
    params: { path: { domain, language } },
    parseAs: 'blob',
  });
  if (!data) throw failureOf(response, error);
  saveFile(data as unknown as Blob, file);
}

/** A client in each language, to download: the types of the schema and an uploader. */
export function Clients({ apiKey }: { apiKey: string | undefined }) {
  const { domain } = useApplication();
  const mayChange = useMay('editor');
  const [downloaded, setDownloaded] = useState<string[]>([]);
  const { data, error } = useQuery(read('/api/applications/{domain}/clients', { path: { domain } }));
  async function get(language: string, file: string) {
    await download(domain, language, file);
    setDownloaded((before) => [...before, language]);
  }
  if (error) return <ErrorAlert error={error} />;
  if (!data) return null;
  return (
    <Section title={words.send.clients} text={words.send.clientsText}>
      <Tabs defaultValue={data[0]?.language ?? null}>
        <Tabs.List>
          {data.map(({ language, name }) => (
            <Tabs.Tab key={language} value={language}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {data.map(({ language, name, file, how }) => {
          const code = clientSnippet(language, { origin: window.location.origin, key: apiKey });
          return (
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
                {code && <CodeBlock code={code} label={words.send.use(name)} />}
              </Stack>
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </Section>
  );
}
