import { Readable } from 'node:stream';
import type { SenderMeta } from '@sluice/tables/columns.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { EntryAnswer } from '../entries/contract.ts';
import { findApplication, requireRole } from '../http/find-application.ts';
import { EntryMeta, toMeta } from '../http/meta.ts';
import { ByDomain, bearerRoutes, operation, overLimit } from '../http/route-parts.ts';
import { Flag, Int, KeyId, Named, Query } from '../http/schemas.ts';
import { RefusedAnswer } from '../refused/contract.ts';
import { fromEventId } from './events.ts';
import { createFollowers } from './followers.ts';

const LiveQuery = Query({
  refused: Flag('`true`: refused uploads that are kept come too.'),
  key: KeyId,
  meta: EntryMeta,
});

const LastEventId = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: '^[\\w-]{38}$',
      description: 'The `id` of the last event that you got: the stream continues behind it.',
    }),
  ),
});

const Skipped = Named('Skipped', {
  count: Int('How many were left out.', 4_980),
  of: Type.Enum(['entries', 'refused'], { title: 'SkippedKind', examples: ['entries'] }),
});

const json = (schema: object) => ({ contentMediaType: 'application/json', contentSchema: schema });

/** An event, or the stream as text. Only for the description: events are not made from this schema. */
const LiveEvents = Type.Union([
  Named('LiveEvent', {
    event: Type.Enum(['entry', 'refused', 'skipped', 'ping'], { title: 'LiveEventName' }),
    id: Type.String(),
    data: Type.String(json(Type.Union([EntryAnswer, RefusedAnswer, Skipped, Type.Object({})]))),
  }),
  Type.String(),
]);

const example =
  'id: AZLwwaKzCgsMDQAAAAEBkvDBorL__________w\nevent: entry\ndata: {"id":"0192f0c1a2b30a0b0c0d00000001","domain":"weather-station-k3v9q2","payload":{"celsius":21.5},"createdAt":"2026-11-21T04:00:00.000Z"}\n\n';

/** Sends entries and refused uploads as they arrive. */
export const liveRoutes: Routes = async (
  app,
  { store: { applications, live, senders }, capacity, lifecycle, metrics, log, feed },
) => {
  bearerRoutes(app, 'Entries');
  const isDraining = () => lifecycle.phase === 'draining';
  const followers = createFollowers({ live, senders, isDraining, log, feed });
  app.addHook('preClose', async () => followers.close());
  metrics.gauge('sluice_followers', () => [{ value: followers.count(), labels: {} }]);

  app.get(
    '/applications/:domain/data/live',
    {
      exposeHeadRoute: false,
      ...operation('followEntries', 'Follow an application', {
        description:
          'Server-sent events from now on, or behind `Last-Event-ID`: `entry` for each new entry, `refused` for each refused upload that is kept, ' +
          '`skipped` with the number of those that were left out where very many come (with `key`, also those of other keys), and `ping` first and after 15 s without another event. Connect again when it ends.',
        params: ByDomain,
        querystring: LiveQuery,
        headers: LastEventId,
        response: {
          200: {
            description: 'The events.',
            content: { 'text/event-stream': { schema: LiveEvents, example } },
          },
          ...overLimit,
        },
      }),
    },
    async (request, reply) => {
      const { owner, query, headers } = request;
      const meta = toMeta<SenderMeta>(query.meta);
      /** Throws ApiError if the user may not follow. */
      async function find() {
        const application = await findApplication(applications, request);
        // Refused uploads are the editors'.
        if (query.refused) requireRole(application, request.owner, 'editor');
        return { application, basis: [...request.basis, [application.id, application.revision] as const] };
      }
      const found = await find();
      capacity.followers.lease(reply, owner.id).take(1);
      const lastId = headers['last-event-id'];
      const stream = new Readable({ read() {} });
      const leave = followers.add({
        ...found,
        until: request.until,
        withRefused: query.refused ?? false,
        meta,
        key: query.key,
        place: lastId === undefined ? undefined : fromEventId(lastId),
        isFull: () => reply.raw.writableNeedDrain,
        send: (events) => void stream.push(events),
        end() {
          if (reply.raw.writableNeedDrain) reply.raw.destroy();
          else stream.push(null);
        },
        async check() {
          await app.authenticate(request, reply);
          return find();
        },
      });
      stream.once('close', leave);
      reply.type('text/event-stream').header('x-accel-buffering', 'no');
      return reply.send(stream as never);
    },
  );
};
