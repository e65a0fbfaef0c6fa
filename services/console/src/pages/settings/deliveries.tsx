import { Code, Group, Stack, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { SmallButton, SubmitButton } from '../../components/buttons.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatTime } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { submits } from '../../components/submits.ts';
import { showSuccess } from '../../components/toasts.ts';
import { useAct } from '../../components/use-act.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

const path = '/api/applications/{domain}/webhooks/{id}';
const refreshMs = 2_000;
const [shownAtFirst, mostKept] = [50, 500];

/** The log of a webhook, newest first, whose events can be sent again. */
export function Deliveries({ id }: { id: string }) {
  const { domain } = useApplication();
  const act = useAct();
  const [limit, setLimit] = useState(shownAtFirst);
  const params = { path: { domain, id } };
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', domain, id, limit],
    queryFn: ({ signal }) =>
      dataOf(client.GET(`${path}/deliveries`, { params: { ...params, query: { limit } }, signal })),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  if (error || !data) return <Unread error={error} retry={refetch} />;
  if (data.result.length === 0) return <EmptyState {...words.webhooks.none} />;
  const redeliver = (delivery: string) =>
    dataOf(
      client.POST(`${path}/deliveries/{delivery}/redeliver`, { params: { path: { domain, id, delivery } } }),
    );
  async function redeliverFrom(fields: FormData) {
    const body = { from: new Date(String(fields.get('from'))).toISOString() };
    showSuccess((await dataOf(client.POST(`${path}/redeliver`, { params, body }))).message);
  }
  return (
    <Stack>
      <WideTable
        label={words.webhooks.deliveries}
        head={words.webhooks.columns}
        rows={data.result.map(({ id: delivery, type, state, attempts, createdAt, last }) => ({
          key: delivery,
          cells: [
            formatTime(createdAt),
            type,
            words.webhooks.deliveryStates[state],
            attempts,
            last?.status,
            last && `${last.ms} ms`,
            last && <Answer key="answer" last={last} />,
            <SmallButton key="again" size="compact-xs" onClick={() => act(() => redeliver(delivery))}>
              {words.webhooks.redeliver}
            </SmallButton>,
          ],
        }))}
      />
      {!data.pagination.isLast && (
        <Group>
          <SmallButton onClick={() => setLimit(mostKept)}>{words.webhooks.more}</SmallButton>
        </Group>
      )}
      <Group
        component="form"
        onSubmit={submits((fields) => act(() => redeliverFrom(fields)))}
        align="flex-end"
      >
        <TextInput type="datetime-local" name="from" label={words.webhooks.from} required />
        <SubmitButton variant="default">{words.webhooks.redeliver}</SubmitButton>
      </Group>
    </Stack>
  );
}

/** What went wrong, and on demand what the receiver said. */
const Answer = ({ last: { error, body } }: { last: Schemas['DeliveryAttempt'] }) => (
  <>
    {error}
    {body && (
      <details>
        <summary>{words.webhooks.answer}</summary>
        <Code block>{body}</Code>
      </details>
    )}
  </>
);
