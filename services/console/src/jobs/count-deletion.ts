import { client, dataOf, type Schemas } from '../api/client.ts';
import type { ListedJob } from './jobs.ts';

/** How many entries a deletion would delete. */
export async function countDeletion(domain: string, body: Schemas['DeletionRequest']): Promise<number> {
  const init = { params: { path: { domain }, query: { dry_run: true } }, body };
  const answer = await dataOf<Schemas['DeletionCount'] | ListedJob>(
    client.POST('/api/applications/{domain}/deletions', init),
  );
  return (answer as Schemas['DeletionCount']).count;
}
