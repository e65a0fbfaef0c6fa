import { createEntryReader, senderIn } from '@sluice/bson/entry.ts';
import type { SenderStore } from '@sluice/store/applications/senders.ts';
import { type Meta, senderMeta } from '@sluice/tables/columns.ts';
import type { SenderText } from '../formats/format.ts';

/** What an export says about senders. A page is learnt before its entries are written. */
export function createSenderNames(
  { texts }: Pick<SenderStore, 'texts'>,
  application: string,
  meta: Meta[] = [],
) {
  const wanted = senderMeta.filter((name) => meta.includes(name));
  const read = createEntryReader();
  const known: Awaited<ReturnType<typeof texts>> = new Map();
  const textOf: SenderText = (number, name) => known.get(number)?.[name];
  return {
    textOf,
    async learn(documents: Buffer[]): Promise<void> {
      if (wanted.length === 0) return;
      const numbers = new Set(documents.map((document) => senderIn(read(document)))).difference(known);
      if (numbers.size === 0) return;
      for (const [number, text] of await texts(application, numbers, wanted)) known.set(number, text);
    },
  };
}
