import { ApiError, type ErrorName } from '@sluice/shared/errors.ts';

/** Why a sign-in through the provider fails. The console has words for each reason. */
const failures = {
  expired: [
    'InvalidRequestError',
    'this sign-in was not begun in this browser, is over or was used before; begin again',
  ],
  invalid: [
    'InvalidRequestError',
    'the answer of the provider is not valid; begin again, or ask the operator',
  ],
  denied: ['ForbiddenRequestError', 'the provider did not let you in'],
  group: ['ForbiddenRequestError', 'you are in no group that may enter (OIDC_GROUPS); ask the operator'],
  disabled: ['ForbiddenRequestError', 'this user is disabled; ask the operator'],
  closed: [
    'RegistrationClosedError',
    'you have no user here, and registration is closed; the operator opens it with REGISTRATION_OPEN',
  ],
  taken: ['ResourceConflictError', 'another user signs in with this account of the provider'],
  unavailable: ['ServiceUnavailableError', 'the provider does not answer; try again in a minute'],
} as const satisfies Record<string, readonly [ErrorName, string]>;

export type FailureReason = keyof typeof failures;

export class SignInFailure extends ApiError {
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    const [name, message] = failures[reason];
    super(name, message, reason === 'unavailable' ? { headers: { 'retry-after': '60' } } : {});
    this.reason = reason;
  }
}
