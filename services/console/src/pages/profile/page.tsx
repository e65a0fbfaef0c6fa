import { Anchor, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { signInAnew } from '../../api/browser-session.ts';
import { client, dataOf } from '../../api/client.ts';
import { tellAt } from '../../api/failure.ts';
import { profileQuery } from '../../api/profile.ts';
import { useLacksSecondFactor } from '../../api/session.ts';
import { Form } from '../../components/form.tsx';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { Email } from './email.tsx';
import { LinkedProvider } from './provider.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';

export function Page() {
  const { data, error, refetch } = useQuery(profileQuery);
  const lacksSecondFactor = useLacksSecondFactor();
  return (
    <>
      <PageTitle title={words.profile.title} />
      {(error || !data) && <Unread error={error} retry={refetch} />}
      {data && (
        <Stack maw={400} mb="xl">
          <Text>{words.profile.signedInAs(data.username)}</Text>
          <Text>
            {words.profile.since(data.createdAt)} · {words.profile.language}
          </Text>
          {!lacksSecondFactor && (
            <>
              <Anchor component={Link} to="/audit">
                {words.audit.title}
              </Anchor>
              <Email {...data} />
              {data.signs_in_by.includes('password') && <PasswordForm username={data.username} />}
              <LinkedProvider isLinked={data.signs_in_by.includes('oidc')} />
            </>
          )}
        </Stack>
      )}
      <Stack gap="xl">
        {data?.signs_in_by.includes('password') && <SecondFactor />}
        {!lacksSecondFactor && (
          <>
            <Sessions />
            <Tokens />
          </>
        )}
      </Stack>
    </>
  );
}

/** Changes the password, which ends all sessions. This browser signs in again with the new password. */
function PasswordForm({ username }: { username: string }) {
  async function change(body: Record<'old_password' | 'new_password', string>) {
    await dataOf(client.PUT('/api/users/me/password', { body })).catch(
      tellAt('/old_password', words.profile.wrongPassword),
    );
    await signInAnew({ username, password: body.new_password });
    showSuccess(words.profile.changed);
  }
  return (
    <Form act={change} submit={words.profile.submit} variant="default">
      {(fault) => (
        <>
          <Title order={2}>{words.profile.password}</Title>
          <input type="hidden" autoComplete="username" value={username} />
          <PasswordInput
            name="old_password"
            label={words.profile.oldPassword}
            autoComplete="current-password"
            error={fault('/old_password')}
            required
          />
          <PasswordInput
            name="new_password"
            label={words.profile.newPassword}
            description={words.profile.newPasswordHint}
            autoComplete="new-password"
            error={fault('/new_password')}
            required
          />
        </>
      )}
    </Form>
  );
}
