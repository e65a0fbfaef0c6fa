import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { SenderStore } from '@sluice/store/applications/senders.ts';
import { entryIdBytes } from '@sluice/store/entries/entry-id.ts';
import type { LivePlace, Moment, News } from '@sluice/store/live/live.ts';
import type { SenderMeta } from '@sluice/tables/columns.ts';
import { toEntry } from '../entries/contract.ts';
import { toCursor } from '../http/pages.ts';
import { toJson } from '../refused/to-json.ts';

export interface Followed {
  application: Pick<ApplicationRecord, 'id' | 'domain' | 'version'>;
  withRefused: boolean;
  /** What entries say of their senders. */
  meta: SenderMeta[];
  /** Only what came with this ingest key; absent: all. */
  key: string | undefined;
}

const toEventId = ({ entries, refused }: LivePlace) => toCursor(entries + refused);

/** The place that an event id stands for. */
export function fromEventId(id: string): LivePlace {
  const hex = Buffer.from(id, 'base64url').toString('hex');
  return { entries: hex.slice(0, 2 * entryIdBytes), refused: hex.slice(2 * entryIdBytes) };
}

/** An event has its JSON on one line: line breaks between members mean nothing. */
const toEvent = (name: string, place: LivePlace, json: string) =>
  `id: ${toEventId(place)}\nevent: ${name}\ndata: ${json.replaceAll(/[\r\n]/g, ' ')}\n\n`;

export const ping = (place: LivePlace): string => toEvent('ping', place, '{}');

const further = (a: string, b: string) => (a > b ? a : b);

/** The events after a place, and the place after them. */
export async function readEvents(
  moment: Moment,
  { application, withRefused, meta, key }: Followed,
  from: LivePlace,
  senders: Pick<SenderStore, 'textsOf'>,
): Promise<{ events: string; place: LivePlace }> {
  const events: string[] = [];
  const end = await moment.end(application.id);
  let place = from;

  function add<Item>(
    of: keyof LivePlace,
    { items, skipped }: News<Item>,
    toText: (item: Item) => string,
    keyOf: (item: Item) => string | undefined,
  ): void {
    if (skipped) {
      place = { ...place, [of]: skipped.last };
      events.push(toEvent('skipped', place, JSON.stringify({ count: skipped.count, of })));
    }
    for (const { key: at, item } of items) {
      if (key !== undefined && keyOf(item) !== key) continue;
      place = { ...place, [of]: at };
      events.push(toEvent(of === 'entries' ? 'entry' : 'refused', place, toText(item)));
    }
    place = { ...place, [of]: further(place[of], end[of]) };
  }
  const stretch = (of: keyof LivePlace) => ({
    application: application.id,
    after: place[of],
    until: end[of],
  });
  const none = { items: [] };

  const stored = end.entries > place.entries ? await moment.entries(stretch('entries')) : none;
  const found = stored.items.map(({ item }) => item);
  const senderOf = await senders.textsOf(application.id, found, meta);
  const keyOf = await senders.textsOf(application.id, found, key === undefined ? [] : ['key']);
  add(
    'entries',
    stored,
    (entry) => {
      // A version may have been published since the application was read.
      const version = Math.max(application.version, entry.version);
      return JSON.stringify(toEntry(entry, { ...application, version }, senderOf(entry)));
    },
    (entry) => keyOf(entry).key,
  );
  const isToRead = withRefused && end.refused > place.refused;
  const refused = isToRead ? await moment.refused(stretch('refused')) : none;
  add('refused', refused, toJson, (upload) => upload.key);
  return { events: events.join(''), place };
}
