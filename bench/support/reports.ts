import { createRandom } from './random.ts';
import { inVariant, kinds, units } from './report-schema.ts';

export const reportCount = 200;
/** The last addition has up to 150 bytes, so the longest report has 3 KB. */
const [least, most] = [300, 2_900];

const people = ['jorgen', 'renee', 'thomas', 'aya'];
const sensors = ['wind-7', 'gauge', 'baromètre', '温度計'];
const stations = ['Ålesund', 'São Paulo', 'Łódź', 'Oslo', '東京', 'Val-d’Isère', 'Station "North"'];
const words = [
  ...'river level rising slowly clear night élevé über señal crème Fluß naïve 雨 🌧️ l’été'.split(' '),
  ...['C:\\data\\raw', '"gusts"', 'first line\nsecond line', 'wind\tcalm'],
];

/** 200 different payloads for `reportSchema`, as JSON of 0.3 to 3 KB with accents and escapes. */
export const reports = (): string[] =>
  Array.from({ length: reportCount }, (_, serial) => toJson(serial, made(serial)));

/** One of them, with the names of the variant. */
export function reportIn(variant: number, serial: number): string {
  const place = serial % reportCount;
  return toJson(place, inVariant(made(place), variant));
}

interface Report extends Record<string, unknown> {
  comment: string;
  readings?: object[];
  samples?: number[];
}

const known = new Map<number, object>();

function made(serial: number): object {
  const report = known.get(serial) ?? make(serial);
  known.set(serial, report);
  return report;
}

function make(serial: number): object {
  const { whole, decimal, pick } = createRandom(serial);
  const sentence = () => `${Array.from({ length: 4 }, () => pick(words)).join(' ')}. `;
  const date = () => `2026-0${whole(1, 9)}-1${whole(0, 9)}`;
  const report: Report = {
    id: `report-${serial}`,
    at: `${date()}T0${whole(0, 9)}:30:00Z`,
    author: `${pick(people)}@example.org`,
    station: pick(stations),
    kind: pick(kinds),
    level: whole(1, 5),
    temperature: decimal(-30, 40),
    wet: whole(0, 1) === 1,
    position: { latitude: decimal(-90, 90), longitude: decimal(-180, 180), place: pick(words) },
    comment: sentence(),
  };
  const reading = () => ({ sensor: pick(sensors), value: decimal(-1e4, 1e4), unit: pick(units) });
  const additions = [
    () => ({ day: date(), count: whole(0, 1e9) }),
    () => ({ source: `https://example.org/${pick(people)}/${whole(0, 1e6)}` }),
    () => ({ comment: report.comment + sentence() }),
    () => ({ readings: [...(report.readings ?? []), reading()] }),
    () => ({ samples: [...(report.samples ?? []), ...Array.from({ length: 6 }, () => decimal(-100, 100))] }),
  ];
  const bytes = least * (most / least) ** (((serial * 73) % reportCount) / reportCount);
  while (Buffer.byteLength(toJson(serial, report)) < bytes) Object.assign(report, pick(additions)());
  return report;
}

/** Every fourth is ASCII, as Python writes JSON. */
function toJson(serial: number, report: object): string {
  const json = JSON.stringify(report);
  if (serial % 4 !== 0) return json;
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
