import { Paper, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useNavigate } from 'react-router';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { isDead, readCode, setPassword } from './by-code.ts';
import { DeadLink } from './dead-link.tsx';

/** The page of the link that the operator gives to a user who is invited, or has forgotten the password. */
export function Page() {
  const link = readCode(useLocation().hash);
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (password: string) => setPassword(link, password),
    onSuccess: () => navigate('/', { replace: true }),
  });
  if (!link.code || isDead(error)) return <DeadLink />;
  const atPassword = faultAt(error, '/new_password');
  return (
    <Paper maw={440} mx="auto" mt="xl" p="lg" withBorder>
      <PageTitle title={words.setPassword.title} />
      <Text mb="md">{words.setPassword.text(link.username)}</Text>
      <form onSubmit={submits((fields) => mutate(String(fields.get('password'))))}>
        <Stack>
          <input type="hidden" name="username" autoComplete="username" value={link.username} />
          <PasswordInput
            name="password"
            label={words.profile.newPassword}
            description={words.welcome.passwordText}
            autoComplete="new-password"
            required
            minLength={8}
            error={atPassword}
          />
          {error && !atPassword && <ErrorAlert error={error} />}
          <SubmitButton loading={isPending}>{words.setPassword.submit}</SubmitButton>
        </Stack>
      </form>
    </Paper>
  );
}
