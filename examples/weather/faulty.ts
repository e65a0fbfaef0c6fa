import { type Reading, readingOf } from './readings.ts';
import { type Station, stations } from './stations.ts';

type Payload = Record<string, unknown>;

/** What is wrong with the readings of some devices, and how often. */
const faults: [count: number, spoil: (reading: Reading) => Payload][] = [
  [18, (reading) => ({ ...reading, celsius: String(reading.celsius) })],
  [12, (reading) => ({ ...reading, sky: 'fog' })],
  [9, (reading) => ({ ...reading, humidity: 101 + Math.abs(Math.round(reading.celsius)) })],
  [7, (reading) => ({ ...reading, measured_at: new Date(reading.measured_at).toUTCString() })],
  [4, ({ place: _, ...reading }) => reading],
];

const stationAt = (index: number) => stations[index % stations.length] as Station;

/** Readings that the schema refuses, for several reasons. */
export function faultyReadings(random: () => number): Payload[] {
  return faults.flatMap(([count, spoil], kind) =>
    Array.from({ length: count }, (_, index) =>
      spoil(readingOf(stationAt(index + kind), Date.now() - index * 60_000, random)),
    ),
  );
}

/** A reading of now; one in twelve is faulty. */
export function nextReading(index: number, random: () => number): Payload {
  const reading = readingOf(stationAt(Math.floor(random() * stations.length)), Date.now(), random);
  const [, spoil] = faults[Math.floor(index / 12) % faults.length] as (typeof faults)[number];
  return index % 12 === 11 ? spoil(reading) : reading;
}
