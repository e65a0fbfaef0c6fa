import { Alert, Anchor, Box, List, SimpleGrid, Stack } from '@mantine/core';
import { exampleOf } from '@sluice/schemas/example-of.ts';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { parseExact } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { KeyField } from './key-field.tsx';
import { Languages } from './languages.tsx';
import { TestEntry } from './test-entry.tsx';
import { Uploads } from './uploads.tsx';

/** From the page before: the first row of the sample, the key, which is shown only once, and slips in the schema. */
interface Given {
  /** JSON, with the digits of the sample. */
  payload?: string;
  key?: string;
  warnings?: string[];
}

export function Page() {
  const { domain, template, key_required } = useApplication();
  const { payload, key: given = '', warnings = [] } = (useLocation().state ?? {}) as Given;
  const [key, setKey] = useState(given);
  const schema = useMemo(() => parseExact(template.raw_schema), [template.raw_schema]);
  const [example] = useState(() => payload ?? JSON.stringify(exampleOf(schema)));
  const mayChange = useMay('editor');
  const shownKey = key_required ? key || words.send.yourKey : undefined;
  const url = `${window.location.origin}/api/applications/${domain}/data`;
  return (
    <Stack gap="lg">
      {warnings.length > 0 && <SchemaSlips warnings={warnings} />}
      <Uploads />
      {key_required && <KeyField value={key} onChange={setKey} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Box miw={0}>
          <Languages upload={{ url, payload: example, key: shownKey }} />
        </Box>
        {mayChange && <TestEntry {...{ schema, example }} apiKey={key_required ? key : undefined} />}
      </SimpleGrid>
    </Stack>
  );
}

function SchemaSlips({ warnings }: { warnings: string[] }) {
  const { domain } = useApplication();
  return (
    <Alert color="orange" title={words.send.slips}>
      <List size="sm" mb="xs">
        {warnings.map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
      <Anchor component={Link} to={`/applications/${domain}/schema`}>
        {words.refused.toSchema}
      </Anchor>
    </Alert>
  );
}
