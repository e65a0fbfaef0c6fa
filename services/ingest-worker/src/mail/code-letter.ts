import { type Letter, toLetter } from './letter.ts';

/** A mail with a link that confirms the address. What is behind the # is in no log. */
export const toConfirmLetter = (to: string, username: string, publicUrl: string, code: string): Letter =>
  toLetter(to, 'Confirm your e-mail', [
    {
      text: `The user ${username} of Sluice gave this address. Is it yours? This link confirms it, for a day:`,
    },
    { text: 'Confirm the address:', link: `${publicUrl}/confirm-email#${code}` },
    { text: 'If you do not know of it, do nothing: you get no more mails.' },
  ]);
