import { parseDuration } from '@sluice/shared/config/kinds.ts';
import { InvalidArgumentError } from 'commander';

const dayMs = 86_400_000;

/** Reads the duration of an option, in ms. */
export const durationUpTo =
  (days: number) =>
  (given: string): number => {
    const ms = parseDuration(given) ?? 0;
    if (ms < 1_000 || ms > days * dayMs)
      throw new InvalidArgumentError(`It must be a duration such as 12h or 1d, at most ${days}d.`);
    return ms;
  };
