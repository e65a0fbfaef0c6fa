import { Paper, PasswordInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { signIn } from '../../api/browser-session.ts';
import { client, dataOf } from '../../api/client.ts';
import { RequestFailure } from '../../api/failure.ts';
import { profileQuery } from '../../api/profile.ts';
import { useIsSignedIn } from '../../api/session.ts';
import { Form } from '../../components/form.tsx';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';

/** The code of the link that was used in this browser. */
const usedKey = 'sluice.used-link';
const toSignIn = '/sign-in?used-link';
/** Who tries the demo first still has to begin. */
const demoUsername = 'sluice-demo';

/** The page of the link that `npm start` prints: the first user chooses a name and a password. */
export function Page() {
  // Browsers do not send what is behind the #, so the code is in no log.
  const code = useLocation().hash.slice(1);
  const navigate = useNavigate();
  const isSignedIn = useIsSignedIn();
  const { data: user, error } = useQuery({ ...profileQuery, enabled: isSignedIn });
  const [wasUsed] = useState(() => code === '' || localStorage.getItem(usedKey) === code);

  async function begin(body: { username: string; password: string }) {
    try {
      await dataOf(client.POST('/api/users/register', { body: { ...body, locale: 'en', code } }));
    } catch (error) {
      if (!(error instanceof RequestFailure && error.kind === 'InvalidCredentialsError')) throw error;
      return navigate(toSignIn, { replace: true });
    }
    localStorage.setItem(usedKey, code);
    await signIn(body);
  }

  if (isSignedIn && !user) return <Unread error={error} />;
  if (user && user.username !== demoUsername) return <Navigate to="/" replace />;
  if (wasUsed) return <Navigate to={toSignIn} replace />;
  return (
    <Paper maw={440} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.welcome.title} />
      <Text mb="md">{words.welcome.text}</Text>
      <Form act={begin} submit={words.welcome.submit}>
        {(fault) => (
          <>
            <TextInput
              name="username"
              label={words.signIn.username}
              autoComplete="username"
              required
              minLength={3}
              maxLength={20}
              error={fault('/username')}
            />
            <PasswordInput
              name="password"
              label={words.signIn.password}
              description={words.welcome.passwordText}
              autoComplete="new-password"
              required
              minLength={8}
              error={fault('/password')}
            />
          </>
        )}
      </Form>
    </Paper>
  );
}
