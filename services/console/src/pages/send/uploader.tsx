import { Group, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas } from '../../api/client.ts';
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

interface Props {
  client: Schemas['Client'];
  apiKey: string | undefined;
}

/** A client to download: the types of the schema and an uploader. */
export function Uploader({ client: { language, name, file, how }, apiKey }: Props) {
  const { domain } = useApplication();
  const mayChange = useMay('editor');
  const [isDownloaded, setDownloaded] = useState(false);
  async function get() {
    const text = await queryClient.fetchQuery({ ...clientQuery(domain, language), staleTime: 0 });
    saveFile(new Blob([text], { type: 'text/plain' }), file);
    setDownloaded(true);
  }
  return (
    <Section title={words.send.clients} text={words.send.clientsText}>
      <Stack gap="xs">
        <Group gap="sm">
          <ActButton variant="filled" act={get}>
            {words.send.download(file)}
          </ActButton>
          <Text flex={1} miw={200}>
            {words.send.how(how)}
          </Text>
        </Group>
        {mayChange && <ConnectorButton {...{ language, name, isDownloaded }} />}
        <Program {...{ language, name, apiKey }} />
      </Stack>
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
