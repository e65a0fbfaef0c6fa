import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { CardList } from '../../components/cards.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Form } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { KeyCard } from './key-card.tsx';
import { KeyRequired } from './key-required.tsx';

type OnIssued = (issued: Schemas['IssuedKey']) => void;

export function Keys() {
  const { domain } = useApplication();
  const [issued, setIssued] = useState<Schemas['IssuedKey']>();
  const keys = useQuery(read('/api/applications/{domain}/keys', { path: { domain } }));
  return (
    <Section isSettings title={words.settings.keys} text={words.settings.keysText}>
      <KeyRequired hasKeys={keys.data && keys.data.length > 0} />
      {issued && (
        <ShownOnce
          title={words.settings.keyIssued(issued.name)}
          label={words.settings.key}
          secret={issued.key}
          onClose={() => setIssued(undefined)}
        >
          <Text mb={4}>{words.settings.header}</Text>
          <CodeBlock code={`X-Api-Key: ${issued.key}`} label={words.settings.headerCode} />
        </ShownOnce>
      )}
      <NewKey onIssued={setIssued} />
      <CardList query={keys}>
        {(key) => <KeyCard key={key.id} ingestKey={key} onIssued={setIssued} />}
      </CardList>
    </Section>
  );
}

function NewKey({ onIssued }: { onIssued: OnIssued }) {
  const { domain } = useApplication();
  const params = { path: { domain } };
  const create = (body: { name: string }) =>
    dataOf(client.POST('/api/applications/{domain}/keys', { params, body })).then(onIssued);
  return (
    <Form act={create} submit={words.settings.createKey} variant="default" isInline>
      {(fault) => <TextInput name="name" label={words.settings.keyName} required error={fault()} />}
    </Form>
  );
}
