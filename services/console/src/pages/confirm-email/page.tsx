import { Anchor, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Form } from '../../components/form.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { isDead } from '../set-password/by-code.ts';

const said = { asked: words.email.confirmText, done: words.email.confirmedText, dead: words.email.deadText };

/** The page of the link in the mail that confirms an e-mail. A button, as programs that check links open pages. */
export function Page() {
  const code = useLocation().hash.slice(1);
  const [state, setState] = useState<keyof typeof said>(code ? 'asked' : 'dead');
  async function confirm() {
    try {
      await dataOf(client.POST('/api/users/confirm-email', { body: { code } }));
      setState('done');
      void queryClient.invalidateQueries();
    } catch (error) {
      if (!isDead(error as Error)) throw error;
      setState('dead');
    }
  }
  return (
    <Paper maw={440} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.email.title} />
      <Text mb="md">{said[state]}</Text>
      {state === 'asked' ? (
        <Form act={confirm} submit={words.email.confirm}>
          {() => null}
        </Form>
      ) : (
        <Anchor component={Link} to="/profile">
          {words.profile.title}
        </Anchor>
      )}
    </Paper>
  );
}
