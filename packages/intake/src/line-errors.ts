import {
  ApiError,
  type ErrorName,
  type LineError,
  notConfirmed,
  tooMany,
  unavailable,
} from '@sluice/shared/errors.ts';
import type { Refusal } from './line.ts';

const detailsOfLine = 20;

const afterEnd = 'text after the end of the JSON value';

/** The message of a line, from the message for a body of its own. */
const toLineMessage = (message: string) =>
  message
    .replace(/^the body/, 'the line')
    .replace(' at line 1, column', ' at column')
    .concat(message.includes(afterEnd) ? '; with curl use --data-binary, as -d removes line ends' : '');

/** Limits the details, as the answer may have many lines. */
export const ofLine = ({ name, message, details }: Refusal, isExplained: boolean): Refusal => ({
  name,
  message: toLineMessage(message),
  ...(details && { details: details.slice(0, isExplained ? detailsOfLine : 1) }),
});

export function noneStored(lines: number, details: LineError[]): ApiError {
  if (details.some(({ message }) => message === notConfirmed)) return unavailable(notConfirmed);
  const [only] = details;
  const message =
    lines === 1 && only
      ? `the line was not stored: ${only.message}`
      : `none of the ${lines} lines was stored`;
  const isAnswer = (answer: ErrorName) => details.some(({ name }) => name === answer);
  if (isAnswer('ServiceUnavailableError')) return unavailable(message);
  return isAnswer('TooManyRequestsError')
    ? tooMany(message, 2)
    : new ApiError('SchemaValidationError', message, { details });
}

export const overLimit = (limit: number) => `the line is over the limit of ${limit} bytes`;

export const tooLarge = (message: string): Refusal => ({ name: 'PayloadTooLargeError', message });

/** The answer to a line on which our own code failed. Other lines are still processed. */
export const defect: Refusal = {
  name: 'InternalServerError',
  message: 'a defect of the service: this line could not be read and was not stored',
};

export const tooLargeToStore = 'the payload takes more than 16 MB as it is stored';

export const notBegun = (line: number): LineError => ({
  line,
  name: 'ServiceUnavailableError',
  message: 'the database is away; this line was not stored',
});

export const unknown = (line: number): LineError => ({
  line,
  name: 'ServiceUnavailableError',
  message: notConfirmed,
});
