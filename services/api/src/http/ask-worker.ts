import { ApiError, tooMany, unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { queryToken } from '@sluice/shared/query-token.ts';
import type { FastifyReply } from 'fastify';
import type { AppDependencies } from '../dependencies.ts';
import type { Capacities } from '../limits/capacity.ts';

/** What query workers are asked over. `application` and `owner` are ids. */
interface Asked {
  application: string;
  domain: string;
  owner: string;
}

/** Longer than an answer may take. */
const patienceMs = 35_000;

export type AskWorker = ReturnType<typeof createAskWorker>;

/** Asks a query worker. */
export function createAskWorker(
  { queryUrl, jwt }: Pick<AppDependencies['config'], 'queryUrl' | 'jwt'>,
  log: Logger,
) {
  const token = queryToken(jwt.secrets[0] as string);

  /** `gone` aborts when nobody waits for the answer. Throws ApiError where there is none. */
  return async (
    path: '/questions' | '/pages' | '/sorted' | '/fields' | '/counts',
    asked: Asked & Record<string, unknown>,
    gone: AbortSignal,
  ): Promise<Response> => {
    if (!queryUrl) throw unavailable('no query worker runs here: ask the operator to set QUERY_URL', 60);
    const response = await fetch(new URL(path, queryUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      signal: AbortSignal.any([gone, AbortSignal.timeout(patienceMs)]),
    }).catch((error) => {
      if (!gone.aborted) log.warn({ event: 'question.unanswered', err: error });
      throw unavailable('no query worker answers: try again', 5, error);
    });
    if (!response.ok) throw await toError(path, response);
    return response;
  };
}

/** Takes the room of an answer, and says up to when it has every entry. */
export function acceptAnswer(
  reply: FastifyReply,
  { headers }: Response,
  { answers }: Pick<Capacities, 'answers'>,
  owner: string,
): void {
  answers.lease(reply, owner).take(Number(headers.get('content-length')));
  const asOf = headers.get('sluice-as-of');
  if (asOf) reply.header('sluice-as-of', asOf);
}

interface Refused {
  message: string;
  line?: number;
  column?: number;
}

async function toError(path: string, response: Response): Promise<ApiError> {
  const { message, line, column } = (await response
    .json()
    .catch(() => ({ message: 'no reason' }))) as Refused;
  const retryAfter = Number(response.headers.get('retry-after') ?? 5);
  if (response.status === 429) return tooMany(message, retryAfter);
  if (response.status !== 400) return unavailable(message, retryAfter);
  const plain = message.replaceAll(/\s*\n\s*/g, ' ');
  if (path !== '/questions') return new ApiError('InvalidRequestError', plain);
  const where = line === undefined ? {} : { line, column };
  const detail = { in: 'body' as const, path: '/sql', keyword: 'sql', message: plain, ...where };
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
  return new ApiError('InvalidRequestError', `${plain}${place}`, { details: [detail] });
}
