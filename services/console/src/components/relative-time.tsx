import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { formatDistance, formatTime } from './formats.ts';

const refreshMs = 10_000;

/** The distance of a time from now, kept up to date. The time itself shows on hover. */
export function RelativeTime({ at }: { at: string }) {
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), refreshMs, { autoInvoke: true });
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatTime(time)}>
      {/* A clock that is late must not put a new entry into the future. */}
      {formatDistance(time, now < time ? time : now)}
    </time>
  );
}
