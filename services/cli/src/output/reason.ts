import type { Detail } from '../api/answer.ts';

/** Why something was refused, in a line. */
export const reasonOf = ({
  message,
  details = [],
}: {
  message: string;
  details?: Detail[] | undefined;
}): string =>
  details.length === 0
    ? message
    : details.map((each) => `${each.path ?? ''} ${each.message}`.trim()).join(', ');
