import { ApiError } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { LiveStore, Moment, Place } from '@sluice/store/live/live.ts';
import type { Timings } from '../timings.ts';
import { type Followed, ping, readEvents } from './events.ts';

const lookEveryMs = 200;
const groupsAtOnce = 8;
/** Proxies cut connections on which nothing comes. */
const pingEveryMs = 15_000;
const checksPerLook = 10;
/** Who has taken nothing for so long is let go. */
const longestFullMs = 60_000;

export interface Follower extends Followed {
  /** Undefined: behind what is there now. */
  place: Place | undefined;
  /** Its client has not taken what was sent. */
  isFull(): boolean;
  send(events: Buffer): void;
  /** Ends the stream, or the connection where its client takes nothing. */
  end(): void;
  /** Rejects with ApiError if it may not follow any more. */
  check(): Promise<Followed['application']>;
}

interface State {
  follower: Follower;
  sentAt: number;
  checkedAt: number;
  /** Undefined: its client has taken what was sent. */
  fullSince: number | undefined;
}

/** Those that can be sent the same. */
const groupOf = ({ follower: { application, withRefused, place } }: State) =>
  [application.id, withRefused, place?.entries, place?.refused].join(' ');

interface Dependencies {
  live: LiveStore;
  isDraining(): boolean;
  log: Pick<Logger, 'debug'>;
  timings: Pick<Timings, 'followerCheckMs'>;
}

/** Sends what comes to all who follow applications, a few times a second. One that is full is left out, and goes on later where it was. */
export function createFollowers({ live, isDraining, log, timings }: Dependencies) {
  const all = new Set<State>();
  let isClosed = false;

  function end(state: State): void {
    if (all.delete(state)) state.follower.end();
  }
  const endAll = () => all.forEach(end);

  function send(states: State[], events: string): void {
    // The same bytes for all of them.
    const bytes = Buffer.from(events);
    for (const state of states) {
      if (!all.has(state)) continue;
      state.follower.send(bytes);
      state.sentAt = performance.now();
    }
  }

  /** The next time goes on where this one began. */
  const missed = ({ message }: Error) => log.debug({ event: 'live.missed', reason: message });

  async function lookFor(moment: Moment, group: State[]): Promise<void> {
    const [{ follower }] = group as [State];
    const { place, events } = follower.place
      ? await readEvents(moment, follower, follower.place)
      : await begin(moment, follower);
    for (const state of group) state.follower.place = place;
    if (events !== '') send(group, events);
  }

  async function begin(moment: Moment, { application }: Follower) {
    const place = await moment.end(application.id);
    return { place, events: ping(place) };
  }

  async function look(moment: Moment): Promise<void> {
    const sideBySide = createSideBySide(groupsAtOnce);
    const lookOrMiss = (group: State[]) => lookFor(moment, group).catch(missed);
    const ready = [...all].filter(({ fullSince }) => fullSince === undefined);
    for (const group of Map.groupBy(ready, groupOf).values()) await sideBySide.add(() => lookOrMiss(group));
    await sideBySide.finish();
  }

  function pingSilent(): void {
    const now = performance.now();
    for (const state of all) {
      const { place, isFull } = state.follower;
      if (place && now - state.sentAt > pingEveryMs && !isFull()) send([state], ping(place));
    }
  }

  async function check(state: State): Promise<void> {
    state.checkedAt = performance.now();
    try {
      state.follower.application = await state.follower.check();
    } catch (error) {
      if (error instanceof ApiError) end(state);
    }
  }

  async function pass(): Promise<void> {
    if (isDraining()) endAll();
    if (all.size === 0) return;
    const now = performance.now();
    for (const state of all) {
      state.fullSince = state.follower.isFull() ? (state.fullSince ?? now) : undefined;
      if (state.fullSince !== undefined && now - state.fullSince > longestFullMs) end(state);
    }
    const due = [...all].filter(({ checkedAt }) => now - checkedAt > timings.followerCheckMs);
    await Promise.all(due.slice(0, checksPerLook).map(check));
    await live.atMoment(look).catch(missed);
    pingSilent();
  }
  const stop = repeat(lookEveryMs, pass);

  return {
    /** Returns how to stop. */
    add(follower: Follower): () => void {
      const now = performance.now();
      const state: State = { follower, sentAt: now, checkedAt: now, fullSince: undefined };
      all.add(state);
      // The head of the answer goes out with the first event: a stream that resumes may have no other for long.
      if (follower.place) send([state], ping(follower.place));
      if (isClosed) end(state);
      return () => void all.delete(state);
    },

    count: () => all.size,

    close(): void {
      isClosed = true;
      stop();
      endAll();
    },
  };
}
