import { type Station, stations } from './stations.ts';

export const historyDays = 30;
const dayMs = 86_400_000;
const everyMs = dayMs / 96;
const directions = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

/** The same numbers for the same seed, from 0 to 1: Mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const rounded = (value: number) => Math.round(value * 10) / 10;

export type Reading = ReturnType<typeof readingOf>;

/** What a station measures at a time, in ms since 1970. */
export function readingOf(station: Station, at: number, random: () => number) {
  const { place, mean, swing, hasBattery } = station;
  const ofDay = Math.sin(((at % dayMs) / dayMs) * 2 * Math.PI - Math.PI / 2);
  const celsius = rounded(mean + swing * ofDay + 4 * Math.sin(at / dayMs / 3 + mean) + 2 * random() - 1);
  const humidity = Math.round(Math.min(100, Math.max(10, station.humidity - 12 * ofDay + 16 * random() - 8)));
  const isWet = humidity > 84;
  return {
    place,
    celsius,
    humidity,
    sky: isWet ? (celsius < 1 ? 'snow' : 'rain') : humidity > 66 ? 'cloudy' : 'clear',
    wind: {
      speed: rounded(2 + 9 * random() ** 2),
      direction: directions[Math.floor(random() * directions.length)],
    },
    battery: hasBattery ? Math.round(100 - ((at / dayMs) % 12) * 7) : null,
    measured_at: new Date(at).toISOString(),
  };
}

/** Radio is worse at some hours, and on some days. */
const lossOf = (day: number) => 0.6 + 0.4 * Math.sin(day * 2.3);

/** The readings of the days before `end`, as lines of an NDJSON export. */
export function* history(end: number): Generator<string> {
  const begin = end - historyDays * dayMs;
  const random = randomNumbers(30);
  for (let at = begin; at < end; at += everyMs) {
    const day = (at - begin) / dayMs;
    for (const station of stations) {
      const { since, silent: [from, to] = [0, 0] } = station;
      const measured = at + Math.floor(random() * everyMs * 0.9);
      const isLost = random() < 0.04 + 0.3 * (0.5 + 0.5 * Math.cos(2 * Math.PI * day)) * lossOf(day);
      if (isLost || day < since || (day >= from && day < to)) continue;
      const created = measured + 400 + Math.floor(random() * 2_000);
      const payload = readingOf(station, measured, random);
      if (created < end) yield JSON.stringify({ createdAt: new Date(created).toISOString(), payload });
    }
  }
}
