// The export worker's own.
export { stringify } from '../../services/export-worker/node_modules/csv-stringify/lib/index.js';
