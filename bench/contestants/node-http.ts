import { createServer } from 'node:http';

/** Bare node:http: `node node-http.ts <port>`. Parses the body and answers with its bytes in the envelope. */
const [port] = process.argv.slice(2);
const suffix = Buffer.from('}}');

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    JSON.parse(body.toString());
    const domain = request.url?.split('/')[3];
    const prefix = Buffer.from(`{"success":true,"status":201,"data":{"domain":"${domain}","payload":`);
    response.writeHead(201, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': prefix.length + body.length + suffix.length,
    });
    response.end(Buffer.concat([prefix, body, suffix]));
  });
}).listen(Number(port), '127.0.0.1');
process.once('disconnect', () => process.exit());
