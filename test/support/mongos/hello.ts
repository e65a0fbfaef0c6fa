import type { Document } from 'mongodb';

/** What only members of a replica set say. */
const ofMembers = new Set([
  ...[
    'setName',
    'setVersion',
    'hosts',
    'passives',
    'arbiters',
    'primary',
    'me',
    'secondary',
    'electionId',
    'lastWrite',
  ],
  ...['tags', 'hidden', 'passive', 'arbiterOnly', 'secondaryDelaySecs', 'compression', 'topologyVersion'],
  ...['speculativeAuthenticate', 'ismaster', 'isWritablePrimary', '$clusterTime', 'operationTime'],
]);

export const isHello = (name: string) => ['hello', 'ismaster', 'isMaster'].includes(name);

/** What `mongos` says where a primary said this. */
export function asMongos(name: string, said: Document): Document {
  const common = Object.entries(said).filter(([field]) => !ofMembers.has(field));
  return {
    [name === 'hello' ? 'isWritablePrimary' : 'ismaster']: true,
    msg: 'isdbgrid',
    ...Object.fromEntries(common),
    localTime: new Date(),
  };
}
