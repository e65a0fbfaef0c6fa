import {
  type AuditPlace,
  type AuditRecord,
  type AuditSelection,
  actorOf,
} from '@sluice/store/accounts/audit.ts';
import { auditActions, auditKinds, kindOf } from '@sluice/store/accounts/audit-actions.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { fromCursor, toCursor } from '../http/pages.ts';
import { ByDomain, bearerRoutes, operation, overLimit } from '../http/route-parts.ts';
import { DateTime, Named, Query, Text, Timestamp } from '../http/schemas.ts';
import { toPeriod } from '../http/validation.ts';

const Activity = Named('Activity', {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  at: DateTime(),
  actor: Text(
    'Username; `sluice-admin` for the operator, `ingest-worker` for what happens by itself.',
    'ada',
  ),
  via: Type.Optional(
    Text(
      'How the actor signed in: `password`, `oidc`, `code` for the code of a link, `operator`, or the id of a personal token.',
      'password',
    ),
  ),
  token: Type.Optional(Text('Name of that personal token.', 'Nightly export')),
  action: Type.Enum([...auditActions], { title: 'ActivityAction', examples: ['application.updated'] }),
  application: Type.Optional(Text('Domain of the application.', 'weather-station-k3v9q2')),
  job: Type.Optional(Text('Id of the job.')),
  key: Type.Optional(Text('Id of the ingest key.')),
  address: Type.Optional(Text('Only in your own activity: the address of the client.', '192.0.2.7')),
  request_id: Type.Optional(Text('Only in your own activity.', '4b2f7a52-2f0f-4a43-8d4e-6c5cf1a0a9d1')),
  details: Type.Optional(
    Type.Unknown({
      description:
        'More about the action. What others can cause often is one event a minute, expired and archived entries are one a day and application, with `count` and `lastAt`.',
    }),
  ),
  before: Type.Optional(
    Type.Unknown({
      description:
        'What has changed, as it was. No secret is in it; of a URL that is posted to, only its origin.',
      examples: [{ name: 'Weather station' }],
    }),
  ),
  after: Type.Optional(
    Type.Unknown({
      description: 'The same, as it is now. Absent for what is gone.',
      examples: [{ name: 'Weather station on the roof' }],
    }),
  ),
});
type Activity = Static<typeof Activity>;

const ActivityQuery = Query({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Events per page.' }),
  after: Text('`cursor` of the previous page.'),
  actor: Type.String({
    maxLength: 40,
    description: 'Only what this user, or program, did.',
    examples: ['ada'],
  }),
  action: Type.Enum([...auditKinds, ...auditActions], {
    title: 'ActivityKind',
    description: 'Only this action, or, by the part before the dot, all of a kind.',
    examples: ['key', 'key.revoked'],
  }),
  from: Timestamp,
  to: Timestamp,
});

const ActivityPage = Named('ActivityPage', {
  result: Type.Array(Activity),
  cursor: Type.Optional(Text('Send it as `after` to get the next page; absent on the last page.')),
});

/** What a reader may see the values of. */
const openToReaders = ['application', 'member', 'question', 'export'];

const toActivity = (record: AuditRecord): Activity => {
  const { id, at, via, token, action, application, job, key, details, before, after } = record;
  const about = { key, details, before, after };
  return { id, at: at.toISOString(), actor: actorOf(record), via, token, action, application, job, ...about };
};

const forReader = ({ key, details, before, after, ...rest }: Activity): Activity => ({
  ...rest,
  ...(openToReaders.includes(kindOf(rest.action)) && { key, details, before, after }),
});

/** The time has six bytes, the id twelve. */
const toPlace = ({ at, id }: AuditPlace) => at.getTime().toString(16).padStart(12, '0') + id;
const fromPlace = (place: string): AuditPlace => ({
  at: new Date(Number.parseInt(place.slice(0, 12), 16)),
  id: place.slice(12),
});

/** Who did what, from the audit log. */
export const activityRoutes: Routes = async (app, { store: { applications, audit }, capacity }) => {
  bearerRoutes(app, 'Activity');

  async function read(
    reader: string,
    selection: AuditSelection,
    { limit = 100, after, actor, action, ...period }: Static<typeof ActivityQuery>,
    toEvent: (record: AuditRecord) => Activity,
  ) {
    const place = after === undefined ? undefined : fromPlace(fromCursor(after, 18));
    const selected = { ...selection, ...toPeriod(period), actor, action };
    const found = await capacity.pageReads.runInFairOrder(reader, () =>
      audit.page(selected, limit + 1, place),
    );
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      result: page.map(toEvent),
      ...(found.length > limit && last && { cursor: toCursor(toPlace(last)) }),
    };
  }

  app.get(
    '/applications/:domain/activity',
    operation('listActivity', 'List the activity of an application', {
      description:
        'What its members, the operator and Sluice did with it, newest first, without uploads and lists. Readers see no values of what they may not read.',
      params: ByDomain,
      querystring: ActivityQuery,
      response: { 200: Success(ActivityPage), ...overLimit },
    }),
    async (request, reply) => {
      const { owner, query } = request;
      const application = await findApplication(applications, request);
      const isReader = roleOf(application, owner.id) === 'reader';
      const toEvent = (record: AuditRecord) =>
        isReader ? forReader(toActivity(record)) : toActivity(record);
      return success(reply, await read(owner.id, { application: application.domain }, query, toEvent));
    },
  );

  app.get(
    '/users/me/activity',
    operation('listOwnActivity', 'List your activity', {
      description: 'What you did, and what others tried with your account, newest first.',
      querystring: ActivityQuery,
      response: { 200: Success(ActivityPage), ...overLimit },
    }),
    async ({ query, owner }, reply) => {
      const toEvent = (record: AuditRecord) => ({
        ...toActivity(record),
        address: record.address,
        request_id: record.requestId,
      });
      return success(reply, await read(owner.id, { user: owner.id }, query, toEvent));
    },
  );
};
