import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { formatDistance, formatTime } from './formats.ts';

const refreshMs = 10_000;

interface Props {
  at: string;
  /** It has not come yet. */
  isAhead?: boolean;
  isShort?: boolean;
}

/** The distance of a time from now, kept up to date. The time itself shows on hover. */
export function RelativeTime({ at, isAhead = false, isShort = false }: Props) {
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), refreshMs, { autoInvoke: true });
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatTime(time)}>
      {/* A clock that is wrong must not put a new entry into the future, nor a next run into the past. */}
      {formatDistance(time, now < time === isAhead ? now : time, isShort)}
    </time>
  );
}
