import { type Letter, toLetter } from './letter.ts';

/** A mail with a link that confirms the address. What is behind the # is in no log. */
export const toConfirmLetter = (to: string, username: string, publicUrl: string, code: string): Letter =>
  toLetter(to, 'Confirm your e-mail', [
    {
      text: `The user ${username} of Sluice gave this address. Is it yours? This link confirms it, for a day:`,
    },
    { text: 'Confirm the address:', link: `${publicUrl}/confirm-email#${code}` },
    { text: 'If you do not know of it, do nothing: then it is not confirmed.' },
  ]);

const reasons = {
  invite: (username: string) => `You are invited to Sluice as ${username}.`,
  reset: (username: string) => `The operator of Sluice lets ${username} set a new password.`,
};
const subjects = { invite: 'Your invitation to Sluice', reset: 'A new password for Sluice' };

/** A mail with a link by which a user sets a password. */
export const toPasswordLetter = (
  kind: keyof typeof reasons,
  to: string,
  username: string,
  publicUrl: string,
  { code, expiresAt }: { code: string; expiresAt: Date },
): Letter =>
  toLetter(to, subjects[kind], [
    { text: reasons[kind](username) },
    {
      text: `With this link you choose the password, once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC:`,
      link: `${publicUrl}/set-password#${username}:${code}`,
    },
    { text: 'Whoever has the link can use it: give it to nobody. If you do not know of it, do nothing.' },
  ]);
