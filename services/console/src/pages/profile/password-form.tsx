import { Button, PasswordInput, Stack, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { session } from '../../api/session.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';

/** Changes the password. That ends all sessions, so this one begins anew with the new password. */
export function PasswordForm({ username }: { username: string }) {
  const change = useMutation({
    async mutationFn(body: { old_password: string; new_password: string }) {
      await dataOf(client.PUT('/api/users/me/password', { body }));
      const credentials = { username, password: body.new_password };
      return dataOf(client.POST('/api/users/login', { body: credentials }));
    },
    onSuccess({ token }) {
      session.begin(token);
      showSuccess(words.profile.changed);
    },
  });
  const { error } = change;
  const atNew = error instanceof ApiFailure ? error.ofField('new_password') : undefined;
  const isOldWrong = error instanceof ApiFailure && error.kind === 'InvalidCredentialsError';

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    change.mutate(
      { old_password: String(fields.get('old')), new_password: String(fields.get('new')) },
      { onSuccess: () => form.reset() },
    );
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={2} size="h4">
          {words.profile.password}
        </Title>
        <input type="hidden" name="username" autoComplete="username" value={username} />
        <PasswordInput
          name="old"
          label={words.profile.oldPassword}
          autoComplete="current-password"
          error={isOldWrong && error.message}
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
        <Button type="submit" loading={change.isPending}>
          {words.profile.submit}
        </Button>
      </Stack>
    </form>
  );
}
