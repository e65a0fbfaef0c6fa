import { Paper, PasswordInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { signIn } from '../../api/browser-session.ts';
import type { Schemas } from '../../api/client.ts';
import { needsCode, tellAt } from '../../api/failure.ts';
import { providersQuery } from '../../api/providers.ts';
import { useIsSignedIn } from '../../api/session.ts';
import { Form } from '../../components/form.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { CodeForm } from './code-form.tsx';
import { pathAfter } from './path-after.ts';
import { FailedSignIn, Providers } from './providers.tsx';

const wrong = tellAt('/password', words.signIn.wrong);

export function Page() {
  const [search] = useSearchParams();
  const isSignedIn = useIsSignedIn();
  const [wasSignedIn] = useState(isSignedIn);
  const { data: providers = [], isPending } = useQuery(providersQuery);
  const failed = search.get('failed');
  // A link to the provider failed.
  if (wasSignedIn && failed) return <Navigate to={`/profile?failed=${failed}`} replace />;
  // Also if another tab has signed in.
  if (isSignedIn) return <Navigate to={pathAfter(search.get('then'))} replace />;
  return (
    <Paper maw={400} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.signIn.title} />
      {failed && <FailedSignIn title={words.signIn.failed} reason={failed} />}
      {search.has('used-link') && <Text mb="md">{words.signIn.linkUsed}</Text>}
      {search.has('signed-out') && <Text mb="md">{words.signIn.signedOut}</Text>}
      {search.has('then') && <Text mb="md">{words.signIn.goOn}</Text>}
      <Providers providers={providers} then={pathAfter(search.get('then'))} />
      {!isPending && !providers.some(({ only }) => only) && <PasswordForm />}
    </Paper>
  );
}

function PasswordForm() {
  /** Of a user who must give a code too. */
  const [given, setGiven] = useState<Schemas['Credentials']>();
  if (given) return <CodeForm given={given} back={() => setGiven(undefined)} />;
  const enter = (fields: Schemas['Credentials']) =>
    signIn(fields).catch((error) => (needsCode(error) ? setGiven(fields) : wrong(error)));
  return (
    <Form act={enter} submit={words.signIn.submit}>
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
  );
}
