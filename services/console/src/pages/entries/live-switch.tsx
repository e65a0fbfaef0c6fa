import { Switch } from '@mantine/core';
import { words } from '../../words/en.ts';
import type { View } from './view.ts';

/** Why new entries cannot come by themselves; undefined if they can. */
export function whyNotLive({ conditions, to, order, after }: View): string | undefined {
  const { noLive } = words.entries;
  if (conditions.length > 0) return noLive.filters;
  if (to) return noLive.period;
  if (order === 'oldest') return noLive.order;
  return after ? noLive.page : undefined;
}

interface Props {
  isFollowing: boolean;
  mayFollow: boolean;
  setIsLive: (isLive: boolean) => void;
}

export function LiveSwitch({ isFollowing, mayFollow, setIsLive }: Props) {
  return (
    <Switch
      size="xs"
      label={words.entries.live}
      checked={isFollowing}
      disabled={!mayFollow}
      aria-describedby="why-not-live"
      onChange={(event) => setIsLive(event.currentTarget.checked)}
    />
  );
}
