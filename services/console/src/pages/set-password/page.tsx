import { Paper, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Form } from '../../components/form.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { isDead, readCode, setPassword } from './by-code.ts';
import { DeadLink } from './dead-link.tsx';

/** The page of the link that the operator gives to a user who is invited, or has forgotten the password. */
export function Page() {
  const link = readCode(useLocation().hash);
  const navigate = useNavigate();
  const [isUsed, setIsUsed] = useState(false);
  async function choose({ password }: { password: string }) {
    try {
      await setPassword(link, password);
      await navigate('/', { replace: true });
    } catch (error) {
      if (!isDead(error as Error)) throw error;
      setIsUsed(true);
    }
  }
  if (!link.code || isUsed) return <DeadLink />;
  return (
    <Paper maw={440} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.setPassword.title} />
      <Text mb="md">{words.setPassword.text(link.username)}</Text>
      <Form act={choose} submit={words.setPassword.submit}>
        {(fault) => (
          <>
            <input type="hidden" autoComplete="username" value={link.username} />
            <PasswordInput
              name="password"
              label={words.profile.newPassword}
              description={words.welcome.passwordText}
              autoComplete="new-password"
              required
              minLength={8}
              error={fault('/new_password')}
            />
          </>
        )}
      </Form>
    </Paper>
  );
}
