/** A station of the invented network. */
export interface Station {
  place: string;
  /** °C on average, and how much a day is above and below it. */
  mean: number;
  swing: number;
  humidity: number;
  /** Days of the history before its first reading. */
  since: number;
  /** Days of the history on which it was silent. */
  silent?: [from: number, to: number];
  /** Others have mains, and send null. */
  hasBattery: boolean;
}

export const stations: Station[] = [
  { place: 'Oslo', mean: 1, swing: 3, humidity: 78, since: 0, hasBattery: true },
  { place: 'Rome', mean: 13, swing: 6, humidity: 68, since: 0, silent: [9, 11], hasBattery: false },
  { place: 'Tokyo', mean: 12, swing: 5, humidity: 60, since: 0, silent: [9.4, 10.2], hasBattery: false },
  { place: 'Denver', mean: 4, swing: 9, humidity: 45, since: 3, hasBattery: true },
  { place: 'Cairo', mean: 19, swing: 7, humidity: 55, since: 6, silent: [9, 10], hasBattery: true },
  { place: 'Nairobi', mean: 19, swing: 6, humidity: 70, since: 13, hasBattery: true },
  { place: 'Lima', mean: 20, swing: 3, humidity: 80, since: 18, silent: [22, 22.8], hasBattery: true },
  { place: 'Sydney', mean: 22, swing: 5, humidity: 62, since: 23, hasBattery: false },
];
