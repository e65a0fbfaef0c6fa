import { Drawer, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { reasonOf } from '../../api/refused.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Cards } from '../../components/cards.tsx';
import { Unread } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactDataOf, toText, unshared } from '../../json/exact.ts';
import { JsonView } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

const pageSize = 20;

interface Props {
  group: Schemas['RefusedGroup'];
  opened: boolean;
  onClose: () => void;
}

/** The uploads of a group that are kept, newest first. */
export function UploadsDrawer({ group, opened, onClose }: Props) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="xl" title={words.refused.uploads}>
      <Uploads group={group} />
    </Drawer>
  );
}

function Uploads({ group }: Pick<Props, 'group'>) {
  const { domain } = useApplication();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['refused', domain, 'uploads', reasonOf(group)],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...reasonOf(group), limit: pageSize, ...(pageParam && { after: pageParam }) };
      const init = { params: { path: { domain }, query }, parseAs: 'text', signal } as const;
      return exactDataOf<Schemas['RefusedPage']>(client.GET('/api/applications/{domain}/refused', init));
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination: { isLast, cursor } }) => (isLast ? undefined : cursor),
    ...unshared,
  });
  if (error || !data) return <Unread error={error} />;
  return (
    <Stack gap="sm">
      <Cards>
        {data.pages
          .flatMap(({ result }) => result)
          .map((upload) => (
            <Upload key={upload.id} upload={upload} />
          ))}
      </Cards>
      {hasNextPage && (
        <SmallButton loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {words.common.more}
        </SmallButton>
      )}
    </Stack>
  );
}

function Upload({ upload }: { upload: Schemas['RefusedUpload'] }) {
  const { received_at, source, line, schema_version, error, key, network, payload, truncated } = upload;
  return (
    <Paper component="li" withBorder p="sm">
      <Stack gap="xs">
        <Group gap="md" fz="sm">
          <RelativeTime at={received_at} />
          <span>{words.refused.source(words.refused.sources[source], line)}</span>
          <span>{words.refused.schemaVersion(schema_version)}</span>
          {key && <span>{words.refused.key(key)}</span>}
          {network && <span>{words.refused.network(network)}</span>}
        </Group>
        {error.details.map(({ path, message }) => (
          <Text key={`${path} ${message}`}>
            {path} {message}
          </Text>
        ))}
        <JsonView
          text={toText(payload)}
          label={words.refused.payload}
          marked={error.details[0]?.path ?? ''}
        />
        {truncated && <Text>{words.refused.truncated}</Text>}
      </Stack>
    </Paper>
  );
}
