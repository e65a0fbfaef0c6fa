import { Checkbox, Code, Group, MultiSelect, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { applicationsQuery } from '../../api/applications.ts';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { Card, Cards } from '../../components/cards.tsx';
import { choicesOf } from '../../components/choices.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Unread } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { submits } from '../../components/submits.ts';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';

const dayMs = 86_400_000;

export function Tokens() {
  const [issued, setIssued] = useState<Schemas['IssuedPersonalToken']>();
  const { data, error, refetch } = useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => dataOf(client.GET('/api/users/me/tokens', { signal })),
  });
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
      <details key={issued?.id}>
        <summary>{words.tokens.create}</summary>
        <NewToken onIssued={setIssued} />
      </details>
      {(error || !data) && <Unread error={error} retry={refetch} />}
      <Cards>
        {data?.map((token) => (
          <TokenCard key={token.id} token={token} />
        ))}
      </Cards>
    </Section>
  );
}

function NewToken({ onIssued }: { onIssued: (issued: Schemas['IssuedPersonalToken']) => void }) {
  const { data: all = [] } = useQuery(applicationsQuery);
  const [applications, setApplications] = useState<string[]>([]);
  const create = useMutation({
    mutationFn: (fields: FormData) => {
      const days = Number.parseInt(String(fields.get('expiry')), 10);
      const body = {
        name: String(fields.get('name')),
        scopes: fields.getAll('scopes') as Schemas['Scope'][],
        ...(days > 0 && { expires_at: new Date(Date.now() + days * dayMs).toISOString() }),
        ...(applications.length > 0 && { applications }),
      };
      return dataOf(client.POST('/api/users/me/tokens', { body }));
    },
    onSuccess: onIssued,
  });
  return (
    <Stack component="form" mt="sm" onSubmit={submits(create.mutate)} maw={400}>
      <TextInput name="name" label={words.tokens.name} required maxLength={100} />
      <Checkbox.Group
        label={words.tokens.scopes}
        defaultValue={['read']}
        error={faultAt(create.error, '/scopes')}
      >
        <Stack my={4} gap="xs">
          {choicesOf(words.tokens.scope).map((scope) => (
            <Checkbox key={scope.value} name="scopes" {...scope} />
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
      {create.error && <ErrorAlert error={create.error} />}
      <Group>
        <SubmitButton loading={create.isPending}>{words.tokens.submit}</SubmitButton>
      </Group>
    </Stack>
  );
}

function TokenCard({ token }: { token: Schemas['PersonalToken'] }) {
  const { id, name, scopes, applications = [], expires_at, lastUsedAt } = token;
  const act = useAct();
  const params = { path: { id } };
  return (
    <Card
      actions={
        <ConfirmButton
          label={words.tokens.revoke}
          title={words.tokens.revokeToken(name)}
          question={words.tokens.revokeText}
          color="red"
          onConfirm={() => act(() => dataOf(client.DELETE('/api/users/me/tokens/{id}', { params })))}
        />
      }
    >
      <Text fw={600}>{name}</Text>
      {[...scopes, ...applications].map((each) => (
        <Code key={each}>{each}</Code>
      ))}
      <Text size="sm">
        {words.tokens.expires(expires_at)} · {lastUsedAt ? words.tokens.lastUse : words.tokens.unused}{' '}
        {lastUsedAt && <RelativeTime at={lastUsedAt} />}
      </Text>
    </Card>
  );
}
