import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

interface Props {
  query: Pick<UseQueryResult<Schemas['ReplayPairs']>, 'data' | 'error'>;
  kept: number;
}

/** What a mend would store, as it was rehearsed. */
export function Outcome({ query: { data, error }, kept }: Props) {
  const { unique } = useApplication();
  if (error) return <ErrorAlert error={error} />;
  if (!data) return <Text role="status">{words.refused.rehearsing}</Text>;
  const { checked, conforming } = data;
  const rest = checked - conforming;
  return (
    <div role="status">
      <Text fz="lg" fw={600} className="outcome">
        {words.refused.stores(conforming, checked)}
      </Text>
      <Text>
        {conforming === 0 ? words.refused.allStay : rest > 0 && words.refused.stay(rest)}{' '}
        {unique && conforming > 0 && words.refused.butUnique}{' '}
        {checked < kept && words.refused.ofOldest(checked, kept)}
      </Text>
    </div>
  );
}
