import { ApiError } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { SenderStore } from '@sluice/store/applications/senders.ts';
import type { LivePlace, LiveStore, Moment } from '@sluice/store/live/live.ts';
import { type Basis, type Feed, hasChanged } from '../known/feed.ts';
import { type Followed, ping, readEvents } from './events.ts';

const lookEveryMs = 200;
const groupsAtOnce = 8;
/** Proxies close silent connections. */
const pingEveryMs = 15_000;
const checksAtOnce = 8;
/** A client that takes nothing for this long is disconnected. */
const longestFullMs = 60_000;

export interface Follower extends Followed {
  /** Where to continue; undefined: after everything that exists now. */
  place: LivePlace | undefined;
  /** Whether the client has not taken what was sent. */
  isFull(): boolean;
  send(events: Buffer): void;
  /** Ends the stream, or the connection if the client takes nothing. */
  end(): void;
  /** What the right to follow was read from. */
  basis: Basis;
  /** When that right ends by itself, in ms since the epoch. */
  until: number;
  /** Rejects with ApiError if the user may no longer follow. */
  check(): Promise<Pick<Follower, 'application' | 'basis'>>;
}

interface State {
  follower: Follower;
  sentAt: number;
  /** What the right was read from has changed. */
  isDue: boolean;
  /** Since when the client has not taken what was sent. */
  fullSince: number | undefined;
}

/** Followers of a group get the same events. */
const groupOf = ({ follower: { application, withRefused, meta, key, place } }: State) =>
  [application.id, withRefused, meta, key, place?.entries, place?.refused].join(' ');

interface Dependencies {
  live: LiveStore;
  senders: Pick<SenderStore, 'textsOf'>;
  isDraining(): boolean;
  log: Pick<Logger, 'debug'>;
  feed: Pick<Feed, 'listen' | 'isOutdated'>;
}

/** Sends new events to all followers, a few times a second. A full follower is skipped and continues later at its place. */
export function createFollowers({ live, senders, isDraining, log, feed }: Dependencies) {
  const all = new Set<State>();
  let isClosed = false;

  function end(state: State): void {
    if (all.delete(state)) state.follower.end();
  }
  const endAll = () => all.forEach(end);

  function send(states: State[], events: string): void {
    const bytes = Buffer.from(events);
    for (const state of states) {
      if (!all.has(state)) continue;
      state.follower.send(bytes);
      state.sentAt = performance.now();
    }
  }

  /** The next look begins at the same place. */
  const missed = ({ message }: Error) => log.debug({ event: 'live.missed', reason: message });

  async function lookFor(moment: Moment, group: State[]): Promise<void> {
    const [{ follower }] = group as [State];
    const { place, events } = follower.place
      ? await readEvents(moment, follower, follower.place, senders)
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
    state.isDue = false;
    try {
      Object.assign(state.follower, await state.follower.check());
      state.isDue ||= feed.isOutdated(state.follower.basis);
    } catch (error) {
      if (error instanceof ApiError) end(state);
      else state.isDue = true;
    }
  }

  async function checkDue(): Promise<void> {
    const sideBySide = createSideBySide(checksAtOnce);
    for (const state of all) if (state.isDue) await sideBySide.add(() => check(state));
    await sideBySide.finish();
  }

  const unlisten = feed.listen((changed) => {
    for (const state of all) state.isDue ||= !changed || hasChanged(state.follower.basis, changed);
    void checkDue();
  });

  async function pass(): Promise<void> {
    if (isDraining()) endAll();
    if (all.size === 0) return;
    const now = performance.now();
    for (const state of all) {
      state.fullSince = state.follower.isFull() ? (state.fullSince ?? now) : undefined;
      if (state.fullSince !== undefined && now - state.fullSince > longestFullMs) end(state);
      if (state.follower.until <= Date.now()) end(state);
    }
    await checkDue();
    await live.atMoment(look).catch(missed);
    pingSilent();
  }
  const stop = repeat(lookEveryMs, pass);

  return {
    /** Returns how to stop. */
    add(follower: Follower): () => void {
      const now = performance.now();
      const state: State = {
        follower,
        sentAt: now,
        isDue: feed.isOutdated(follower.basis),
        fullSince: undefined,
      };
      all.add(state);
      // The first event sends the head of the answer: a resumed stream may have no other for long.
      if (follower.place) send([state], ping(follower.place));
      if (isClosed) end(state);
      return () => void all.delete(state);
    },

    count: () => all.size,

    close(): void {
      isClosed = true;
      stop();
      unlisten();
      endAll();
    },
  };
}
