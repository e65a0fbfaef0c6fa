// Receives webhooks of Sluice and verifies them: WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret = '', PORT = '8080' } = process.env;
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
const seen = new Set();

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest();
  const given = signatures.split(' ').map((one) => Buffer.from(one.replace(/^v1,/, ''), 'base64'));
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const { 'webhook-id': id } = request.headers;
  // A delivery can come twice. Keep the ids where they outlive the process, if that matters.
  if (!seen.has(id)) {
    seen.add(id);
    const { type, data } = JSON.parse(body);
    console.log(type, data.entries ? `${data.entries.length} entries` : JSON.stringify(data));
  }
  response.writeHead(204).end();
});
server.listen(Number(PORT), () => console.log(`listening on ${server.address().port}`));
