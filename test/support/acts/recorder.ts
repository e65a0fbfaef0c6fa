import type { Answer, Call, SharedSluice } from '../sluice.ts';

/** An event that a call is to leave. `before` and `after`: see the audit log. */
export interface Expected {
  action: string;
  actor: string;
  via: string;
  /** Name of the personal token. */
  token?: string;
  before?: object;
  after?: object;
}

interface Act extends Call {
  /** What stands in the path: `domain`, `id` and others. */
  in?: Record<string, string>;
  query?: string;
  /** Default: any success. */
  status?: number;
}

export type Recorder = ReturnType<typeof recorder>;

/** Calls routes, and keeps what each call is to leave in the audit log. */
export function recorder(sluice: SharedSluice) {
  const acts: { route: string; requestId: string; expected: Expected | undefined }[] = [];

  /** Without `expected`, the call leaves nothing. */
  async function act(
    route: string,
    { in: names = {}, query = '', status, headers, ...call }: Act,
    expected?: Expected,
  ): Promise<Answer> {
    const [method = '', path = ''] = route.split(' ');
    const where = path.replace('/api', '').replace(/\{(\w+)\}/g, (_, name) => names[name] ?? name) + query;
    const requestId = `act-${acts.length}`;
    acts.push({ route, requestId, expected });
    const answer = await sluice.request(method.toUpperCase(), where, {
      ...call,
      headers: { ...headers, 'x-request-id': requestId },
    });
    if (status === undefined ? answer.status >= 300 : answer.status !== status)
      throw new Error(`${route}: ${answer.status} ${answer.text}`);
    return answer;
  }

  return { acts, act };
}
