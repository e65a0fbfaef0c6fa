import { Option } from 'commander';
import { CliError } from '../cli-error.ts';

const most = 1_000;

/** How many a list has. Throws CliError. */
export const limitOption = (): Option =>
  new Option('--limit <count>', `how many, at most ${most}`).default('20').argParser((given) => {
    if (/^\d{1,9}$/.test(given) && Number(given) >= 1 && Number(given) <= most) return given;
    throw new CliError(`--limit takes a whole number from 1 to ${most}`);
  });
