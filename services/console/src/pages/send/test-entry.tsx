import { Alert, JsonInput, Stack, Tabs } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { formatJson } from '../../json/place.ts';
import { rootOf } from '../../schema-form/shape.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { ValueFields } from './value-fields.tsx';

interface Props {
  /** As `parseExact` reads it. */
  schema: unknown;
  /** JSON. */
  example: string;
  apiKey: string | undefined;
}

/** Uploads one entry from the page, as a program would. */
export function TestEntry({ schema, example, apiKey }: Props) {
  const { domain } = useApplication();
  const [text, setText] = useState(() => formatJson(example));
  const send = useMutation({
    mutationFn: () =>
      dataOf(
        client.POST('/api/applications/{domain}/data', {
          params: { path: { domain } },
          // The text as it is: its numbers keep their digits.
          body: text as never,
          bodySerializer: (body: unknown) => body as string,
          headers: { 'Content-Type': 'application/json', ...(apiKey && { 'X-Api-Key': apiKey }) },
        }),
      ),
  });
  const edit = (next: string) => {
    send.reset();
    setText(next);
  };
  return (
    <Section title={words.send.test} text={words.send.testText}>
      <Stack component="form" gap="sm" onSubmit={submits(() => send.mutate())}>
        <Tabs defaultValue="form" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="form">{words.send.form}</Tabs.Tab>
            <Tabs.Tab value="json">{words.send.json}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form" pt="xs">
            {rootOf(text) ? <ValueFields schema={schema} text={text} onText={edit} /> : words.send.notObject}
          </Tabs.Panel>
          <Tabs.Panel value="json" pt="xs">
            <JsonInput
              aria-label={words.send.payload}
              autosize
              minRows={6}
              maxRows={24}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              value={text}
              onChange={edit}
            />
          </Tabs.Panel>
        </Tabs>
        <SubmitButton loading={send.isPending}>{words.send.submit}</SubmitButton>
        {send.isSuccess && <Alert p="xs" color="green" role="status" title={words.send.isStored} />}
        {send.error && <ErrorAlert error={send.error} />}
      </Stack>
    </Section>
  );
}
