import { Option } from 'commander';
import { CliError } from '../cli-error.ts';

/** An option such as `--days <count>` for a whole number from 1 on, or a word such as `off`. Throws CliError. */
export const numberOption = (flags: string, description: string, most: number, word?: string): Option =>
  new Option(flags, description).argParser((given) => {
    if (given === word) return given;
    if (/^\d{1,9}$/.test(given) && Number(given) >= 1 && Number(given) <= most) return given;
    throw new CliError(
      `${flags.split(' ')[0]} takes a whole number from 1 to ${most}${word ? `, or ${word}` : ''}`,
    );
  });

const most = 1_000;

/** How many a list has. */
export const limitOption = (): Option =>
  numberOption('--limit <count>', `how many, at most ${most}`, most).default('20');
