// Run by mongosh against the one mongod of docker-compose.yml; may run any number of times.
try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] });
}
while (!db.hello().isWritablePrimary) sleep(100);
print('replica set rs0 has a primary');
