import { Checkbox, Code, MultiSelect, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { applicationsQuery } from '../../api/applications.ts';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { Card, CardList } from '../../components/cards.tsx';
import { choicesOf } from '../../components/choice.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Form } from '../../components/form.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { words } from '../../words/en.ts';

const dayMs = 86_400_000;

export function Tokens() {
  const [issued, setIssued] = useState<Schemas['IssuedPersonalToken']>();
  // `sluice login` leads here.
  const [query] = useSearchParams();
  const asked = query.get('token_name');
  const tokens = useQuery(read('/api/users/me/tokens', {}));
  return (
    <Section title={words.tokens.title} text={words.tokens.text}>
      {issued && (
        <ShownOnce
          title={words.tokens.issued(issued.name)}
          label={words.tokens.token}
          secret={issued.token}
          onClose={() => setIssued(undefined)}
        />
      )}
      <details key={issued?.id} open={!issued && asked !== null}>
        <summary>{words.tokens.create}</summary>
        <NewToken
          name={asked ?? ''}
          scopes={query.get('scopes')?.split(',') ?? ['read']}
          onIssued={setIssued}
        />
      </details>
      <CardList query={tokens}>{(token) => <TokenCard key={token.id} token={token} />}</CardList>
    </Section>
  );
}

interface NewTokenProps {
  /** What the form begins with. */
  name: string;
  scopes: string[];
  onIssued: (issued: Schemas['IssuedPersonalToken']) => void;
}

function NewToken({ name, scopes: asked, onIssued }: NewTokenProps) {
  const { data: all = [] } = useQuery(applicationsQuery);
  const [applications, setApplications] = useState<string[]>([]);
  const [scopes, setScopes] = useState(asked as Schemas['Scope'][]);
  const create = ({ name, expiry }: Record<'name' | 'expiry', string>) => {
    const days = Number.parseInt(expiry, 10);
    const body = {
      name,
      scopes,
      ...(days > 0 && { expires_at: new Date(Date.now() + days * dayMs).toISOString() }),
      ...(applications.length > 0 && { applications }),
    };
    return dataOf(client.POST('/api/users/me/tokens', { body })).then(onIssued);
  };
  return (
    <Form act={create} submit={words.tokens.submit} mt="sm" maw={400}>
      {(fault) => (
        <>
          <TextInput name="name" label={words.tokens.name} defaultValue={name} required maxLength={100} />
          <Checkbox.Group
            label={words.tokens.scopes}
            value={scopes}
            onChange={setScopes}
            error={fault('/scopes')}
          >
            <Stack my={4} gap="xs">
              {choicesOf(words.tokens.scope).map((scope) => (
                <Checkbox key={scope.value} {...scope} />
              ))}
            </Stack>
          </Checkbox.Group>
          <NativeSelect name="expiry" label={words.tokens.expiry} data={choicesOf(words.tokens.expiries)} />
          <MultiSelect
            label={words.tokens.applications}
            description={words.tokens.applicationsHint}
            data={all.map(({ domain, name }) => ({ value: domain, label: name }))}
            value={applications}
            onChange={setApplications}
            searchable
          />
        </>
      )}
    </Form>
  );
}

function TokenCard({ token }: { token: Schemas['PersonalToken'] }) {
  const { id, name, scopes, applications = [], expires_at, lastUsedAt } = token;
  const params = { path: { id } };
  return (
    <Card
      actions={
        <ConfirmButton
          label={words.common.revoke}
          title={words.tokens.revokeToken(name)}
          question={words.tokens.revokeText}
          color="red"
          act={() => dataOf(client.DELETE('/api/users/me/tokens/{id}', { params }))}
        />
      }
    >
      <Text fw={600}>{name}</Text>
      {[...scopes, ...applications].map((each) => (
        <Code key={each}>{each}</Code>
      ))}
      <Text>
        {words.tokens.expires(expires_at)} · {lastUsedAt ? words.tokens.lastUse : words.tokens.unused}{' '}
        {lastUsedAt && <RelativeTime at={lastUsedAt} />}
      </Text>
    </Card>
  );
}
