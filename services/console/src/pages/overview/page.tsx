import './overview.css';
import { Stack } from '@mantine/core';
import { DayChart } from './day-chart.tsx';
import { Figures } from './figures.tsx';
import { Health } from './health.tsx';
import { Senders } from './senders.tsx';

/** How an application does, at a look. */
export function Page() {
  return (
    <Stack gap="lg">
      <Figures />
      <DayChart />
      <div className="overview-columns">
        <Health />
        <Senders />
      </div>
    </Stack>
  );
}
