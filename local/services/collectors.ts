/**
 * Settings of V8's garbage collector by service, as docker-compose.yml has them. Uploads wait for their commands, some milliseconds:
 * with a large young space (in MB) it has less to do. What workers make is garbage at once, and a small one stays in the processor's
 * cache. The collector's helpers have no lower priority than the API's own thread, so there is one.
 */
export const collectors = {
  api: ['--max-semi-space-size=64', '--v8-pool-size=1'],
  'ingest-worker': ['--max-semi-space-size=4'],
  'export-worker': ['--max-semi-space-size=4'],
};
