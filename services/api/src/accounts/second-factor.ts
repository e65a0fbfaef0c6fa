import { createHash, randomBytes } from 'node:crypto';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { isSealedByFirst, seal, unseal } from '@sluice/shared/seal.ts';
import type { UserRecord, UserStore } from '@sluice/store/accounts/users.ts';
import { Secret, TOTP } from 'otpauth';
import { forbidden } from '../http/refusals.ts';

const issuer = 'Sluice';
const recoveryCount = 10;
/** A clock may be wrong by a code. */
const window = 1;

const letters = 'abcdefghijklmnopqrstuvwxyz234567';
const newRecoveryCode = () =>
  Array.from(randomBytes(16), (byte, i) => `${i > 0 && i % 4 === 0 ? '-' : ''}${letters[byte % 32]}`).join(
    '',
  );
/** Has 80 random bits, so nothing slower is needed. */
const hashOf = (code: string) => createHash('sha256').update(code).digest();

/** The time step of a code of the app; undefined if it has no such code now. */
function stepOf(secret: string, code: string): number | undefined {
  const timestamp = Date.now();
  const delta = TOTP.validate({ token: code, secret: Secret.fromBase32(secret), timestamp, window });
  return delta === null ? undefined : TOTP.counter({ timestamp }) + delta;
}

/** What a code was, or `wrong`: never good, or not any more. */
export type CodeUse = 'app' | 'recovery' | 'wrong';

export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** Codes of authenticator apps (RFC 6238), and recovery codes. Each is good once. */
export function createSecondFactors(users: UserStore, secretsKeys: string[] | undefined, log: Logger) {
  function open({ id, secondFactor }: UserRecord): string {
    try {
      return unseal(secretsKeys ?? [], secondFactor?.secret ?? '');
    } catch {
      log.error({ event: 'second-factor.sealed', user: id, reason: 'no secret of SECRETS_KEY opens it' });
      throw unavailable(
        'codes of your app cannot be checked: use a recovery code, or ask the operator to add the old secret to SECRETS_KEY',
      );
    }
  }

  return {
    /** A new secret and recovery codes, which are told once. `host` tells installations apart in the app. Throws ApiError. */
    async begin({ id, username }: UserRecord, host: string) {
      if (secretsKeys === undefined)
        throw forbidden('a second factor is not possible here: the operator can set SECRETS_KEY');
      const secret = new Secret({ size: 20 });
      const recoveryCodes = Array.from({ length: recoveryCount }, newRecoveryCode);
      const hashes = recoveryCodes.map((code) => hashOf(plain(code)));
      if (!(await users.beginSecondFactor(id, seal(secretsKeys, secret.base32), hashes)))
        throw new ApiError('ResourceConflictError', 'a second factor is on: turn it off first');
      const url = new TOTP({ issuer, label: `${username}@${host}`, secret }).toString();
      return { otpauth_url: url, recovery_codes: recoveryCodes };
    },

    /** Turns on what `begin` began. Throws ApiError if there is nothing to turn on. */
    async confirm(user: UserRecord, code: string): Promise<boolean> {
      const { secondFactor } = user;
      if (!secondFactor || secondFactor.confirmedAt)
        throw new ApiError('ResourceConflictError', 'nothing waits to be confirmed: set up a second factor');
      const step = stepOf(open(user), plain(code));
      return step !== undefined && users.confirmSecondFactor(user.id, secondFactor.secret, step);
    },

    /** Uses a code up. */
    async use(user: UserRecord, code: string): Promise<CodeUse> {
      const { id, secondFactor } = user;
      if (!secondFactor?.confirmedAt) return 'wrong';
      const { secret } = secondFactor;
      const given = plain(code);
      if (!/^\d{6}$/.test(given))
        return (await users.useRecoveryCode(id, secret, hashOf(given))) ? 'recovery' : 'wrong';
      const opened = open(user);
      const step = stepOf(opened, given);
      if (step === undefined) return 'wrong';
      const sealed = isSealedByFirst(secretsKeys ?? [], secret) ? secret : seal(secretsKeys ?? [], opened);
      return (await users.useStep(id, secret, step, sealed)) ? 'app' : 'wrong';
    },
  };
}

/** As people type a code: with spaces, dashes and capital letters. */
const plain = (code: string) => code.replace(/[\s-]/g, '').toLowerCase();
