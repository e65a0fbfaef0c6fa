import { createHash } from 'node:crypto';
import { ApiError } from '@sluice/shared/errors.ts';
import { emailPattern, longestEmail } from '@sluice/store/alerts/email.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { SuccessMessage, success } from '../http/answers.ts';
import {
  loginOnly,
  operation,
  overLimit,
  overRate,
  ownFailures,
  rateLimited,
  tagRoutes,
  takeSmallBodies,
} from '../http/route-parts.ts';
import { Strict } from '../http/schemas.ts';
import { quotaReached } from '../limits/quota.ts';
import { limitAddresses } from '../limits/rate.ts';
import { quotas } from '../limits/table.ts';
import { invalidCredentials } from './log-in.ts';

const dayMs = 86_400_000;
const hourSeconds = 3_600;
/** Redis gets no address. */
const hashOf = (email: string) => createHash('sha256').update(email.toLowerCase()).digest('hex');

const EmailUpdate = Strict('EmailUpdate', {
  email: Type.String({
    maxLength: longestEmail,
    pattern: emailPattern,
    examples: ['ada@example.com'],
    description: 'Must be an address in ASCII, such as ada@example.com.',
  }),
});
const EmailCode = Strict('EmailCode', {
  code: Type.String({
    maxLength: 100,
    examples: ['x3J9bT0cQmZ1vK7sWf2LhR8yUeN5aPdG'],
    description: 'The end of the link in the mail.',
  }),
});

const withoutMail = () =>
  new ApiError(
    'InvalidRequestError',
    'this installation sends no mails; the operator sets MAIL_FROM and SMTP_URL',
  );

const invalidCode = () =>
  invalidCredentials('wrong code; a code works once and for a day, so ask for another mail in your profile');

/** The e-mail of a user. Nobody else sees it. */
export const emailRoutes: Routes = async (app, { store, audit, config, counters }) => {
  const { addresses, mails, users } = store;
  const mailed = counters('confirmations', hourSeconds);
  tagRoutes(app, 'Accounts');
  takeSmallBodies(app);
  const ofUser = { security: [{ bearer: [] }] };

  app.put(
    '/users/me/email',
    {
      ...operation('setEmail', 'Set your e-mail', {
        ...ofUser,
        description:
          'You get a mail with a link that confirms it. Until then mails go to the address before.',
        body: EmailUpdate,
        response: { 200: SuccessMessage('Asked.', 'a mail is on its way to ada@example.com'), ...overLimit },
      }),
      onRequest: app.authenticate,
      config: loginOnly,
    },
    async (request, reply) => {
      const { body, owner } = request;
      if (!config.hasMail) throw withoutMail();
      const { limit } = quotas.confirmationsOfEmail;
      // Of all users: nobody fills the mailbox of another.
      const { consumedPoints } = await mailed.penalty(hashOf(body.email));
      if (consumedPoints > limit) throw quotaReached('confirmationsOfEmail', limit);
      if (!(await addresses.ask(owner.id, body.email, quotas.confirmations.limit)))
        throw quotaReached('confirmations', quotas.confirmations.limit);
      await mails.add('confirm', owner.id, dayMs);
      await audit.note(request, { action: 'user.email-set' });
      return success(reply, { message: `a mail is on its way to ${body.email}` });
    },
  );

  app.delete(
    '/users/me/email',
    {
      ...operation('deleteEmail', 'Delete your e-mail', {
        ...ofUser,
        description: 'You get no more mails. Your alerts stay.',
        response: { 200: SuccessMessage('Deleted.', 'you have no e-mail here any more') },
      }),
      onRequest: app.authenticate,
      config: loginOnly,
    },
    async (request, reply) => {
      await addresses.forget(request.owner.id);
      await audit.note(request, { action: 'user.email-deleted' });
      return success(reply, { message: 'you have no e-mail here any more' });
    },
  );

  app.post(
    '/users/confirm-email',
    {
      ...operation('confirmEmail', 'Confirm an e-mail', {
        description: 'With the code of the link. It works once, for a day, and needs no token.',
        body: EmailCode,
        response: {
          200: { ...SuccessMessage('Confirmed.', 'the e-mail of ada is confirmed'), ...rateLimited },
          ...ownFailures('InvalidCredentialsError'),
          ...overRate,
        },
      }),
      onRequest: limitAddresses(counters, config.loginRate, 'logins'),
    },
    async (request, reply) => {
      const id = await addresses.confirm(request.body.code);
      const user = id && (await users.byId(id));
      if (!user) throw invalidCode();
      await audit.note(request, { action: 'user.email-confirmed', via: 'code', user });
      return success(reply, { message: `the e-mail of ${user.username} is confirmed` });
    },
  );
};
