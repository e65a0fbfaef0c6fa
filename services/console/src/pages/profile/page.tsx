import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatTime } from '../../components/formats.ts';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { PasswordForm } from './password-form.tsx';

export function Page() {
  const { data, error, refetch } = useQuery({
    queryKey: ['profile'],
    queryFn: ({ signal }) => dataOf(client.GET('/api/users/me', { signal })),
  });
  return (
    <>
      <PageTitle title={words.profile.title} />
      {error && <ErrorAlert error={error} onRetry={() => refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <Stack maw={400}>
          <Text>{words.profile.signedInAs(data.username)}</Text>
          <Text size="sm">{words.profile.since(formatTime(new Date(data.createdAt)))}</Text>
          <Text size="sm">{words.profile.language}</Text>
          <Anchor component={Link} to="/audit">
            {words.audit.title}
          </Anchor>
          <PasswordForm username={data.username} />
        </Stack>
      )}
    </>
  );
}
