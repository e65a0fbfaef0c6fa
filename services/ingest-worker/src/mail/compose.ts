import type { Store } from '@sluice/jobs/connect.ts';
import type { Mail } from '@sluice/store/alerts/mails.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import { toAlertLetter } from './alert-letter.ts';
import type { Letter } from './letter.ts';

type Stores = Pick<Store, 'addresses' | 'alerts' | 'applications' | 'users'>;

/** Writes mails as things are when they are sent. */
export function createCompose({ addresses, alerts, applications, users }: Stores, publicUrl: string) {
  /** Undefined: there is nobody to send it to any more. */
  return async function compose({ user, content }: Mail): Promise<Letter | undefined> {
    const found = await users.byId(user);
    if (!found || found.disabledAt || !content) return undefined;
    const [{ address }, code, application] = await Promise.all([
      addresses.of(user),
      alerts.codeOf(content.alert),
      applications.byId(content.application),
    ]);
    if (!address || !code || !application || !roleOf(application, user)) return undefined;
    return toAlertLetter(address, content, application, publicUrl, code);
  };
}
