import { ActivityTable } from '../../activity/activity-table.tsx';
import { client, dataOf } from '../../api/client.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

/** What members, the operator and Sluice did with an application. */
export function Page() {
  const { domain } = useApplication();
  return (
    <ActivityTable
      label={words.sections.activity}
      queryKey={['activity', domain]}
      read={(after, signal) =>
        dataOf(
          client.GET('/api/applications/{domain}/activity', {
            params: { path: { domain }, query: { after } },
            signal,
          }),
        )
      }
      first={[[words.activity.heads.actor, ({ actor }) => actor]]}
    />
  );
}
