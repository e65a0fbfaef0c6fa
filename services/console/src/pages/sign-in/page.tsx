import { Paper, PasswordInput, Text, TextInput } from '@mantine/core';
import { Navigate, useSearchParams } from 'react-router';
import { signIn } from '../../api/browser-session.ts';
import type { Schemas } from '../../api/client.ts';
import { tellAt } from '../../api/failure.ts';
import { useIsSignedIn } from '../../api/session.ts';
import { Form } from '../../components/form.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { pathAfter } from './path-after.ts';

const wrong = tellAt('/password', words.signIn.wrong);

export function Page() {
  const [search] = useSearchParams();
  const isSignedIn = useIsSignedIn();
  // Also if another tab has signed in.
  if (isSignedIn) return <Navigate to={pathAfter(search.get('then'))} replace />;
  return (
    <Paper maw={400} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.signIn.title} />
      {search.has('used-link') && <Text mb="md">{words.signIn.linkUsed}</Text>}
      {search.has('signed-out') && <Text mb="md">{words.signIn.signedOut}</Text>}
      {search.has('then') && <Text mb="md">{words.signIn.goOn}</Text>}
      <Form
        act={(fields: Schemas['Credentials']) => signIn(fields).catch(wrong)}
        submit={words.signIn.submit}
      >
        {(fault) => (
          <>
            <TextInput name="username" label={words.signIn.username} autoComplete="username" required />
            <PasswordInput
              name="password"
              label={words.signIn.password}
              autoComplete="current-password"
              error={fault('/password')}
              required
            />
          </>
        )}
      </Form>
    </Paper>
  );
}
