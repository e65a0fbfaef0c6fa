import { Code, Stack, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { ActButton, SmallButton } from '../../components/buttons.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Form } from '../../components/form.tsx';
import { formatTime } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { fromLocal } from '../../components/time-zone.ts';
import { showSuccess } from '../../components/toasts.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

const path = '/api/applications/{domain}/webhooks/{id}';
const refreshMs = 2_000;
const [shownAtFirst, mostKept] = [50, 500];

/** The log of a webhook, newest first, whose events can be sent again. */
export function Deliveries({ id }: { id: string }) {
  const { domain } = useApplication();
  const [limit, setLimit] = useState(shownAtFirst);
  const params = { path: { domain, id } };
  const { data, error, refetch } = useQuery({
    ...read(`${path}/deliveries`, { ...params, query: { limit } }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  if (error || !data) return <Unread error={error} retry={refetch} />;
  if (data.result.length === 0) return <EmptyState {...words.webhooks.none} />;
  const redeliver = (delivery: string) =>
    dataOf(
      client.POST(`${path}/deliveries/{delivery}/redeliver`, { params: { path: { domain, id, delivery } } }),
    );
  async function redeliverFrom(fields: { from: string }) {
    const body = { from: fromLocal(fields.from) ?? '' };
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
            <ActButton key="again" size="compact-xs" act={() => redeliver(delivery)}>
              {words.webhooks.redeliver}
            </ActButton>,
          ],
        }))}
      />
      {!data.pagination.isLast && (
        <SmallButton onClick={() => setLimit(mostKept)}>{words.webhooks.more}</SmallButton>
      )}
      <Form act={redeliverFrom} submit={words.webhooks.redeliver} variant="default" isInline>
        <TextInput type="datetime-local" name="from" label={words.webhooks.from} required />
      </Form>
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
