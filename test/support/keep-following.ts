import { onTestFinished } from 'vitest';
import { type FollowOptions, follow, type LiveEvent } from './live-client.ts';
import { until } from './sluice.ts';

/** A server that is down, or has just ended. */
const isAway = ({ message }: Error) => /^50\d |fetch failed|terminated|other side closed/.test(message);
const longestMs = 1_800_000;

/** Follows an application at one URL after the other, each until its stream ends, without a gap. Call in a test. */
export function keepFollowing(urls: string[], options: Omit<FollowOptions, 'lastEventId'>) {
  const ids: string[] = [];
  const state = { skipped: 0, connections: 0, lastEventId: undefined as string | undefined };
  let isOver = false;

  function take({ event, id, data }: LiveEvent): void {
    state.lastEventId = id;
    if (event === 'entry') ids.push(data.id);
    if (event === 'skipped') state.skipped += data.count;
  }

  async function followOnce(url: string): Promise<void> {
    const { events, ended, leave } = await follow(url, { ...options, lastEventId: state.lastEventId });
    state.connections += 1;
    let hasEnded = false;
    const ending = ended.finally(() => {
      hasEnded = true;
    });
    ending.catch(() => {});
    let told = 0;
    await until(async () => {
      for (const event of events.slice(told)) take(event);
      told = events.length;
      return hasEnded || isOver;
    }, longestMs);
    if (isOver) leave();
    else await ending;
  }

  async function followAll(): Promise<void> {
    for (let n = 0; !isOver; n++)
      await followOnce(urls[n % urls.length] as string).catch((error: Error) => {
        if (!isOver && !isAway(error)) throw error;
      });
  }
  const following = followAll();
  following.catch(() => {});
  const stop = () => {
    isOver = true;
    return following;
  };
  onTestFinished(() => stop().catch(() => {}));
  return {
    /** Of all entries that were told, in this order. */
    ids,
    state,
    /** Rejects with what went wrong. */
    stop,
  };
}
