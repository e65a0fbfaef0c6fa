import { Text, TextInput, Title } from '@mantine/core';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { profileQuery } from '../../api/profile.ts';
import { queryClient } from '../../api/query-client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Form } from '../../components/form.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: profileQuery.queryKey });

/** Where mails go. A new address counts once the link in its mail was opened. */
export function Email({
  email,
  email_pending: pending,
}: Pick<Schemas['Profile'], 'email' | 'email_pending'>) {
  async function set(body: { email: string }) {
    await dataOf(client.PUT('/api/users/me/email', { body }));
    await refresh();
    showSuccess(words.email.asked(body.email));
  }
  async function forget() {
    await dataOf(client.DELETE('/api/users/me/email', {}));
    await refresh();
    showSuccess(words.email.deleted);
  }
  return (
    <>
      <Form act={set} submit={words.email.set} variant="default">
        {(fault) => (
          <>
            <Title order={2}>{words.email.title}</Title>
            <Text>{email ? words.email.goesTo(email) : words.email.none}</Text>
            {pending && <Text>{words.email.pending(pending)}</Text>}
            <TextInput
              name="email"
              type="email"
              label={words.email.label}
              autoComplete="email"
              required
              error={fault('/email')}
            />
          </>
        )}
      </Form>
      {email && <SmallButton onClick={() => void forget()}>{words.email.delete}</SmallButton>}
    </>
  );
}
