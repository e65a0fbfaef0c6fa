import type { Store } from '@sluice/jobs/connect.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { Mail } from '@sluice/store/alerts/mails.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import { toAlertLetter } from './alert-letter.ts';
import { toConfirmLetter, toPasswordLetter } from './code-letter.ts';
import type { Letter } from './letter.ts';

type Stores = Pick<Store, 'addresses' | 'alerts' | 'applications' | 'users'>;

/** Writes mails as things are when they are sent. */
export function createCompose({ addresses, alerts, applications, users }: Stores, publicUrl: string) {
  /** Undefined: there is nobody to send it to any more. */
  async function confirm({ id, username }: UserRecord, lifeMs: number): Promise<Letter | undefined> {
    const issued = await addresses.issueCode(id, lifeMs);
    return issued && toConfirmLetter(issued.address, username, publicUrl, issued.code);
  }

  async function withPasswordLink(
    kind: 'invite' | 'reset',
    { id, username }: UserRecord,
    lifeMs: number,
  ): Promise<Letter | undefined> {
    const { address } = await addresses.of(id);
    const issued = address && (await users.issueCode(id, lifeMs));
    return issued ? toPasswordLetter(kind, address, username, publicUrl, issued) : undefined;
  }

  return async function compose({ kind, user, content, lifeMs = 0 }: Mail): Promise<Letter | undefined> {
    const found = await users.byId(user);
    if (!found || found.disabledAt) return undefined;
    if (kind === 'confirm') return confirm(found, lifeMs);
    if (kind !== 'alert') return withPasswordLink(kind, found, lifeMs);
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
