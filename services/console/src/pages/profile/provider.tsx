import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { providersQuery } from '../../api/providers.ts';
import { ActButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';
import { FailedSignIn } from '../sign-in/providers.tsx';

async function link(): Promise<void> {
  const params = { query: { return_to: '/profile' } };
  const { url } = await dataOf(client.POST('/api/session/oidc', { params }));
  location.assign(url);
}

/** How a user with a password gets to sign in through the provider too. */
export function LinkedProvider({ isLinked }: { isLinked: boolean }) {
  const failed = useSearchParams()[0].get('failed');
  const { data: [provider] = [] } = useQuery(providersQuery);
  if (!provider) return null;
  const { name } = provider;
  return (
    <>
      <Title order={2}>{words.profile.provider}</Title>
      <Text>{isLinked ? words.profile.linked(name) : words.profile.linkText(name)}</Text>
      {failed && <FailedSignIn title={words.profile.notLinked} reason={failed} />}
      <ActButton act={link}>{isLinked ? words.profile.linkOther : words.profile.link(name)}</ActButton>
    </>
  );
}
