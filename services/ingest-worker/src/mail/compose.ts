import type { Store } from '@sluice/jobs/connect.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { Mail } from '@sluice/store/alerts/mails.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import { toAlertLetter } from './alert-letter.ts';
import { toConfirmLetter } from './code-letter.ts';
import type { Letter } from './letter.ts';

const dayMs = 86_400_000;

type Stores = Pick<Store, 'addresses' | 'alerts' | 'applications' | 'users'>;

/** Writes mails as things are when they are sent. */
export function createCompose({ addresses, alerts, applications, users }: Stores, publicUrl: string) {
  /** Undefined: there is nobody to send it to any more. */
  async function confirm({ id, username }: UserRecord): Promise<Letter | undefined> {
    const issued = await addresses.issueCode(id, dayMs);
    return issued && toConfirmLetter(issued.address, username, publicUrl, issued.code);
  }

  return async function compose({ kind, user, content }: Mail): Promise<Letter | undefined> {
    const found = await users.byId(user);
    if (!found || found.disabledAt) return undefined;
    if (kind === 'confirm') return confirm(found);
    if (!content) return undefined;
    const [{ address }, code, application] = await Promise.all([
      addresses.of(user),
      alerts.codeOf(content.alert),
      applications.byId(content.application),
    ]);
    if (!address || !code || !application || !roleOf(application, user)) return undefined;
    return toAlertLetter(address, content, application, publicUrl, code);
  };
}
