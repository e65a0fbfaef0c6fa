import { isIP } from 'node:net';
import { type Allowed, isReachable } from '@sluice/shared/public-address.ts';
import { invalidAt } from './refusals.ts';

/** The URL as a worker requests it. Throws ApiError for one that can never be reached. Workers resolve names each time. */
export function toOutboundUrl(text: string, allowed: Allowed, path = '/url'): string {
  const invalid = (message: string) => invalidAt(path, 'url', message);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('must be an http or https URL');
  if (url.username || url.password) throw invalid('must not have a user name or a password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !isReachable(host, allowed))
    throw invalid(`has the private address ${host}; the operator can allow it with OUTBOUND_ALLOW`);
  return url.href;
}
