import { Text } from '@mantine/core';
import { ActivityTable } from '../../activity/activity-table.tsx';
import { client, dataOf } from '../../api/client.ts';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';

const { heads } = words.activity;

/** What was done with the account of the user. */
export function Page() {
  return (
    <>
      <PageTitle title={words.audit.title} />
      <ActivityTable
        label={words.audit.title}
        queryKey={['audit']}
        read={(after, signal) =>
          dataOf(client.GET('/api/users/me/activity', { params: { query: { after } }, signal }))
        }
        first={[
          [heads.actor, ({ actor }) => actor],
          [heads.application, ({ application }) => application],
        ]}
        last={[
          [heads.address, ({ address }) => address],
          [
            heads.requestId,
            ({ request_id }) => (
              <Text inherit ff="monospace">
                {request_id}
              </Text>
            ),
          ],
        ]}
      />
    </>
  );
}
