import { Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { signIn } from '../../api/browser-session.ts';
import { client, dataOf } from '../../api/client.ts';
import { ApiFailure, faultAt } from '../../api/failure.ts';
import { profileQuery } from '../../api/profile.ts';
import { useIsSignedIn } from '../../api/session.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { submits } from '../../components/submits.ts';
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
  const begin = useMutation({
    mutationFn: async (body: { username: string; password: string }) => {
      await dataOf(client.POST('/api/users/register', { body: { ...body, locale: 'en', code } }));
      localStorage.setItem(usedKey, code);
      await signIn(body);
    },
    onError: (error) => {
      if (error instanceof ApiFailure && error.kind === 'InvalidCredentialsError')
        navigate(toSignIn, { replace: true });
    },
  });

  const submit = submits((fields) =>
    begin.mutate({ username: String(fields.get('username')), password: String(fields.get('password')) }),
  );

  if (isSignedIn && !user) return <Unread error={error} />;
  if (user && user.username !== demoUsername) return <Navigate to="/" replace />;
  if (code === '' || (localStorage.getItem(usedKey) === code && begin.isIdle))
    return <Navigate to={toSignIn} replace />;

  const atName = faultAt(begin.error, '/username');
  const atPassword = faultAt(begin.error, '/password');
  return (
    <Paper maw={440} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.welcome.title} />
      <Text mb="md">{words.welcome.text}</Text>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            name="username"
            label={words.signIn.username}
            autoComplete="username"
            required
            minLength={3}
            maxLength={20}
            error={atName}
          />
          <PasswordInput
            name="password"
            label={words.signIn.password}
            description={words.welcome.passwordText}
            autoComplete="new-password"
            required
            minLength={8}
            error={atPassword}
          />
          {begin.error && !atName && !atPassword && <ErrorAlert error={begin.error} />}
          <SubmitButton loading={begin.isPending}>{words.welcome.submit}</SubmitButton>
        </Stack>
      </form>
    </Paper>
  );
}
