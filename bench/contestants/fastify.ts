// The API's own Fastify, so that both sides run the same version.
export { default } from '../../services/api/node_modules/fastify/fastify.js';
