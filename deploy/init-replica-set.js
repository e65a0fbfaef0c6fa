// Run by mongosh against the first member of a replica set; may run any number of times.
const set = process.env.REPLICA_SET ?? 'rs0';
const hosts = process.env.MONGO_MEMBERS.split(',');
const electable = (_id, host) => ({ _id, host });
// mongosh already has a `config`.
let current;
try {
  current = rs.conf();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  // A lost primary is detected after 4 s instead of 10. Its successor catches up for only 2 s.
  //
  // It already has all acknowledged writes, as a majority has them.
  const settings = { electionTimeoutMillis: 4_000, catchUpTimeoutMillis: 2_000 };
  // MongoDB starts config servers only in a set that says so.
  const configsvr = set === 'config' ? { configsvr: true } : {};
  rs.initiate({ _id: set, ...configsvr, settings, members: hosts.map((host, i) => electable(i, host)) });
}
if (current) {
  const missing = hosts.filter((host) => !current.members.some((member) => member.host === host));
  for (const host of missing) {
    while (!db.hello().primary) sleep(100);
    const primary = new Mongo(`mongodb://${db.hello().primary}`).getDB('admin');
    const { config: now } = primary.runCommand({ replSetGetConfig: 1 });
    // MongoDB allows one new voter at a time.
    const member = electable(Math.max(...now.members.map(({ _id }) => _id)) + 1, host);
    const changed = { ...now, version: now.version + 1, members: [...now.members, member] };
    primary.adminCommand({ replSetReconfig: changed });
  }
}
while (!db.hello().primary) sleep(100);
print(`replica set ${set} has a primary`);
