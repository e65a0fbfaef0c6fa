import type { Schemas } from './client.ts';

/** Uploads that were lost before they were validated, by kind. */
export type Lost = Schemas['Losses'];

export const noneLost: Lost = {
  not_json: 0,
  too_large: 0,
  media_type: 0,
  no_key: 0,
  wrong_key: 0,
  rate: 0,
  cut: 0,
};
export const lossKinds = Object.keys(noneLost) as (keyof Lost)[];

export const sumLost = (lost: Lost[]): Lost => {
  const sum = { ...noneLost };
  for (const one of lost) for (const kind of lossKinds) sum[kind] += one[kind];
  return sum;
};

export const countLost = (lost: Lost): number => lossKinds.reduce((sum, kind) => sum + lost[kind], 0);
