import { type Answer, type SharedSluice, until } from './sluice.ts';

/** Rehearsals of one owner. Call in a test. */
export function rehearsalClient(sluice: SharedSluice, token: string) {
  const path = (domain: string) => `/applications/${domain}/rehearsals`;

  const start = (domain: string, schema: object, options: object = {}): Promise<Answer> =>
    sluice.request('POST', path(domain), { token, json: { schema, ...options } });

  const look = async (domain: string, id: string) =>
    (await sluice.request('GET', `${path(domain)}/${id}`, { token })).body.data;

  /** The job once it has ended. */
  async function ended(domain: string, id: string) {
    await until(async () => !['waiting', 'active'].includes((await look(domain, id)).state), 120_000);
    return look(domain, id);
  }

  /** The lines of its file. */
  async function file(domain: string, id: string): Promise<Answer['body'][]> {
    const { text } = await sluice.request('GET', `${path(domain)}/${id}/file`, { token });
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  return {
    start,
    look,
    ended,
    file,

    /** Resolves when it has ended, with its job and its file. */
    async complete(domain: string, schema: object, options?: object) {
      const { status, body, text } = await start(domain, schema, options);
      if (status !== 202) throw new Error(text);
      const job = await ended(domain, body.data.id);
      return { job, lines: job.state === 'completed' ? await file(domain, job.id) : [] };
    },
  };
}
