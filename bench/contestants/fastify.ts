// The API's own, so that both sides run the same version.
export { default } from '../../services/api/node_modules/fastify/fastify.js';
