import Type from 'typebox';
import { Entry } from '../entries/contract.ts';
import { Flag, Named, Query } from '../http/schemas.ts';
import { RefusedUpload } from '../refused/contract.ts';

export const LiveQuery = Query({
  refused: Flag('`true`: refused uploads that are kept come too.'),
});

export const LastEventId = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: '^[\\w-]{38}$',
      description: 'The `id` of the last event that you got: the stream continues behind it.',
    }),
  ),
});

const Skipped = Named('Skipped', {
  count: Type.Integer({ description: 'How many were left out.', examples: [4_980] }),
  of: Type.Enum(['entries', 'refused'], { title: 'SkippedKind', examples: ['entries'] }),
});

const json = (schema: object) => ({ contentMediaType: 'application/json', contentSchema: schema });

/** An event, or the stream as text. Only for the description: events are not made from this schema. */
export const LiveEvents = Type.Union([
  Named('LiveEvent', {
    event: Type.Enum(['entry', 'refused', 'skipped', 'ping'], { title: 'LiveEventName' }),
    id: Type.String(),
    data: Type.String(json(Type.Union([Entry, RefusedUpload, Skipped, Type.Object({})]))),
  }),
  Type.String(),
]);
