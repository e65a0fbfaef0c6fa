import { version } from '@sluice/shared/version.ts';
import type { Store } from './stores/store.ts';

export interface Facts {
  address: string;
  /** The link for the first user. */
  link?: string | undefined;
  seconds: number;
  dir: string;
  logs: string;
  watch?: boolean | undefined;
  mongodb: Store;
  redis: Store;
}

/** The lines that `npm start` prints when Sluice is ready. */
export function banner({ address, link, seconds, dir, logs, watch, mongodb, redis }: Facts): string {
  const isUsual = address === 'http://127.0.0.1:4000';
  return `
Sluice is ready at ${address} after ${seconds.toFixed(1)} s

  Version   ${version()}
  Console   ${address}
  API docs  ${address}/api/docs
  Data      ${dir}
  Logs      ${watch ? 'here' : logs}
  MongoDB   ${mongodb.source}
  Redis     ${redis.source}
${
  link
    ? `
Open this link to begin. It works once, for the first user:

  ${link}
`
    : ''
}
Next: npm run demo${isUsual ? '' : ` -- --url ${address}`}, in another terminal. Ctrl-C stops Sluice and keeps the data.
`;
}

/** How to reach the stores while no service runs. */
export const storesOnly = ({ mongodb, redis }: Pick<Facts, 'mongodb' | 'redis'>): string =>
  `MongoDB runs (${mongodb.source}) and Redis (${redis.source}), and no service. Ctrl-C stops them and keeps the data.`;
