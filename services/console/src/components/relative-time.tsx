import { useEffect, useState } from 'react';
import { formatDistance, formatTime } from './formats.ts';

const refreshMs = 10_000;

/** How long ago that was, kept up to date; the time itself shows on hover. */
export function RelativeTime({ at }: { at: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatTime(time)}>
      {/* What has just come is not in the future. */}
      {formatDistance(time, now < time ? time : now)}
    </time>
  );
}
