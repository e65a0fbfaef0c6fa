import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { createApiProcess } from '../support/api-process.ts';
import { call, ownStores } from '../support/sluice.ts';
import { clientFor } from './client-for.ts';
import type { Language, Task } from './language.ts';
import { argumentsOf, killPrograms, startProgram } from './program.ts';
import { schema } from './schema.ts';

/** An API that can be killed, an application of it, and a program of the language that sends to it. */
export async function prepareScene(language: Language) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-uploaders-'));
  const env = { ...ownStores() };
  const mongodb = await MongoClient.connect(env.MONGODB_URL as string);
  let killApi = () => {};
  const api = await createApiProcess(env, (kill) => {
    killApi = kill;
  });
  await api.start();
  const domain = await api.application(schema);
  const command = await language.prepare(folder, clientFor(language.name, domain, schema));

  return {
    api,
    domain,
    folder,

    /** A task of its own; give the rest. */
    async task(rest: Partial<Task>): Promise<Task> {
      const progress = join(folder, randomUUID());
      await writeFile(progress, '');
      const usual = {
        url: api.url,
        spool: '-',
        from: 1,
        to: 0,
        characters: 200,
        poison: '-',
        key: '-',
        domain,
      } as const;
      return { ...usual, progress, heldBytes: 2 * 1024 ** 2, batchLines: 1_000, closeSeconds: 300, ...rest };
    },
    spool: () => join(folder, randomUUID()),
    /** Asks as the owner of the application, or of another one. */
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    async ask(method: string, path: string, json: object, of = domain): Promise<any> {
      const credentials = { username: 'owner', password: 'correct horse' };
      const { body } = await call(api.url, 'POST', '/api/users/login', { json: credentials });
      const url = `/api/applications/${of}${path}`;
      const answer = await call(api.url, method, url, { token: body.data.token, json });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body.data;
    },
    /** Starts the API again, with other limits or the usual ones. */
    async restart(limits: Record<string, string> = {}): Promise<void> {
      Object.assign(env, { BATCH_LIMIT: '16MiB', UPLOAD_RATE: 'off', ...limits });
      killApi();
      await api.gone();
      await api.start();
    },
    start: (task: Task) => startProgram(command, argumentsOf(task)),

    /** How often each number is stored. */
    async stored(): Promise<Map<number, number>> {
      const counts = new Map<number, number>();
      const entries = mongodb.db().collection('entries');
      for await (const { n } of entries.find({}, { projection: { _id: 0, n: '$payload.n' } }))
        counts.set(Number(n), (counts.get(Number(n)) ?? 0) + 1);
      return counts;
    },

    async stop(): Promise<void> {
      killPrograms();
      killApi();
      await api.gone();
      await mongodb.db().dropDatabase();
      await mongodb.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type Scene = Awaited<ReturnType<typeof prepareScene>>;
