import type { Command } from 'commander';

/** Members of requests that a sentence does not need. */
const unsaid = ['to', 'kind'];

/** A message of the API with the command's options in place of members of the request, such as `body/to/bucket`. */
export const nameOptions = (message: string, command: Command): string =>
  message.replace(/\b(?:body|querystring)((?:\/\w+)+) /g, (_, path: string) => {
    const named = toOption(path.slice(1).split('/'), command);
    return named && `${named} `;
  });

/** `['refused', 'limit']` is `--refused-limit`, and `['to', 'bucket']` is `--bucket`, or else `bucket of --to`. */
function toOption(names: string[], { options }: Command): string {
  const flagOf = (some: string[]) => `--${some.join('-').replaceAll('_', '-')}`;
  const isOption = (flag: string) => options.some(({ long }) => long === flag);
  const exact = names.map((_, at) => flagOf(names.slice(at))).find(isOption);
  if (exact !== undefined) return exact;
  const last = (names.at(-1) ?? '').replaceAll('_', ' ');
  const whole = names.map((_, at) => flagOf(names.slice(0, -1 - at))).find(isOption);
  if (whole !== undefined) return `${last} of ${whole}`;
  return unsaid.includes(last) ? '' : last;
}
