import { Failure } from '@sluice/shared/contracts/envelope.ts';
import Type from 'typebox';

/** What routes say alike in the description of the API. */
export const failures = { '4xx': Failure, '5xx': Failure };
export const security = [{ bearer: [] }];
export const ByDomain = Type.Object({ domain: Type.String() });
