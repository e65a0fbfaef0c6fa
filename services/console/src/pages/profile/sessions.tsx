import { Badge, Checkbox, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { Card, CardList } from '../../components/cards.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';

export function Sessions() {
  const sessions = useQuery(read('/api/users/me/sessions', {}));
  return (
    <Section title={words.sessions.title} text={words.sessions.text}>
      <CardList query={sessions}>{(one) => <SessionCard key={one.id} session={one} />}</CardList>
      <EndOthers />
    </Section>
  );
}

function SessionCard({
  session: { id, browser, network, since, last_seen, current },
}: {
  session: Schemas['OpenSession'];
}) {
  const params = { path: { id } };
  return (
    <Card
      actions={
        !current && (
          <ConfirmButton
            label={words.layout.signOut}
            title={words.sessions.end(browser)}
            question={words.sessions.endText}
            color="red"
            act={() => dataOf(client.DELETE('/api/users/me/sessions/{id}', { params }))}
          />
        )
      }
    >
      <Text fw={600}>{browser}</Text>
      {current && <Badge>{words.sessions.current}</Badge>}
      <Text>
        {network} · {words.sessions.since} <RelativeTime at={since} /> · {words.sessions.lastSeen}{' '}
        <RelativeTime at={last_seen} />
      </Text>
    </Card>
  );
}

/** For whoever fears that somebody else is signed in. */
function EndOthers() {
  const [tokens, setTokens] = useState(false);
  const params = { query: { tokens } };
  return (
    <Group>
      <ConfirmButton
        label={words.sessions.endOthers}
        title={words.sessions.endOthers}
        question={tokens ? words.sessions.endOthersAndTokens : words.sessions.endOthersText}
        color="red"
        act={() => dataOf(client.DELETE('/api/users/me/sessions', { params }))}
      />
      <Checkbox
        label={words.sessions.andTokens}
        checked={tokens}
        onChange={(event) => setTokens(event.currentTarget.checked)}
      />
    </Group>
  );
}
