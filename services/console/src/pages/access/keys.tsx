import { Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { KeyRow } from './key-row.tsx';
import { keysKey } from './keys-key.ts';
import { NewKey } from './new-key.tsx';
import { Section } from './section.tsx';
import { ShownKey } from './shown-key.tsx';
import { useUpdate } from './use-update.ts';

/** Ingest keys: whether uploads need one, and which there are. */
export function Keys() {
  const { domain, key_required } = useApplication();
  const [shown, setShown] = useState<Schemas['IssuedKey']>();
  const update = useUpdate(domain);
  const { data, error, refetch } = useQuery({
    queryKey: keysKey(domain),
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications/{domain}/keys', { params: { path: { domain } }, signal })),
  });
  return (
    <Section title={words.access.keys} text={words.access.keysText}>
      <Switch
        label={words.access.keyRequired}
        checked={key_required}
        disabled={update.isPending}
        onChange={(event) => update.mutate({ key_required: event.currentTarget.checked })}
      />
      {update.error && <ErrorAlert error={update.error} />}
      {shown && <ShownKey issued={shown} onClose={() => setShown(undefined)} />}
      <NewKey domain={domain} onIssued={setShown} />
      {error && <ErrorAlert error={error} onRetry={() => refetch()} />}
      {!data && !error && <Loading />}
      <Stack component="ul" gap="xs" p={0} m={0} w="100%" style={{ listStyle: 'none' }}>
        {data?.map((key) => (
          <KeyRow key={key.id} domain={domain} ingestKey={key} onIssued={setShown} />
        ))}
      </Stack>
    </Section>
  );
}
