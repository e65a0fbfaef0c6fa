import fc from 'fast-check';

/** Where a request is put in when it is sent: a domain, and an id that no other request has. */
export interface Place {
  domain: string;
  newId(): string;
}
export type Request = (place: Place) => string;

const crlf = '\r\n';
const upload = ({ domain }: Place) => `POST /api/applications/${domain}/data HTTP/1.1`;
const entry = ({ newId }: Place) => `{"id":"${newId()}"}`;
const json = 'Content-Type: application/json';

/** A body in chunks of these sizes, and the rest in one. */
function inChunks(body: string, sizes: number[], more = ''): string {
  let at = 0;
  const pieces = [...sizes, body.length].map((size) => {
    const piece = body.slice(at, at + size);
    at += size;
    return piece;
  });
  return pieces
    .filter((piece) => piece !== '')
    .map((piece) => `${piece.length.toString(16)}${more}${crlf}${piece}${crlf}`)
    .join('');
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 });
const extensions = fc.constantFrom('', ';a', ';a=b', ';a="b;c"', ';a;b=1');
const trailers = fc.constantFrom('', 'X: y\r\n', 'X: y\r\nHost: b\r\n');
const oddTrailers = fc.constantFrom(
  '',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: gzip\r\n',
  'a b\r\n',
  '\n',
);
const hosts = fc.constantFrom('Host: a', 'HOST:a', 'host:  a:80  ', 'Host:');

/** An upload as RFC 9112 allows it. */
export const goodUpload: fc.Arbitrary<Request> = fc
  .record({ sizes, extensions, trailers, host: hosts, chunked: fc.boolean(), form: fc.nat({ max: 3 }) })
  .map(({ sizes, extensions, trailers, host, chunked, form }) => (place) => {
    const start = form === 0 ? upload(place).replace('/api', 'http://b.example/api') : upload(place);
    const body = entry(place);
    const head = [form === 1 ? crlf + start : start, host, json];
    return chunked
      ? [...head, 'transfer-encoding:Chunked', '', inChunks(body, sizes, extensions)].join(crlf) +
          `0${crlf}${trailers}${crlf}`
      : [...head, `Content-Length: ${'0'.repeat(form)}${body.length}`, '', body].join(crlf);
  });

/** What is in a body to be taken for a request by who mistakes its end. */
const smuggled = (place: Place): string => {
  const body = entry(place);
  return [upload(place), 'Host: a', json, `Content-Length: ${body.length}`, '', body].join(crlf);
};

const wrongLengths = fc.constantFrom<(length: number) => string[]>(
  (n) => [`Content-Length: ${n + 7}`],
  (n) => [`Content-Length: ${n - 3}`],
  (n) => [`Content-Length: +${n}`],
  (n) => [`Content-Length: -${n}`],
  (n) => [`Content-Length: 0x${n.toString(16)}`],
  (n) => [`Content-Length: ${n}.0`],
  (n) => [`Content-Length: ${n}, ${n}`],
  (n) => [`Content-Length: ${n} 0`],
  (n) => [`Content-Length: ${n}`, `Content-Length: ${n}`],
  (n) => [`Content-Length: ${n}`, 'Content-Length: 0'],
  (n) => [`Content-Length: 0`, `Content-Length: ${n}`],
  (n) => [`Content-Length : ${n}`],
  (n) => [`Content-Length:${crlf} ${n}`],
  (n) => [`Content-Length: ${'9'.repeat(30)}${n}`],
  (n) => [`X: y\nContent-Length: ${n}`],
  () => ['Content-Length:'],
  () => [],
);

const codings = fc.constantFrom(
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding\t: chunked',
  ' Transfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding: chun\tked',
  'Transfer-Encoding: chunked\0',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding:',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'Transfer-\r\n Encoding: chunked',
);
const wrongSizes = fc.constantFrom(
  '0x',
  '+',
  '-',
  ' ',
  '00000000000000000',
  'fffffffffffffffff',
  'g',
  '\n',
  ';',
  '',
  '0',
);
const ends = fc.constantFrom(crlf, '\n', '\r', '', '\r\r\n');

const wrongFraming: fc.Arbitrary<Request> = fc
  .record({
    wrongLengths,
    codings,
    hasLength: fc.boolean(),
    hasCoding: fc.boolean(),
    hides: fc.boolean(),
    first: fc.boolean(),
    sizes,
  })
  .map(({ wrongLengths, codings, hasLength, hasCoding, hides, first, sizes }) => (place) => {
    const own = hides ? smuggled(place) : entry(place);
    const body = hasCoding && !first ? `${inChunks(own, sizes)}0${crlf}${crlf}` : own;
    const length = hasLength
      ? wrongLengths(body.length)
      : hasCoding
        ? [`Content-Length: ${body.length}`]
        : [];
    const framing = hasCoding ? (first ? [codings, ...length] : [...length, codings]) : length;
    return [upload(place), 'Host: a', json, ...framing, '', body].join(crlf);
  });

const wrongChunks: fc.Arbitrary<Request> = fc
  .record({ wrongSizes, ends, more: ends, trailers: oddTrailers, hides: fc.boolean() })
  .map(({ wrongSizes, ends, more, trailers, hides }) => (place) => {
    const body = hides ? smuggled(place) : entry(place);
    const chunk = `${wrongSizes}${body.length.toString(16)}${ends}${body}${more}`;
    const head = [upload(place), 'Host: a', json, 'Transfer-Encoding: chunked', '', ''].join(crlf);
    return `${head}${chunk}0${crlf}${trailers}${crlf}`;
  });

const oddTargets = fc.constantFrom(
  'OPTIONS * HTTP/1.1',
  'GET * HTTP/1.1',
  'CONNECT a:443 HTTP/1.1',
  'TRACE /api/users HTTP/1.1',
  'PROPFIND /api/users HTTP/1.1',
  'FOO /api/users HTTP/1.1',
  'get /api/health/live HTTP/1.1',
  'GET http://a/api/health/live HTTP/1.1',
  'GET HTTP://a/api/health/live HTTP/1.1',
  'GET http://a HTTP/1.1',
  'GET //a/api HTTP/1.1',
  'GET /api/%zz HTTP/1.1',
  'GET /api/%00 HTTP/1.1',
  'GET /api/applications/%2e%2e/data HTTP/1.1',
  'GET api HTTP/1.1',
  'GET ?a HTTP/1.1',
  'GET /a b HTTP/1.1',
  'GET  /api HTTP/1.1',
  'GET\t/api HTTP/1.1',
  'GET /api/\xff HTTP/1.1',
  'GET /api/\0 HTTP/1.1',
  'GET /api/health/live#a HTTP/1.1',
  'GET /api/health/live',
  'GET /api/health/live HTTP/1.0',
  'GET /api/health/live HTTP/1.2',
  'GET /api/health/live HTTP/3.0',
  'GET /api/health/live http/1.1',
  'PRI * HTTP/2.0',
);
const oddLines = fc.constantFrom(
  'Host: a',
  'Host: a\r\nHost: b',
  'Host: a b',
  'X-None: a',
  'Host: a\r\n folded',
  'Host: a\nX: b',
  'Host: a\r\nX: \x01',
  'Host: a\r\nX\x01: b',
  'Host: a\r\n: b',
  'Host: a\r\nno colon',
  'Host: a\r\nExpect: foo',
  'Host: a\r\nUpgrade: h2c\r\nConnection: Upgrade',
  'Host: a\r\nConnection: keep-alive, close',
  'Host: a\r\nOrigin: null',
  'Host: a\r\nX-Request-Id: \xff',
);
const oddHead: fc.Arbitrary<Request> = fc.tuple(oddTargets, oddLines).map(
  ([start, lines]) =>
    () =>
      `${start}${crlf}${lines}${crlf}${crlf}`,
);

/** A byte of it is another one, or gone. */
const damaged: fc.Arbitrary<Request> = fc
  .tuple(goodUpload, fc.nat(), fc.constantFrom('', '\0', '\n', '\r', ' ', ':', '\xff', '0', crlf))
  .map(([request, position, byte]) => (place) => {
    const text = request(place);
    const at = position % text.length;
    return text.slice(0, at) + byte + text.slice(at + 1);
  });

export const hostileRequest: fc.Arbitrary<Request> = fc.oneof(
  { weight: 2, arbitrary: goodUpload },
  { weight: 3, arbitrary: wrongFraming },
  { weight: 2, arbitrary: wrongChunks },
  { weight: 2, arbitrary: oddHead },
  { weight: 2, arbitrary: damaged },
);

/** In pieces that end anywhere. */
export function split(bytes: string, places: number[]): string[] {
  const cuts = [...new Set(places.map((place) => place % bytes.length))].sort((a, b) => a - b);
  return [0, ...cuts].map((from, i) => bytes.slice(from, cuts[i] ?? bytes.length)).filter(Boolean);
}
