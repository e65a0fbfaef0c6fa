import { Anchor, Checkbox, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { profileQuery } from '../../api/profile.ts';
import { queryClient } from '../../api/query-client.ts';
import { Form } from '../../components/form.tsx';
import { Unread } from '../../components/loading.tsx';
import { Section } from '../../components/section.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { SilenceInput, ThresholdInputs } from './threshold-inputs.tsx';

const matters = ['silence', 'refused', 'jobs', 'failing', 'publications'] as const;
type Chosen = (typeof matters)[number];
const ofEditors: Chosen[] = ['refused', 'failing'];

const alertsQuery = (domain: string) => read('/api/users/me/alerts/{domain}', { path: { domain } });

/** What the user is told of the application by e-mail. */
export function Alerts() {
  const { domain } = useApplication();
  const { data, error, refetch } = useQuery(alertsQuery(domain));
  const { data: profile } = useQuery(profileQuery);
  return (
    <Section isSettings title={words.alerts.title} text={words.alerts.text}>
      {profile && !profile.email && (
        <>
          <Text>{words.alerts.noEmail}</Text>
          <Anchor component={Link} to="/profile">
            {words.alerts.setEmail}
          </Anchor>
        </>
      )}
      {data ? (
        <AlertForm key={JSON.stringify(data)} alerts={data} domain={domain} />
      ) : (
        <Unread error={error} retry={refetch} />
      )}
    </Section>
  );
}

function AlertForm({ alerts, domain }: { alerts: Schemas['Alerts']; domain: string }) {
  const isEditor = useMay('editor');
  const offered = matters.filter((matter) => isEditor || !ofEditors.includes(matter));
  const [chosen, setChosen] = useState<string[]>(offered.filter((matter) => alerts[matter]));
  const has = (matter: Chosen) => chosen.includes(matter);
  const { proposed_silence: proposed } = alerts;
  async function save({ silence, count, minutes }: Record<'silence' | 'count' | 'minutes', string>) {
    const body = {
      silence: has('silence') ? Number(silence) : null,
      refused: has('refused') ? { count: Number(count), minutes: Number(minutes) } : null,
      jobs: has('jobs'),
      failing: has('failing'),
      publications: has('publications'),
    };
    await dataOf(client.PATCH('/api/users/me/alerts/{domain}', { params: { path: { domain } }, body }));
    await queryClient.invalidateQueries({ queryKey: alertsQuery(domain).queryKey });
    showSuccess(words.alerts.saved);
  }
  return (
    <Form act={save} submit={words.alerts.save}>
      {(fault) => (
        <>
          <Checkbox.Group value={chosen} onChange={setChosen} label={words.alerts.tell}>
            <Stack my={4} gap="xs">
              {offered.map((matter) => (
                <Checkbox key={matter} value={matter} label={words.alerts.matters[matter]} />
              ))}
            </Stack>
          </Checkbox.Group>
          {has('silence') && (
            <SilenceInput
              silence={alerts.silence ?? proposed ?? 60}
              description={proposed === undefined ? undefined : words.alerts.proposed(proposed)}
              error={fault('/silence')}
            />
          )}
          {has('refused') && <ThresholdInputs refusals={alerts.refused} />}
        </>
      )}
    </Form>
  );
}
