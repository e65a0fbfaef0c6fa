import { Alert, Anchor, Button, Code, CopyButton, Group, Loader, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import type { Application } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { exampleOf } from './example-of.ts';
import { snippets } from './snippets.ts';

/** From the page before: the first row of the sample, and the key, which is shown only once. */
interface Given {
  payload?: object;
  key?: string;
}

const pollMs = 1_000;

export function Page() {
  const application = useApplication();
  return (
    <Stack>
      <FirstEntry domain={application.domain} />
      <Programs application={application} />
    </Stack>
  );
}

/** Code of several lines, which the keyboard can scroll. */
const CodeBlock = ({ children }: { children: string }) => (
  <Code block tabIndex={0}>
    {children}
  </Code>
);

function FirstEntry({ domain }: { domain: string }) {
  const { data, error } = useQuery({
    queryKey: ['applications', domain, 'first-entry'],
    queryFn: ({ signal }) => {
      const params = { path: { domain }, query: { limit: 1 } };
      return dataOf(client.GET('/api/applications/{domain}/data', { params, signal }));
    },
    refetchInterval: ({ state }) => (state.data?.result.length ? false : pollMs),
  });
  const first = data?.result[0];
  return (
    <div aria-live="polite">
      {error && <ErrorAlert error={error} />}
      {!error && !first && (
        <Alert color="gray" icon={<Loader size="xs" />} title={words.start.waiting}>
          {words.start.waitingText}
        </Alert>
      )}
      {first && (
        <Alert color="green" title={words.start.arrived}>
          <CodeBlock>{JSON.stringify(first.payload, null, 2)}</CodeBlock>
          <Button component={Link} to={`/applications/${domain}/entries`} mt="sm">
            {words.start.toEntries}
          </Button>
        </Alert>
      )}
    </div>
  );
}

function Programs({ application }: { application: Application }) {
  const { domain, template, key_required } = application;
  const { payload = exampleOf(template.schema) as object, key } = (useLocation().state ?? {}) as Given;
  const url = `${window.location.origin}/api/applications/${domain}/data`;
  const shownKey = key_required ? (key ?? words.start.yourKey) : undefined;
  const programs = snippets({ url, payload, key: shownKey });
  return (
    <section aria-label={words.start.programs}>
      <Text mb="xs">{words.start.programsText}</Text>
      {key_required && <Text mb="xs">{key ? words.start.keyOnce : words.start.keyGone}</Text>}
      <Tabs defaultValue={programs[0]?.label ?? null}>
        <Tabs.List>
          {programs.map(({ label }) => (
            <Tabs.Tab key={label} value={label}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {programs.map(({ label, code }) => (
          <Tabs.Panel key={label} value={label} pt="xs">
            <Group justify="end" mb="xs">
              <CopyButton value={code}>
                {({ copied, copy }) => (
                  <SmallButton onClick={copy}>
                    {copied ? words.common.copied : words.start.copy(label)}
                  </SmallButton>
                )}
              </CopyButton>
            </Group>
            <CodeBlock>{code}</CodeBlock>
          </Tabs.Panel>
        ))}
      </Tabs>
      {key_required && !key && (
        <Anchor component={Link} to={`/applications/${domain}/settings`}>
          {words.start.toKeys}
        </Anchor>
      )}
    </section>
  );
}
