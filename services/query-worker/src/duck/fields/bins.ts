const dayMs = 86_400_000;
const yearMs = 365 * dayMs;
/** Steps of times below a year, in ms, which people read at a glance. */
const timeSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 7, 14, 30, 90, 180].map((days) => days * dayMs),
];
const mostBins = 20;

/** What a scale counts. `time` is in ms since 1970, `date` in the ms of whole days. */
export type Scale = 'number' | 'integer' | 'time' | 'date';

/**
 * Edges of about twenty bins, at round numbers, of which the first has `least` and the last has `most`. A bin has its
 * lower edge, and not its upper one. A single edge: there is no room between the two.
 */
export function edgesBetween(least: number, most: number, scale: Scale): number[] {
  const rough = (most - least) / mostBins;
  if (rough === 0) return [least];
  const step = stepOf(rough, scale);
  const first = Math.floor(least / step);
  const edges: number[] = [];
  for (let at = first; edges.length <= mostBins + 2; at++) {
    const edge = multiple(at, step);
    if (edge === edges.at(-1)) break;
    edges.push(edge);
    if (edge > most) return (edges[0] as number) <= least ? edges : [least];
  }
  return [least];
}

function stepOf(rough: number, scale: Scale): number {
  if (scale === 'number') return roundStep(rough);
  if (scale === 'integer') return Math.max(roundStep(rough), 1);
  const steps = scale === 'date' ? timeSteps.filter((step) => step >= dayMs) : timeSteps;
  return steps.find((step) => step >= rough) ?? Math.ceil(roundStep(rough / yearMs)) * yearMs;
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  return step * power;
}

/** Without the error of a step below 1, which a double does not hold. */
const multiple = (count: number, step: number) => (step < 1 ? count / Math.round(1 / step) : count * step);
