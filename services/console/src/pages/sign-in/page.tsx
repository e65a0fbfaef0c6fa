import { Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Navigate, useSearchParams } from 'react-router';
import { signIn } from '../../api/browser-session.ts';
import { useIsSignedIn } from '../../api/session.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { pathAfter } from './path-after.ts';

export function Page() {
  const [search] = useSearchParams();
  const isSignedIn = useIsSignedIn();
  const { mutate, error, isPending } = useMutation({ mutationFn: signIn });

  const submit = submits((fields) =>
    mutate({ username: String(fields.get('username')), password: String(fields.get('password')) }),
  );
  // Also if another tab has signed in.
  if (isSignedIn) return <Navigate to={pathAfter(search.get('then'))} replace />;
  return (
    <Paper maw={400} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.signIn.title} />
      {search.has('used-link') && <Text mb="md">{words.signIn.linkUsed}</Text>}
      {search.has('signed-out') && <Text mb="md">{words.signIn.signedOut}</Text>}
      {search.has('then') && <Text mb="md">{words.signIn.goOn}</Text>}
      <form onSubmit={submit}>
        <Stack>
          <TextInput name="username" label={words.signIn.username} autoComplete="username" required />
          <PasswordInput
            name="password"
            label={words.signIn.password}
            autoComplete="current-password"
            required
          />
          {error && <ErrorAlert error={error} />}
          <SubmitButton loading={isPending}>{words.signIn.submit}</SubmitButton>
        </Stack>
      </form>
    </Paper>
  );
}
