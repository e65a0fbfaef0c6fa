import { Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearchParams } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { pathAfter } from './path-after.ts';

export function Page() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const signIn = useMutation({
    mutationFn: (body: { username: string; password: string }) =>
      dataOf(client.POST('/api/users/login', { body })),
    onSuccess: ({ token }) => {
      session.begin(token);
      navigate(pathAfter(search.get('then')), { replace: true });
    },
  });

  const submit = submits((fields) =>
    signIn.mutate({ username: String(fields.get('username')), password: String(fields.get('password')) }),
  );
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
          {signIn.error && <ErrorAlert error={signIn.error} />}
          <SubmitButton loading={signIn.isPending}>{words.signIn.submit}</SubmitButton>
        </Stack>
      </form>
    </Paper>
  );
}
