import type { Client, Refusal } from './client.ts';

/** Requests at once, each on its own keep-alive connection. */
const inFlight = 64;

export interface Uploaded {
  stored: number;
  refused: { record: number; refusal: Refusal }[];
  seconds: number;
}

/** Sends one request for each record, without retries. `onAnswer` gets each answer. */
export async function upload(
  client: Client,
  domain: string,
  records: Record<string, unknown>[],
  onAnswer: (done: number) => void,
): Promise<Uploaded> {
  const refused: Uploaded['refused'] = [];
  const began = performance.now();
  const queue = records.entries();
  let done = 0;

  async function lane() {
    for (const [index, body] of queue) {
      const answer = await client.ask('POST', `/applications/${domain}/data`, { body });
      if (!answer.ok) refused.push({ record: index + 1, refusal: answer.refusal });
      done += 1;
      onAnswer(done);
    }
  }

  await Promise.all(Array.from({ length: inFlight }, lane));
  return { stored: done - refused.length, refused, seconds: (performance.now() - began) / 1_000 };
}
