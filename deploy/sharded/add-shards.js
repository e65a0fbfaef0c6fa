// Run by mongosh against mongos; may run any number of times. A new shard begins empty, but the first one may have data.
const { shards } = db.adminCommand({ listShards: 1 });
const wanted = process.env.SHARDS.split(' ').map((seeds) => ({ seeds, name: seeds.split('/')[0] }));
for (const { seeds } of wanted.filter(({ name }) => !shards.some(({ _id }) => _id === name))) {
  sh.addShard(seeds);
  print(`added the shard ${seeds}`);
}
