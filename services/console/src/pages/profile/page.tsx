import { Anchor, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link } from 'react-router';
import { signIn } from '../../api/browser-session.ts';
import { client, dataOf } from '../../api/client.ts';
import { ApiFailure, faultAt } from '../../api/failure.ts';
import { profileQuery } from '../../api/profile.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { submits } from '../../components/submits.ts';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { Tokens } from './tokens.tsx';

export function Page() {
  const { data, error, refetch } = useQuery(profileQuery);
  return (
    <>
      <PageTitle title={words.profile.title} />
      {(error || !data) && <Unread error={error} retry={refetch} />}
      {data && (
        <Stack maw={400} mb="xl">
          <Text>{words.profile.signedInAs(data.username)}</Text>
          <Text size="sm">{words.profile.since(data.createdAt)}</Text>
          <Text size="sm">{words.profile.language}</Text>
          <Anchor component={Link} to="/audit">
            {words.audit.title}
          </Anchor>
          <PasswordForm username={data.username} />
        </Stack>
      )}
      <Tokens />
    </>
  );
}

/** Changes the password, which ends all sessions. This browser signs in again with the new password. */
function PasswordForm({ username }: { username: string }) {
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    async mutationFn(body: { old_password: string; new_password: string }) {
      await dataOf(client.PUT('/api/users/me/password', { body }));
      await signIn({ username, password: body.new_password });
    },
    onSuccess() {
      form.current?.reset();
      showSuccess(words.profile.changed);
    },
  });
  const { error } = change;
  const atNew = faultAt(error, '/new_password');
  const isOldWrong = error instanceof ApiFailure && error.kind === 'InvalidCredentialsError';

  const submit = submits((fields) =>
    change.mutate({ old_password: String(fields.get('old')), new_password: String(fields.get('new')) }),
  );
  return (
    <form onSubmit={submit} ref={form}>
      <Stack>
        <Title order={2}>{words.profile.password}</Title>
        <input type="hidden" name="username" autoComplete="username" value={username} />
        <PasswordInput
          name="old"
          label={words.profile.oldPassword}
          autoComplete="current-password"
          error={isOldWrong && words.profile.wrongPassword}
          required
        />
        <PasswordInput
          name="new"
          label={words.profile.newPassword}
          description={words.profile.newPasswordHint}
          autoComplete="new-password"
          error={atNew}
          required
        />
        {error && !atNew && !isOldWrong && <ErrorAlert error={error} />}
        <SubmitButton loading={change.isPending}>{words.profile.submit}</SubmitButton>
      </Stack>
    </form>
  );
}
