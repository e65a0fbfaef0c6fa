import { parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { largeNumbers } from '@sluice/store/applications/fields.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import type { archiveRuns } from './archive-runs.ts';
import { eachField } from './each-field.ts';
import { payloadOf } from './payload-of.ts';
import type { Payload, Version } from './random-entries.ts';

const dayMs = 86_400_000;
const keysAt = createKeysAt();

/** Stores the payloads of the versions of an application, whose first version has the first schema. */
export function versionedEntries(
  { store, application }: Pick<Awaited<ReturnType<typeof archiveRuns>>, 'store' | 'application'>,
  [first, ...later]: Version[],
) {
  const left = [first, ...later].map((each) => [...(each as Version).payloads]);
  let current = 0;
  let newest = 0;

  return {
    /** An entry of each age, as long as the version has payloads. */
    async insert(days: number[], isLate: boolean): Promise<void> {
      // New entries are above all that runs may have.
      newest = Math.max(Date.now(), newest + 1);
      const times = days.map((ago) => newest - ago * dayMs);
      const texts = times.flatMap(() => left[current]?.shift() ?? []);
      for (const text of texts) {
        const pointers: string[] = [];
        eachField(parseJson(text) as Payload, (path) => pointers.push(toPointer(path)));
        await store.fields.add(application, [...pointers, largeNumbers]);
      }
      const announced = isLate
        ? await store.milestones.removeFrom(application, Math.min(...times))
        : undefined;
      const entries = texts.map((text, n) => ({
        key: keysAt(Buffer.from(application, 'hex'), times[n] as number),
        ...payloadOf(text),
        version: current + 1,
        by: n % 3,
        ...(announced !== undefined && { announced }),
      }));
      if (entries.length > 0) await store.entries.insertKeyed(entries);
      // No writer publishes here, so nothing else moves the horizon.
      while ((await store.horizon.confirm()) <= newest);
    },

    /** Publishes the next version, if there is one. */
    async publish(): Promise<void> {
      const next = later[current];
      if (!next) return;
      const record = await store.applications.byId(application);
      const fields = { rawSchema: JSON.stringify(next.schema), createdBy: 'b', fields: [], note: undefined };
      await store.schemas.publish(record as never, fields as never);
      current += 1;
    },
  };
}
