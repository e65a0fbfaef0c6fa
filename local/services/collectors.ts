/**
 * V8's garbage collector by service, as in docker-compose.yml. Sizes of the young space are in MB.
 *
 * Uploads live some milliseconds, so a large young space saves work. Workers need less: 32 MB saved no processor time over 16,
 * nor 16 over 4 for exports.
 *
 * More helper threads would compete with the API's own thread.
 */
export const collectors = {
  api: ['--max-semi-space-size=64', '--v8-pool-size=1'],
  'ingest-worker': ['--max-semi-space-size=16'],
  'export-worker': ['--max-semi-space-size=4'],
};
