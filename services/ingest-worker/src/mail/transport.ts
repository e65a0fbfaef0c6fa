import { createHash } from 'node:crypto';
import type { IngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createTransport } from 'nodemailer';
import type { Letter } from './letter.ts';

type MailConfig = NonNullable<IngestWorkerConfig['mail']>;

const waitMs = 10_000;

export interface SendFailure {
  /** The server refuses this mail for ever. */
  isFinal: boolean;
  /** The server cannot be reached, or lets nobody in: no mail can be sent. */
  isDown: boolean;
  /** Without the text of the server, which may repeat an address. */
  reason: string;
}

export type Send = ReturnType<typeof createSend>;

/** Hands letters over to the SMTP server. Resolves with undefined, or why the server did not take it. */
export function createSend({ url, from, publicUrl }: MailConfig) {
  const transport = createTransport({
    url,
    connectionTimeout: waitMs,
    greetingTimeout: waitMs,
    socketTimeout: waitMs,
    dnsTimeout: waitMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const host = new URL(publicUrl).hostname;

  return async (
    id: string,
    { to, subject, text, html, unsubscribe }: Letter,
  ): Promise<SendFailure | undefined> => {
    // The same for each try, so that mail programs show one.
    const name = createHash('sha256').update(id).digest('hex').slice(0, 32);
    try {
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${name}@${host}>`,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribe && {
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      });
      return undefined;
    } catch (error) {
      const { code = 'unknown', responseCode = 0 } = error as { code?: string; responseCode?: number };
      const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
      return {
        isFinal: isOfMail && responseCode >= 500,
        isDown: !isOfMail,
        reason: responseCode ? `${code} ${responseCode}` : code,
      };
    }
  };
}
