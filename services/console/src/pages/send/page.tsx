import { SimpleGrid, Stack } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { Clients } from './clients.tsx';
import { exampleOf } from './example-of.ts';
import { KeyField } from './key-field.tsx';
import { Programs } from './programs.tsx';
import { TestEntry } from './test-entry.tsx';
import { Uploads } from './uploads.tsx';

/** From the page before: the first row of the sample, and the key, which is shown only once. */
interface Given {
  payload?: object;
  key?: string;
}

export function Page() {
  const { domain, template, key_required } = useApplication();
  const { payload, key: given = '' } = (useLocation().state ?? {}) as Given;
  const [key, setKey] = useState(given);
  const [example] = useState(() => payload ?? (exampleOf(template.schema) as object));
  const mayChange = useMay('editor');
  const shownKey = key_required ? key || words.send.yourKey : undefined;
  const url = `${window.location.origin}/api/applications/${domain}/data`;
  return (
    <Stack gap="lg">
      <Uploads />
      {key_required && <KeyField value={key} onChange={setKey} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack miw={0}>
          <Clients apiKey={shownKey} />
          <Programs upload={{ url, payload: example, key: shownKey }} />
        </Stack>
        {mayChange && <TestEntry example={example} apiKey={key_required ? key : undefined} />}
      </SimpleGrid>
    </Stack>
  );
}
